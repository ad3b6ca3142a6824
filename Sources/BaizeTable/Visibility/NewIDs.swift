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
    state.traits(of: collection).flags.contains(.isPrivate) ? mintUnordered(count) : mint(count)
  }

  /// Makes the next `count` ids, in random order.
  mutating func mint(_ count: Int) -> [ItemID] {
    var ids = (0..<UInt64(count)).map { ItemID(rawValue: state.nextID + $0) }
    state.nextID += UInt64(count)
    random.shuffle(&ids)
    return ids
  }

  /// Makes random ids. The ids of items that some viewers cannot see until later must not reveal when they were made.
  mutating func mintUnordered(_ count: Int) -> [ItemID] {
    var ids: [ItemID] = []
    var known: Set<ItemID> = []
    while ids.count < count {
      let id = ItemID(rawValue: ItemID.unorderedBit | random.next() & (ItemID.unorderedBit - 1))
      if state.index.slot(of: id) < 0, known.insert(id).inserted { ids.append(id) }
    }
    return ids
  }
}
