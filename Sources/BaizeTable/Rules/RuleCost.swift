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

  init(kinds: [CollectionKind], actions: [Action], endings: [Ending], seatsMax: Int) {
    func cost(_ conditions: [Condition]) -> Int {
      conditions.reduce(0) { $0 + $1.predicate.cost(seats: seatsMax) }
    }
    func cost(_ steps: [Action.Step]) -> Int { steps.reduce(0) { $0 + $1.cost(seats: seatsMax) } }
    func most<Element>(_ elements: [Element], _ cost: (Element) -> Int) -> Int { elements.map(cost).max() ?? 0 }
    let drop =
      most(kinds) { cost($0.lift.conditions) + cost($0.lift.then) }
      + most(kinds) {
        cost($0.accept.conditions) + max(cost($0.accept.onEmpty), cost($0.accept.onItem)) + cost($0.accept.then)
      }
    let perform = most(actions) { action in
      action.cases.reduce(0) { $0 + $1.when.cost(seats: seatsMax) }
        + most(action.cases) { cost($0.require) + cost($0.steps) }
    }
    let update = most(kinds) { cost($0.updateConditions) }
    let ending = endings.reduce(0) { $0 + $1.when.cost(seats: seatsMax) }
    perOperation = min(Self.termsMax, max(drop, perform, update) + ending)
    let dropped =
      most(kinds) { cost($0.lift.each) + cost($0.lift.pairs) }
      + most(kinds) { kind in
        cost(kind.accept.each) + cost(kind.accept.pairs)
          + kind.accept.stamps.reduce(0) { $0 + 1 + ($1.value?.cost ?? 0) }
      }
    perItem = min(Self.termsMax, max(dropped, most(actions) { cost($0.each) }))
  }
}

extension Predicate {
  /// The work of evaluating all parts.
  fileprivate func cost(seats: Int) -> Int {
    switch self {
    case .compare(let left, _, let right): 1 + left.cost + right.cost
    case .oneOf(let term, let values): values.count + term.cost
    case .faceUp, .changes: 1
    case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.cost(seats: seats) }
    case .not(let part): part.cost(seats: seats)
    case .everySeat(let part): seats * min(RuleCost.termsMax, part.cost(seats: seats))
    }
  }
}

extension Term {
  fileprivate var cost: Int {
    switch self {
    case .constant: 0
    case .attribute, .collection, .variable: 1
    case .count(.collections(let handles)): handles.count
    case .count: 1
    // Without a predicate for every seat, which cannot be in it.
    case .countWhere(_, let predicate): TableLimits.countedItemsMax * (1 + predicate.cost(seats: 1))
    case .own(let terms): terms.map(\.cost).max() ?? 0
    case .group(_, let term): 1 + term.cost
    case .sum(let terms): terms.reduce(0) { $0 + $1.cost }
    case .difference(let left, let right): left.cost + right.cost
    }
  }
}

extension Action.Step {
  /// The work of evaluating the terms and predicates of all parts.
  fileprivate func cost(seats: Int) -> Int {
    switch self {
    case .deal(_, _, let count): 1 + (count?.cost ?? 0)
    case .set(_, let term): 1 + term.cost
    case .shuffle, .turn, .pin, .passTurn: 1
    case .own(let steps): steps.map { $0.cost(seats: seats) }.max() ?? 0
    case .when(let predicate, let steps):
      predicate.cost(seats: seats) + steps.reduce(0) { $0 + $1.cost(seats: seats) }
    case .acting(.everySeat, let steps):
      seats * min(RuleCost.termsMax, steps.reduce(0) { $0 + $1.cost(seats: seats) })
    case .acting(.seat(let term), let steps):
      term.cost + steps.reduce(0) { $0 + $1.cost(seats: seats) }
    }
  }
}
