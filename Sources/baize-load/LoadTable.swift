import BaizeSync
import BaizeTable

/// One table under load: the replica that one of its connections keeps, and when each revision reached how many.
struct LoadTable {
  let name: String
  /// The connection that keeps the replica, and the replica once it is loaded.
  var keeper = -1
  var replica: Replica?
  /// How many connections of the table follow it.
  var followers = 0
  /// How many long texts are still to be written.
  var fillLeft = 0
  /// For the last revisions when they were submitted and how many connections have seen them.
  private var flights: [Flight]

  private struct Flight {
    var revision: UInt64 = 0
    var submitted: UInt64 = 0
    var seen = 0
  }

  private static let flightsMax = 4_096

  init(name: String) {
    self.name = name
    flights = Array(repeating: Flight(), count: Self.flightsMax)
  }

  /// Notes that one more connection has seen a revision.
  ///
  /// - Parameter submitted: When its operation was sent, if the connection is the author's.
  /// - Returns: When the operation was sent, if this connection was the last to see it.
  mutating func delivered(_ revision: UInt64, submitted: UInt64?) -> UInt64? {
    let place = Int(revision % UInt64(Self.flightsMax))
    if flights[place].revision != revision { flights[place] = Flight(revision: revision) }
    if let submitted { flights[place].submitted = submitted }
    flights[place].seen += 1
    return flights[place].seen == followers && flights[place].submitted > 0 ? flights[place].submitted : nil
  }
}

extension TableState {
  /// A move that can be judged on this state: any item to any place, in a table type that lets that be.
  ///
  /// - Parameter moved: What the player's last operations moved: this state may have it where it was, the player has not.
  func anyMove(_ random: inout RandomSource, not moved: [ItemID]) -> TableOperation.Kind? {
    guard let item = anyItem(&random) else { return nil }
    let target = CollectionHandle(rawValue: UInt32(random.next(below: UInt64(type.collections.count))) + 1)
    let count = count(in: target)
    var destination = Destination.end(of: target)
    let offset = random.next(below: UInt64(count) + 1)
    if offset < count, let anchor = self.item(at: Int(offset), in: target), !moved.contains(anchor) {
      destination.position = .before(anchor)
    }
    return .reorder(ReorderDifference(sources: ItemList(item), destination: destination), suggested: [])
  }

  /// An item, each as likely as the others in its collection.
  private func anyItem(_ random: inout RandomSource) -> ItemID? {
    let collections = UInt64(type.collections.count)
    let start = random.next(below: collections)
    for step in 0..<collections {
      let handle = CollectionHandle(rawValue: UInt32((start + step) % collections) + 1)
      let count = count(in: handle)
      if count > 0 { return item(at: Int(random.next(below: UInt64(count))), in: handle) }
    }
    return nil
  }
}
