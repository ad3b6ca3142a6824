import BaizeBot
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport

/// One table under load: the replica that one of its connections keeps, and when each revision reached how many.
struct LoadTable {
  let name: String
  /// The connection that keeps the replica, and the replica once it is loaded.
  var keeper = -1
  var replica: Replica?
  /// How many connections of the table follow it.
  var followers = 0
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

  /// An operation that can be judged on the replica's state: any item to any place, where the type lets that be.
  ///
  /// Other types than free lists are played by the rules that came with them.
  ///
  /// - Parameter moved: What the player's unanswered operations moved: the replica has it where it was, the player has not.
  mutating func nextOperation(
    _ random: inout RandomSource, strategy: inout RandomStrategy, not moved: [ItemID]
  ) -> TableOperation.Kind? {
    guard let replica else { return nil }
    let state = replica.state
    guard state.type.name == "grid" || state.type.name == "list" else {
      guard case .submit(let kind, _) = strategy.next(at: replica, random: &random) else { return nil }
      return kind
    }
    guard let item = anyItem(of: state, &random) else { return nil }
    let target = CollectionHandle(rawValue: UInt32(random.next(below: UInt64(state.type.collections.count))) + 1)
    let count = state.count(in: target)
    var destination = Destination.end(of: target)
    let offset = random.next(below: UInt64(count) + 1)
    if offset < count, let anchor = state.item(at: Int(offset), in: target), !moved.contains(anchor) {
      destination.position = .before(anchor)
    }
    return .reorder(ReorderDifference(sources: ItemList(item), destination: destination), suggested: [])
  }

  /// An item, each as likely as the others in its collection.
  private func anyItem(of state: TableState, _ random: inout RandomSource) -> ItemID? {
    let collections = UInt64(state.type.collections.count)
    let start = random.next(below: collections)
    for step in 0..<collections {
      let handle = CollectionHandle(rawValue: UInt32((start + step) % collections) + 1)
      let count = state.count(in: handle)
      if count > 0 { return state.item(at: Int(random.next(below: UInt64(count))), in: handle) }
    }
    return nil
  }
}
