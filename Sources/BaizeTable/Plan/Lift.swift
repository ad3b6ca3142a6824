/// G7: whether items may leave their collections together.
extension TableState {
  /// Refuses items that may not leave their collections together.
  ///
  /// - Parameters:
  ///   - base: The revision that the author saw. An item put on a run since then gets another reason than a wrong run.
  ///   - author: The session whose own operations do not count as such a change.
  @inline(__always) func checkLift(
    _ slots: SlotList, base: Revision, author: SessionID, seat: SeatNumber
  ) throws(Refusal) {
    if case .one(let slot) = slots {
      let isRestricted = traits(of: collection(slot)).flags.contains(.hasLiftRules)
      if !isRestricted, !forest.records.address(of: slot).pointee.isPinned { return }
    }
    try checkLiftOfEach(slots, base: base, author: author, seat: seat)
  }

  @inline(never) private func checkLiftOfEach(
    _ slots: SlotList, base: Revision, author: SessionID, seat: SeatNumber
  ) throws(Refusal) {
    let collection = collection(slots[0])
    if slots.count == 1 || slots.allSatisfy({ self.collection($0) == collection }) {
      try checkLift(slots, from: collection, base: base, author: author, seat: seat)
      return
    }
    guard type.allowsMixedSources else {
      throw Refusal(.mixedSources, rule: "mixedSources", detail: "the items are in several collections")
    }
    var groups: [(collection: Int, slots: SlotList)] = []
    // Not searched: there may be as many collections as items.
    var groupOfCollection: [Int: Int] = [:]
    for slot in slots {
      let collection = self.collection(slot)
      let group = groupOfCollection[collection] ?? groups.count
      if group == groups.count {
        groupOfCollection[collection] = group
        groups.append((collection, []))
      }
      groups[group].slots.append(slot)
    }
    for group in groups {
      try checkLift(group.slots, from: group.collection, base: base, author: author, seat: seat)
    }
  }

  private func checkLift(
    _ slots: SlotList, from collection: Int, base: Revision, author: SessionID, seat: SeatNumber
  ) throws(Refusal) {
    let isRestricted = traits(of: collection).flags.contains(.hasLiftRules)
    if isRestricted, kind(of: collection).lift.shape == .none {
      throw Refusal(.notReorderable, rule: kind(of: collection).lift.path)
    }
    for slot in slots where forest.records.address(of: slot).pointee.isPinned {
      throw Refusal(.notReorderable, rule: kind(of: collection).lift.path, detail: "the item is pinned")
    }
    if isRestricted { try checkLiftRules(slots, from: collection, base: base, author: author, seat: seat) }
  }

  private func checkLiftRules(
    _ slots: SlotList, from collection: Int, base: Revision, author: SessionID, seat: SeatNumber
  ) throws(Refusal) {
    let kind = kind(of: collection)
    var context = RuleContext(item: .slot(slots[0]), source: collection, sourcesCount: slots.count, seat: seat)
    context.sources = slots
    if !kind.lift.conditions.isEmpty { try check(kind.lift.conditions, context) }
    if !kind.lift.each.isEmpty {
      for slot in slots {
        context.item = .slot(slot)
        try check(kind.lift.each, context)
      }
    }
    switch kind.lift.shape {
    case .none, .any: break
    case .top: try checkTop(slots, from: collection, kind)
    case .run: try checkRun(slots, kind, context, base: base, author: author)
    }
  }

  private func checkTop(_ slots: SlotList, from collection: Int, _ kind: CollectionKind) throws(Refusal) {
    guard slots.count == 1 else {
      throw Refusal(.tooManyItems, rule: kind.lift.path, detail: "only one item at a time leaves this collection")
    }
    guard forest.last(in: root(collection)) == slots[0] else { throw Refusal(.notTop, rule: kind.lift.path) }
  }

  private func checkRun(
    _ slots: SlotList, _ kind: CollectionKind, _ context: RuleContext, base: Revision, author: SessionID
  ) throws(Refusal) {
    for position in 1..<max(1, slots.count) where forest.previous(slots[position]) != slots[position - 1] {
      throw Refusal(.notARun, rule: kind.lift.path)
    }
    let above = forest.next(slots[slots.count - 1])
    if above >= 0 {
      let isNew = forest.records[above].placed > base && forest.records[above].placedBy != author
      throw Refusal(isNew ? .stackChanged : .notARun, rule: kind.lift.path)
    }
    guard !kind.lift.pairs.isEmpty else { return }
    var pair = context
    for position in 1..<max(1, slots.count) {
      pair.item = .slot(slots[position])
      pair.below = slots[position - 1]
      try check(kind.lift.pairs, pair)
    }
  }
}
