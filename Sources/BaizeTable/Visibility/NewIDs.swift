/// The ids of new items, and of items that become hidden. They reveal no face, no former id and, in a private collection,
/// not when they were made.
extension Table {
  /// Makes ids for items that are made, or become hidden, in `collection`.
  mutating func makeIDs(_ count: Int, in collection: Int, _ builder: inout DiffBuilder) -> [ItemID] {
    guard role == .replica else { return mint(count, in: collection) }
    let first = builder.provisionalCount
    precondition(
      first + count <= ItemID.provisionalNumbersMax, "a prediction makes \(first + count) items, which was not planned")
    builder.provisionalCount += count
    return (first..<first + count).map { .provisional(operation: builder.sequence, number: $0) }
  }

  /// Makes ids of the authority's own for items in `collection`.
  mutating func mint(_ count: Int, in collection: Int) -> [ItemID] {
    state.traits(of: collection).flags.contains(.isPrivate) ? mintPrivate(count) : mint(count)
  }

  /// Makes the next `count` ids, in random order.
  mutating func mint(_ count: Int) -> [ItemID] {
    var ids = (0..<UInt64(count)).map { ItemID(rawValue: state.nextID + $0) }
    state.nextID += UInt64(count)
    random.shuffle(&ids)
    return ids
  }

  /// Makes ids for items of which some viewers do not know until later.
  mutating func mintPrivate(_ count: Int) -> [ItemID] { (0..<count).map { _ in privateIDs.make() } }
}
