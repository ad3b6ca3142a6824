/// G8: the conditions of a drop's destination on the items and on their position. Insertions meet some of them, too (G9).
extension TableState {
  /// Refuses a drop that a condition of its destination forbids, or reduces it to the items for which there is room.
  func checkDrop(
    _ slots: SlotList, _ drop: inout Drop, _ kind: CollectionKind, _ leaving: SlotSet, _ seat: SeatNumber
  ) throws(Refusal) {
    if let from = kind.accept.from {
      for slot in slots where collection(slot) != drop.collection {
        let source = collection(slot)
        let isAccepted =
          collections[source].opener < 0
          ? from.contains(CollectionHandle(index: source)) : kind.accept.fromKinds.contains(Int(traits[source].kind))
        guard isAccepted else {
          throw Refusal(
            .foreignItem, rule: kind.accept.path + ".from", detail: "items from that collection are not accepted here")
        }
      }
    }
    if !kind.accept.contentTypes.isEmpty {
      for slot in slots { try checkContentType(of: slot, kind, seat) }
    }
    var context = RuleContext(
      item: .slot(slots[0]), source: collection(slots[0]), destination: drop.collection,
      sourcesCount: slots.count, seat: seat)
    context.sources = slots
    context.returningCount = returningCount(slots, drop)
    if !kind.accept.conditions.isEmpty { try check(kind.accept.conditions, context) }
    if !kind.accept.each.isEmpty {
      for slot in slots {
        context.item = .slot(slot)
        try check(kind.accept.each, context)
      }
      context.item = .slot(slots[0])
    }
    try checkLanding(before: drop.anchor, in: drop.collection, kind, leaving, &context)
    try checkNeighbors(slots, drop, kind, leaving, context)
    if let capacity = kind.accept.capacity, drop.operation != .delete {
      let (collection, isMove) = (drop.collection, drop.operation == .move)
      drop.acceptedCount = try accepted(slots.count, by: capacity, in: collection) { position in
        !isMove || self.collection(slots[position]) != collection
      }
    }
  }

  /// Evaluates the conditions that depend on what the block lands on.
  func checkLanding(
    before anchor: Int32, in collection: Int, _ kind: CollectionKind, _ leaving: SlotSet, _ context: inout RuleContext
  ) throws(Refusal) {
    guard !kind.accept.onEmpty.isEmpty || !kind.accept.onItem.isEmpty else { return }
    context.below = neighbor(before: anchor, in: collection, excluding: leaving)
    try check(context.below < 0 ? kind.accept.onEmpty : kind.accept.onItem, context)
  }

  /// Evaluates the conditions on all pairs of neighbors that the block makes: within it, and with the items before and
  /// behind it.
  func checkNeighbors(
    _ slots: SlotList, _ drop: Drop, _ kind: CollectionKind, _ leaving: SlotSet, _ context: RuleContext
  ) throws(Refusal) {
    guard !kind.accept.pairs.isEmpty else { return }
    var pair = context
    pair.below = neighbor(before: drop.anchor, in: drop.collection, excluding: leaving)
    for slot in slots {
      pair.item = .slot(slot)
      if pair.below >= 0 { try check(kind.accept.pairs, pair) }
      pair.below = slot
    }
    guard drop.anchor >= 0 else { return }
    pair.item = .slot(drop.anchor)
    try check(kind.accept.pairs, pair)
  }

  /// Returns how many of `count` items, counted from the first, fit into a collection of limited capacity. Items that
  /// are in it already need no room.
  func accepted(
    _ count: Int, by capacity: Capacity, in collection: Int, isArriving: (Int) -> Bool
  ) throws(Refusal) -> Int {
    var room = itemsMax(capacity, in: collection) - self.count(collection)
    var accepted = 0
    while accepted < count {
      if isArriving(accepted) {
        guard room > 0 else { break }
        room -= 1
      }
      accepted += 1
    }
    guard accepted == count || (capacity.acceptsPart && accepted > 0) else {
      throw Refusal(
        .capacityExceeded, rule: capacity.path,
        detail: "the collection holds at most \(itemsMax(capacity, in: collection)) items")
    }
    return accepted
  }

  /// Returns the maximum number of items in a collection now.
  func itemsMax(_ capacity: Capacity, in collection: Int) -> Int {
    guard let name = capacity.attribute else { return capacity.itemsMax }
    for attribute in attributes(of: collection) where attribute.name.hasBytes(of: name) {
      guard case .number(let itemsMax)? = attribute.value, itemsMax > 0 else { return .max }
      return Int(clamping: itemsMax)
    }
    return .max
  }

  /// Refuses an item whose face the author may not see, or that has no representation that the collection accepts.
  private func checkContentType(of slot: Int32, _ kind: CollectionKind, _ seat: SeatNumber) throws(Refusal) {
    guard canSee(slot, from: seat) else { throw Refusal(.faceHidden, rule: kind.accept.path + ".contentTypes") }
    try checkContentType(of: faces[slot], kind)
  }

  /// Refuses a face without a representation that the collection accepts.
  func checkContentType(of face: Face, _ kind: CollectionKind) throws(Refusal) {
    guard !kind.accept.contentTypes.isEmpty else { return }
    guard !face.representations.isEmpty else {
      throw Refusal(.noRepresentation, rule: kind.accept.path + ".contentTypes")
    }
    guard face.representations.contains(where: { $0.contentType.isAmong(kind.accept.contentTypes) }) else {
      throw Refusal(.typeNotAccepted, rule: kind.accept.path + ".contentTypes")
    }
  }

  /// Returns how many of `slots` are in the destination already and leave it before they land.
  func returningCount(_ slots: SlotList, _ drop: Drop) -> Int {
    drop.operation == .move ? slots.count { self.collection($0) == drop.collection } : 0
  }
}
