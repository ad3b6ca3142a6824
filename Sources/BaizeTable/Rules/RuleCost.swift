/// An upper bound on the work of evaluating a table type's rules, in terms that are read and comparisons.
///
/// It is computed once for each type, so that an operation's work is known before it is judged, and counting it costs
/// nothing where there are no rules.
package struct RuleCost: Hashable, Sendable, BitwiseCopyable {
  /// The work for an operation, besides that for each of its items.
  package let perOperation: Int
  /// The work for each item that an operation names.
  package let perItem: Int
  /// The maximum of either figure, so that no sum of them overflows.
  static let termsMax = 1 << 20

  /// - Parameter itemsMax: An upper bound on the number of items in each collection that a count looks at.
  init(
    kinds: [CollectionKind], actions: [Action], endings: [Ending], timeLimits: TimeLimits = TimeLimits(), seatsMax: Int,
    itemsMax: [Int]
  ) {
    let bounds = Bounds(seats: seatsMax, items: itemsMax)
    func cost(_ conditions: [Condition]) -> Int {
      conditions.reduce(0) { $0 + $1.predicate.cost(bounds) }
    }
    func cost(_ steps: [Action.Step]) -> Int { steps.reduce(0) { $0 + $1.cost(bounds) } }
    func most<Element>(_ elements: [Element], _ cost: (Element) -> Int) -> Int { elements.map(cost).max() ?? 0 }
    let drop =
      most(kinds) { cost($0.lift.conditions) + cost($0.lift.then) }
      + most(kinds) {
        cost($0.accept.conditions) + max(cost($0.accept.onEmpty), cost($0.accept.onItem)) + cost($0.accept.then)
      }
    let perform = most(actions) { action in
      action.cases.reduce(0) { $0 + $1.when.cost(bounds) }
        + most(action.cases) { cost($0.require) + cost($0.steps) }
    }
    let update = most(kinds) { cost($0.updateConditions) }
    let ending = endings.reduce(0) { $0 + $1.when.cost(bounds) }
    let attempt = most(timeLimits.all.flatMap(\.attempts)) { attempt in
      if case .steps(let steps) = attempt.effect { cost(steps) } else { 0 }
    }
    let time = timeLimits.all.reduce(0) { $0 + $1.when.cost(bounds) }
    perOperation = min(Self.termsMax, max(drop, perform, update, attempt) + ending + time)
    let dropped =
      most(kinds) { cost($0.lift.each) + cost($0.lift.pairs) }
      + most(kinds) { kind in
        cost(kind.accept.each) + cost(kind.accept.pairs)
          + kind.accept.stamps.reduce(0) { $0 + 1 + ($1.value?.cost(bounds) ?? 0) }
      }
    perItem = min(Self.termsMax, max(dropped, most(actions) { cost($0.each) }))
  }
}

extension RuleCost {
  /// Upper bounds on what rules look at.
  struct Bounds {
    let seats: Int
    /// The number of items in each collection.
    let items: [Int]

    func items(of countable: Term.Countable) -> Int {
      guard case .collections(let handles) = countable else { return TableLimits.countedItemsMax }
      return min(TableLimits.countedItemsMax, handles.reduce(0) { $0 + items[$1.index] })
    }
  }
}

extension Predicate {
  /// Returns the work of evaluating all parts.
  fileprivate func cost(_ bounds: RuleCost.Bounds) -> Int {
    switch self {
    case .compare(let left, _, let right): 1 + left.cost(bounds) + right.cost(bounds)
    case .oneOf(let term, let values): values.count + term.cost(bounds)
    case .faceUp, .changes: 1
    case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.cost(bounds) }
    case .not(let part): part.cost(bounds)
    case .everySeat(let part): bounds.seats * min(RuleCost.termsMax, part.cost(bounds))
    }
  }
}

extension Term {
  fileprivate func cost(_ bounds: RuleCost.Bounds) -> Int {
    switch self {
    case .constant: 0
    case .attribute, .collection, .variable: 1
    case .count(.collections(let handles)): handles.count
    case .count: 1
    // Without a predicate for every seat, which cannot be in it.
    case .countWhere(let countable, let predicate):
      bounds.items(of: countable) * (1 + predicate.cost(RuleCost.Bounds(seats: 1, items: [])))
    case .bySeat(let terms): terms.map { $0.cost(bounds) }.max() ?? 0
    case .group(_, let term): 1 + term.cost(bounds)
    case .sum(let terms): terms.reduce(0) { $0 + $1.cost(bounds) }
    case .difference(let left, let right): left.cost(bounds) + right.cost(bounds)
    }
  }
}

extension Action.Step {
  /// Returns the work of evaluating the terms and predicates of all parts. What a step does to items is counted by their
  /// number.
  fileprivate func cost(_ bounds: RuleCost.Bounds) -> Int {
    switch self {
    case .deal(_, _, let count): count?.cost(bounds) ?? 0
    case .set(_, let term): 1 + term.cost(bounds)
    case .shuffle, .turn, .pin, .passTurn: 0
    case .bySeat(let steps): steps.map { $0.cost(bounds) }.max() ?? 0
    case .when(let predicate, let steps):
      predicate.cost(bounds) + steps.reduce(0) { $0 + $1.cost(bounds) }
    case .acting(.everySeat, let steps):
      bounds.seats * min(RuleCost.termsMax, steps.reduce(0) { $0 + $1.cost(bounds) })
    case .acting(.seat(let term), let steps):
      term.cost(bounds) + steps.reduce(0) { $0 + $1.cost(bounds) }
    }
  }
}
