/// A violation of a property.
package enum PositionViolation: String, CaseIterable, Sendable {
  /// What the rules do not keep (see the cases).
  package static let known: Set = [Self.orderBehindOther, .returnedRuns]

  /// What an author saw on one side of its gap, and nobody else has touched since, is on the other.
  case order
  /// The same, but the author had a pending operation whose verdict was not the one that was shown.
  case orderBehindOther = "order behind a wrong prediction"
  /// An item stands inside another's run that its author did not see on both sides.
  case runs
  /// The same, but only since an undo has put back something that was vacant already when the item was dropped: N4 does not count
  /// that.
  case returnedRuns = "runs after undo"
  /// It made a difference whether others took something away before or after a drop.
  case away
  /// An answer as predicted changed what was shown.
  case prediction
  /// What others did changed on which side of what its author saw a pending block was shown, though it was judged as predicted.
  case sides
  /// With nothing in flight, a client shows another order than the authority.
  case convergence
  /// Diffs describe another order than the authority's.
  case diffs
  /// The model judged otherwise than the table.
  case agreement
}

/// What happened in worlds.
package struct PositionCounts: Sendable {
  var worlds = 0
  /// The drops that were judged and accepted where their authors wanted them.
  var drops = 0
  /// The runs that writers typed, and of which at least two items stand at the end.
  var runs = 0
  /// Those that stand in their order, with nothing of others between.
  var runsAsIntended = 0
  /// Those that stand in another order.
  var runsOutOfOrder = 0
  /// The pairs of operations that were exchanged.
  var exchanged = 0
  /// The answers to own operations, those that changed what was shown though the operation was judged as predicted, those that
  /// did behind one that was not (refused, redirected or to be sent again), and those that were not as predicted themselves.
  var ownAnswers = 0
  var changing = 0
  var changingBehindOther = 0
  var changingUnexpected = 0
  /// The own drops that were shown on another side of something that their author saw, after a diff of another's.
  var flipped = 0
  /// The answers that were not as predicted, those to operations that are to be sent again among them.
  var unexpected = 0
  var retries = 0
  /// The first difference between the model and the table.
  var disagreement: String?
  /// The worlds with a violation, and the seed of the first.
  package var violations: [PositionViolation: (worlds: Int, firstSeed: UInt64)] = [:]

  package static func += (sum: inout Self, more: Self) {
    sum.worlds += more.worlds
    sum.drops += more.drops
    sum.runs += more.runs
    sum.runsAsIntended += more.runsAsIntended
    sum.runsOutOfOrder += more.runsOutOfOrder
    sum.exchanged += more.exchanged
    sum.ownAnswers += more.ownAnswers
    sum.changing += more.changing
    sum.changingBehindOther += more.changingBehindOther
    sum.changingUnexpected += more.changingUnexpected
    sum.flipped += more.flipped
    sum.unexpected += more.unexpected
    sum.retries += more.retries
    sum.disagreement = sum.disagreement ?? more.disagreement
    sum.violations.merge(more.violations) { ($0.worlds + $1.worlds, $0.firstSeed) }
  }
}
