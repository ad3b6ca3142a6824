/// G9, G11: what the items that open collections add to an insertion and to a removal.
extension Table {
  /// Refuses to open more collections than a table may have, or ever have had.
  func checkOpenable(_ count: Int) throws(Refusal) {
    try checkOpen(count)
    guard state.openedHandlesCount + count <= TableLimits.openedHandlesMax else {
      throw Refusal(.tableSize, detail: "the table has no more handles for collections")
    }
  }

  /// Refuses to have more collections open than a table may have.
  func checkOpen(_ count: Int) throws(Refusal) {
    guard state.openedCount + count <= TableLimits.openedCollectionsMax else {
      throw Refusal(
        .tableSize, detail: "the items of a table open at most \(TableLimits.openedCollectionsMax) collections")
    }
  }

  /// Returns the items that leave the table if `slots` are removed: with an item that opens a collection all that is in it,
  /// if the table type lets that go along, and the aliases of all these.
  func leaving(
    _ slots: SlotList, _ request: Request, _ claims: [ItemID: Claim]?
  ) throws(Refusal) -> SlotList {
    var all = slots
    if state.type.opensCollections, slots.contains(where: { state.opens($0) >= 0 }) {
      all = SlotList(try withContents(slots, request, claims))
    }
    if !state.aliases.isEmpty { all = try withAliases(all) }
    try checkRemovable(all)
    return all
  }

  private func withContents(
    _ slots: SlotList, _ request: Request, _ claims: [ItemID: Claim]?
  ) throws(Refusal) -> [Int32] {
    let named = SlotSet(slots)
    var all = Array(slots)
    var next = 0
    while next < all.count {
      let opened = state.opens(all[next])
      let opening = state.kind(of: state.collection(all[next])).opens
      next += 1
      guard opened >= 0, let opening else { continue }
      try state.checkEnabled(opened)
      let inside = state.slots(in: opened).filter { !named.contains($0) }
      guard !inside.isEmpty else { continue }
      guard opening.removesItems else {
        throw Refusal(
          .notEmpty, rule: state.kind(of: state.collection(all[next - 1])).path,
          detail: "the collection that the item opens has items")
      }
      guard all.count + inside.count <= itemsPerOperationMax else {
        throw Refusal(.tooManyItems, detail: "an operation removes at most \(itemsPerOperationMax) items")
      }
      try checkGoingAlong(SlotList(inside), from: opened, request, claims)
      all += inside
    }
    return all
  }

  /// Refuses to remove what is in a collection with the item that opens it, if the author could not remove it by itself, or may
  /// not have seen it.
  private func checkGoingAlong(
    _ slots: SlotList, from collection: Int, _ request: Request, _ claims: [ItemID: Claim]?
  ) throws(Refusal) {
    try state.checkRights(lifting: slots, droppingOn: nil, by: request.seat)
    try checkClaims(slots, request, claims)
    try state.checkLift(slots, base: request.base, author: request.author.session, seat: request.seat)
    guard state.traits(of: collection).offers.contains(.delete) else {
      throw Refusal(
        .operationNotSupported, rule: state.kind(of: collection).lift.path, detail: "items are not deleted here")
    }
    for slot in slots {
      let record = state.forest.records.address(of: slot)
      guard record.pointee.placed <= request.base || record.pointee.placedBy == request.author.session else {
        throw Refusal(.contended, detail: "another participant put an item there meanwhile")
      }
    }
  }
}

extension TableState {
  /// Returns the items of a collection, in order.
  func slots(in collection: Int) -> [Int32] {
    var slots: [Int32] = []
    var slot = forest.first(in: root(collection))
    while slot >= 0 {
      slots.append(slot)
      slot = forest.next(slot)
    }
    return slots
  }
}
