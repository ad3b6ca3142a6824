/// Builds a state from a snapshot that comes in parts.
public struct StateLoader: Sendable {
  private var state: TableState
  private var slots: [[Int32]]
  /// How many items each collection is said to hold.
  private var counts: [Int]
  private let role: Table.Role

  /// An empty table of `type`.
  ///
  /// - Parameter role: For whom it is: the authority's items have faces that nobody sees.
  public init(type: TableType, for role: Table.Role = .replica) {
    self.role = role
    state = TableState(type: type)
    slots = type.collections.map { _ in [] }
    counts = type.collections.map { _ in 0 }
  }

  /// Adds items, in order, collection by collection.
  public mutating func add(_ items: [Item]) throws(DiffMismatch) {
    for item in items {
      guard state.isKnown(item.collection) else {
        throw DiffMismatch("a snapshot names collection \(item.collection.rawValue)")
      }
      let collection = item.collection.index
      let slot = try state.create(item, in: collection, at: .zero, by: .daemon, for: role)
      state.setCollection(slot, Int32(collection))
      slots[collection].append(slot)
    }
  }

  /// Sets whether a collection is in use, and how many items it holds, of which the viewer may be told none.
  public mutating func describe(_ collection: CollectionHandle, isEnabled: Bool, count: Int) throws(DiffMismatch) {
    guard state.isKnown(collection), count >= 0 else {
      throw DiffMismatch("a snapshot names collection \(collection.rawValue)")
    }
    state.setEnabled(collection.index, isEnabled)
    counts[collection.index] = count
  }

  /// The state with all items in their places.
  ///
  /// - Complexity: O(n).
  public consuming func finish(
    revision: Revision, status: String, variables: [Attribute], seats: [Seat]
  ) -> TableState {
    for (collection, slots) in slots.enumerated() {
      state.collections[collection].root = state.forest.build(slots[...])
      if slots.isEmpty, state.kind(of: collection).isPrivate {
        state.collections[collection].hiddenCount = counts[collection]
      }
    }
    state.revision = revision
    state.setStatus(status)
    state.variables = []
    for variable in variables { state.set(variable) }
    state.setSeats(seats)
    return state
  }
}
