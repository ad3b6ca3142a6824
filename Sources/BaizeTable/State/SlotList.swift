/// A list of items, by slot, in a meaningful order. A single one needs no allocation.
typealias SlotList = InlineList<Int32>

/// A set of slots: a few are searched one by one, many by hash.
enum SlotSet {
  case few(SlotList)
  case many(Set<Int32>)

  init(_ slots: SlotList) { self = slots.count > 16 ? .many(Set(slots)) : .few(slots) }

  func contains(_ slot: Int32) -> Bool {
    switch self {
    case .few(let slots): slots.contains(slot)
    case .many(let slots): slots.contains(slot)
    }
  }
}

extension TableState {
  /// Returns the first item from `slot` on that is not among `excluded`; −1 at the end.
  @inline(__always) func firstStaying(from slot: Int32, _ excluded: SlotSet) -> Int32 {
    var candidate = slot
    while candidate >= 0, excluded.contains(candidate) { candidate = forest.next(candidate) }
    return candidate
  }

  /// Returns the item that a block put before `anchor` in `collection` lands on; −1 for none.
  func neighbor(before anchor: Int32, in collection: Int, excluding excluded: SlotSet) -> Int32 {
    var candidate = anchor < 0 ? forest.last(in: root(collection)) : forest.previous(anchor)
    while candidate >= 0, excluded.contains(candidate) { candidate = forest.previous(candidate) }
    return candidate
  }

  /// Returns whether putting `slots` before `anchor` in `collection` would change nothing.
  @inline(__always) func isInPlace(_ slots: SlotList, before anchor: Int32, in collection: Int) -> Bool {
    if case .one(let slot) = slots {
      return self.collection(slot) == collection && forest.next(slot) == anchor
    }
    var following = anchor
    for slot in slots.reversed() {
      guard Int(forest.records[slot].collection) == collection, forest.next(slot) == following else { return false }
      following = slot
    }
    return true
  }

  /// Returns the items in table order.
  ///
  /// - Complexity: O(k log n) for k slots.
  func inTableOrder(_ slots: SlotList) -> SlotList {
    if case .one = slots { return slots }
    return SlotList(
      slots.map { (slot: $0, collection: collection($0), rank: forest.rank(of: $0)) }
        .sorted { ($0.collection, $0.rank) < ($1.collection, $1.rank) }.map(\.slot))
  }
}
