import BaizeSync
import BaizeTable

/// Generates random operations on the table of a replica.
struct OperationGenerator {
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

  // MARK: Randomness

  /// Returns a random number from 0 to `bound` − 1. `bound` is at least 1.
  mutating func below(_ bound: Int) -> Int { Int(random.next(below: UInt64(bound))) }

  /// Returns true with a probability of `share`.
  mutating func chance(_ share: Double) -> Bool {
    share > 0 && Double(random.next(below: 1 << 32)) < share * Double(1 << 32 as UInt64)
  }

  mutating func one<Element>(of elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[below(elements.count)]
  }

  // MARK: Items

  mutating func collection() -> CollectionHandle {
    let handles = state.handles
    return handles[below(handles.count)]
  }

  /// Returns a random item of a collection.
  mutating func item(in collection: CollectionHandle) -> ItemID? {
    let count = state.count(in: collection)
    return count == 0 ? nil : state.item(at: below(count), in: collection)
  }

  /// Returns items that the collection's lift shape allows to move together.
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
    return sources.flatMap { $0.allSatisfy(hasFinalID) ? $0 : nil }
  }

  /// Returns whether the daemon knows an item by the id it has here. An item that enters a hidden or private collection
  /// gets a new id, which its author learns only with the answer.
  private func hasFinalID(_ item: ItemID) -> Bool {
    !item.isProvisional || (!state.type.hasSecrets && state.face(of: item) != nil)
  }

  /// Returns some of the last items that are face up.
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

  /// Returns a random position in a collection.
  mutating func position(in collection: CollectionHandle) -> Position {
    guard state.kind(of: collection).accept.landing == .anywhere else { return .end }
    let offset = below(state.count(in: collection) + 1)
    return state.item(at: offset, in: collection).flatMap { hasFinalID($0) ? .before($0) : nil } ?? .end
  }

  private static let runMax = 13
}
