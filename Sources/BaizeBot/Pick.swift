import BaizeSync
import BaizeTable

/// Picks things at random on the table that a replica shows.
struct Pick {
  let replica: Replica
  let state: TableState
  let seat: SeatNumber
  let itemsMax: Int
  var random: RandomSource

  init(replica: Replica, itemsMax: Int, random: RandomSource) {
    self.replica = replica
    state = replica.state
    seat = replica.author.seat
    self.itemsMax = itemsMax
    self.random = random
  }

  // MARK: Chance

  /// A number from 0 below `bound`, which is at least 1.
  mutating func below(_ bound: Int) -> Int { Int(random.next(below: UInt64(bound))) }

  /// True in so many of 1 cases.
  mutating func chance(_ share: Double) -> Bool {
    share > 0 && Double(random.next(below: 1 << 32)) < share * Double(1 << 32 as UInt64)
  }

  mutating func one<Element>(of elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[below(elements.count)]
  }

  // MARK: Items

  mutating func collection() -> CollectionHandle {
    CollectionHandle(rawValue: UInt32(below(state.type.collections.count) + 1))
  }

  /// Any item of a collection.
  mutating func item(in collection: CollectionHandle) -> ItemID? {
    let count = state.count(in: collection)
    return count == 0 ? nil : state.item(at: below(count), in: collection)
  }

  /// Items that may leave their collection together, as far as its shape goes.
  mutating func sources() -> [ItemID]? {
    let collection = collection()
    guard state.isEnabled(collection) else { return nil }
    let sources: [ItemID]? =
      switch state.kind(of: collection).lift.shape {
      case .none: nil
      case .top: state.lastItem(in: collection).map { [$0] }
      case .run: run(in: collection)
      case .any: anyItems(from: collection)
      }
    return sources.flatMap { $0.allSatisfy(hasName) ? $0 : nil }
  }

  /// Whether the daemon knows an item by the name that it has here. What goes out of sight, or comes into a hand, gets a
  /// new one that no one can know before the answer.
  private func hasName(_ item: ItemID) -> Bool {
    !item.isProvisional || (!state.type.hasSecrets && state.face(of: item) != nil)
  }

  /// Some of the last items, as many as lie face up.
  private mutating func run(in collection: CollectionHandle) -> [ItemID]? {
    let count = state.count(in: collection)
    var run: [ItemID] = []
    for offset in stride(from: count - 1, through: max(0, count - Self.runMax), by: -1) {
      guard let item = state.item(at: offset, in: collection), state.isFaceUp(item) else { break }
      run.append(item)
    }
    guard !run.isEmpty else { return nil }
    return Array(run.prefix(below(run.count) + 1).reversed())
  }

  private mutating func anyItems(from collection: CollectionHandle) -> [ItemID]? {
    let wanted = chance(0.7) ? 1 : below(itemsMax) + 1
    var items: [ItemID] = []
    var from = collection
    for _ in 0..<wanted {
      guard let item = item(in: from), !items.contains(item), !state.isPinned(item) else { continue }
      items.append(item)
      guard state.type.allowsMixedSources, chance(0.1) else { continue }
      let other = self.collection()
      if state.kind(of: other).lift.shape == .any, state.isEnabled(other) { from = other }
    }
    return items.isEmpty ? nil : items
  }

  /// A place to land in a collection.
  mutating func position(in collection: CollectionHandle) -> Position {
    guard state.kind(of: collection).accept.landing == .anywhere else { return .end }
    let place = below(state.count(in: collection) + 1)
    return state.item(at: place, in: collection).flatMap { hasName($0) ? .before($0) : nil } ?? .end
  }

  private static let runMax = 13
}
