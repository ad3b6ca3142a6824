/// Counts with a condition: the items that they look at, and whether their faces may be read.
extension TableState {
  /// Returns the items that a count with a condition looks at; `nil` if there are too many, or if this is a replica that
  /// does not have them.
  func items(of countable: Term.Countable, _ context: RuleContext) -> [RuleContext.Judged]? {
    switch countable {
    case .sources:
      return context.newFaces.isEmpty
        ? context.sources.map { .slot($0) } : context.newFaces.map { .face($0) }
    case .source: return slots(in: context.source < 0 ? [] : [context.source])?.map { .slot($0) }
    case .destination:
      let slots = slots(in: context.destination < 0 ? [] : [context.destination])
      guard context.returningCount > 0 else { return slots?.map { .slot($0) } }
      let leaving = SlotSet(context.sources)
      return slots?.filter { !leaving.contains($0) }.map { .slot($0) }
    case .collections(let handles): return slots(in: handles.map(\.index))?.map { .slot($0) }
    case .seats: return nil
    }
  }

  private func slots(in collections: [Int]) -> [Int32]? {
    var slots: [Int32] = []
    guard collections.reduce(0, { $0 + count($1) }) <= TableLimits.countedItemsMax else { return nil }
    for collection in collections {
      var slot = forest.first(in: root(collection))
      while slot >= 0 {
        slots.append(slot)
        slot = forest.next(slot)
      }
    }
    return slots
  }

  /// Refuses a condition whose counts would read a face hidden from the author.
  func checkCounts(of condition: Condition, _ context: RuleContext) throws(Refusal) {
    let viewer = context.seat
    if condition.isBlind {
      let isUnknown = condition.predicate.counts(context, in: self) { countable, context in
        isAny(of: countable, context) { !forest.records[$0].isFaceKnown }
          || handles(of: countable, context).contains { collections[$0].hiddenCount > 0 }
      }
      if isUnknown { throw Refusal.unpredictable }
      return
    }
    let isHidden = condition.predicate.counts(context, in: self) { countable, context in
      isAny(of: countable, context) { !canSee($0, from: viewer) }
        || handles(of: countable, context).contains { count($0) > 0 && !isVisible($0, to: viewer) }
    }
    if isHidden {
      throw Refusal(.faceHidden, rule: condition.path, detail: "the rule depends on a hidden face")
    }
  }

  private func isAny(of countable: Term.Countable, _ context: RuleContext, _ isSo: (Int32) -> Bool) -> Bool {
    (items(of: countable, context) ?? []).contains { item in
      guard case .slot(let slot) = item else { return false }
      return isSo(slot)
    }
  }

  private func handles(of countable: Term.Countable, _ context: RuleContext) -> [Int] {
    switch countable {
    case .sources, .seats: []
    case .source: context.source < 0 ? [] : [context.source]
    case .destination: context.destination < 0 ? [] : [context.destination]
    case .collections(let handles): handles.map(\.index)
    }
  }
}

extension Predicate {
  /// Returns whether a count with a condition, in any part of the predicate, meets a test. `everySeat` tests its counts for
  /// each taken seat.
  fileprivate func counts(
    _ context: RuleContext, in state: TableState, _ test: (Term.Countable, RuleContext) -> Bool
  ) -> Bool {
    switch self {
    case .compare(let left, _, let right):
      return left.counts(context, in: state, test) || right.counts(context, in: state, test)
    case .oneOf(let term, _): return term.counts(context, in: state, test)
    case .faceUp, .changes: return false
    case .all(let parts), .any(let parts): return parts.contains { $0.counts(context, in: state, test) }
    case .not(let part): return part.counts(context, in: state, test)
    case .everySeat(let part):
      return state.activeSeats.contains { seat in
        var context = context
        context.seat = seat.number
        return part.counts(context, in: state, test)
      }
    }
  }
}

extension Term {
  fileprivate func counts(
    _ context: RuleContext, in state: TableState, _ test: (Countable, RuleContext) -> Bool
  ) -> Bool {
    switch self {
    case .constant, .attribute, .collection, .variable, .count: return false
    case .countWhere(let countable, _): return test(countable, context)
    case .bySeat(let terms):
      let index = Int(context.seat.rawValue) - 1
      return terms.indices.contains(index) && terms[index].counts(context, in: state, test)
    case .group(_, let term): return term.counts(context, in: state, test)
    case .sum(let terms): return terms.contains { $0.counts(context, in: state, test) }
    case .difference(let left, let right):
      return left.counts(context, in: state, test) || right.counts(context, in: state, test)
    }
  }
}
