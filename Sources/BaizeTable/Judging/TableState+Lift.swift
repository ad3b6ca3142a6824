extension TableState {
  /// Asks whether `slots` may leave their collections together.
  ///
  /// - Parameters:
  ///   - base: The revision that the author saw; what came to lie on a run since then is told apart from a wrong run.
  ///   - author: Whose own operations do not count as a change.
  func checkLift(_ slots: SlotList, base: Revision, author: SessionID, seat: SeatNumber) throws(Refusal) {
    let collection = Int(records[slots[0]].collection)
    if slots.count == 1 || slots.allSatisfy({ Int(records[$0].collection) == collection }) {
      try checkLift(slots, from: collection, base: base, author: author, seat: seat)
      return
    }
    guard type.allowsMixedSources else {
      throw Refusal(.mixedSources, rule: "mixedSources", detail: "the items lie in several collections")
    }
    var groups: [(collection: Int, slots: SlotList)] = []
    for slot in slots {
      let collection = Int(records[slot].collection)
      if let group = groups.firstIndex(where: { $0.collection == collection }) {
        groups[group].slots.append(slot)
      } else {
        groups.append((collection, [slot]))
      }
    }
    for group in groups {
      try checkLift(group.slots, from: group.collection, base: base, author: author, seat: seat)
    }
  }

  private func checkLift(
    _ slots: SlotList, from collection: Int, base: Revision, author: SessionID, seat: SeatNumber
  ) throws(Refusal) {
    let kind = kind(of: collection)
    let rule = kind.lift
    guard rule.shape != .none else { throw Refusal(.notReorderable, rule: rule.path) }
    var context = RuleContext(item: .slot(slots[0]), source: collection, sourcesCount: slots.count, seat: seat)
    for slot in slots where records[slot].isPinned {
      throw Refusal(.notReorderable, rule: rule.path, detail: "the item is pinned")
    }
    if !rule.conditions.isEmpty { try check(rule.conditions, context) }
    if !rule.each.isEmpty {
      for slot in slots {
        context.item = .slot(slot)
        try check(rule.each, context)
      }
    }
    switch rule.shape {
    case .none, .any: break
    case .top: try checkTop(slots, from: collection, rule)
    case .run: try checkRun(slots, rule, context, base: base, author: author)
    }
  }

  private func checkTop(_ slots: SlotList, from collection: Int, _ rule: LiftRule) throws(Refusal) {
    guard slots.count == 1 else {
      throw Refusal(.tooManyItems, rule: rule.path, detail: "one item at a time leaves this collection")
    }
    guard forest.last(in: root(collection)) == slots[0] else { throw Refusal(.notTop, rule: rule.path) }
  }

  private func checkRun(
    _ slots: SlotList, _ rule: LiftRule, _ context: RuleContext, base: Revision, author: SessionID
  ) throws(Refusal) {
    for position in 1..<max(1, slots.count) where forest.previous(slots[position]) != slots[position - 1] {
      throw Refusal(.notARun, rule: rule.path)
    }
    let above = forest.next(slots[slots.count - 1])
    if above >= 0 {
      let isNew = records[above].placed > base && records[above].placedBy != author
      throw Refusal(isNew ? .stackChanged : .notARun, rule: rule.path)
    }
    guard !rule.pairs.isEmpty else { return }
    var pair = context
    for position in 1..<max(1, slots.count) {
      pair.item = .slot(slots[position])
      pair.below = slots[position - 1]
      try check(rule.pairs, pair)
    }
  }
}
