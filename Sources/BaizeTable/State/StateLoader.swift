/// A builder of a state from a snapshot that arrives in parts.
public struct StateLoader: Sendable {
  private var state: TableState
  private var slots: [[Int32]]
  /// The number of items in each collection, according to the snapshot.
  private var counts: [Int]
  private let role: Table.Role

  /// Creates a loader of an empty table.
  ///
  /// - Parameters:
  ///   - type: The table type.
  ///   - role: The role of the table. Items of an authority have faces even if nobody may see them.
  public init(type: TableType, for role: Table.Role = .replica) {
    self.role = role
    state = TableState(type: type)
    slots = type.collections.map { _ in [] }
    counts = type.collections.map { _ in 0 }
  }

  /// Adds items, in order, collection by collection.
  ///
  /// - Throws: A ``DiffMismatch`` for an unknown collection, or for an item that cannot be created.
  public mutating func add(_ items: [Item]) throws(DiffMismatch) {
    if state.itemCount == 0 { state.reserve(items: items.count, collections: Set(items.map(\.collection)).count) }
    for item in items {
      guard state.isKnown(item.collection) else {
        throw DiffMismatch("a snapshot names collection \(item.collection.rawValue)")
      }
      let collection = state.index(of: item.collection)
      let slot = try state.create(item, in: collection, at: .zero, by: .daemon, for: role)
      while slots.count < state.collections.count {
        slots.append([])
        counts.append(0)
      }
      state.setCollection(slot, Int32(collection))
      slots[collection].append(slot)
    }
  }

  /// Sets whether a collection is enabled, and how many items it has, even if the viewer may see none of them.
  ///
  /// - Throws: A ``DiffMismatch`` for an unknown collection or a negative count.
  public mutating func describe(_ collection: CollectionHandle, isEnabled: Bool, count: Int) throws(DiffMismatch) {
    let index = state.index(of: collection)
    guard index >= 0, count >= 0 else { throw DiffMismatch("a snapshot names collection \(collection.rawValue)") }
    state.setEnabled(index, isEnabled)
    counts[index] = count
  }

  /// Keeps the handles below `end` from being given to other collections than those that had them.
  ///
  /// - Throws: A ``DiffMismatch`` for more handles than a table has.
  package mutating func reserve(_ end: UInt32) throws(DiffMismatch) {
    guard end > 0 else { return }
    guard Int(end) - 1 - state.type.collections.count <= TableLimits.openedHandlesMax else {
      throw DiffMismatch("a table has too many collections")
    }
    state.reserve(Int(end) - 1)
  }

  /// Checks the number of variables, before ``finish(revision:status:variables:seats:)`` sets them.
  ///
  /// - Throws: A ``DiffMismatch`` for more than a client accepts.
  package func check(_ variables: [Attribute]) throws(DiffMismatch) {
    try state.checkVariables(adding: variables.count, for: role)
  }

  /// Returns the state with all items at their positions.
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
