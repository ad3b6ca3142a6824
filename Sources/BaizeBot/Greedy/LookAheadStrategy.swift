import BaizeSync
import BaizeTable

/// The general part of greedy play: tries the proposed operations on a copy of the replica, by the daemon's own rules, and
/// submits the one that is worth most.
struct LookAheadStrategy: Strategy {
  private var scoring: any GameScoring
  /// The operations that the daemon has refused at a revision.
  private var refused: Set<TableOperation.Kind> = []
  private var refusedAt = Revision.zero

  init(_ scoring: any GameScoring) { self.scoring = scoring }

  mutating func observe(_ replica: Replica) { scoring.observe(SeatView(replica)) }

  mutating func next(at replica: Replica, random: inout RandomSource) -> Decision {
    if let conclusion = replica.state.conclusion { return .done(conclusion) }
    // What is drawn or turned over is visible only with the daemon's answer.
    guard replica.pending.isEmpty, replica.author.seat != .spectator else { return .wait }
    if refusedAt != replica.confirmedRevision { (refused, refusedAt) = ([], replica.confirmedRevision) }
    let view = SeatView(replica)
    scoring.observe(view)
    guard let kind = best(at: replica, view, &random) else { return isWaiting(at: view) ? .wait : .done(.stuck) }
    scoring.chose(kind, at: view)
    return .submit(kind)
  }

  mutating func received(_ answer: Answer, to kind: TableOperation.Kind) {
    if case .refused = answer { refused.insert(kind) }
  }

  /// Returns the operation that is worth most, by chance one of several; `nil` if none is worth anything.
  private func best(
    at replica: Replica, _ view: SeatView, _ random: inout RandomSource
  ) -> TableOperation.Kind? {
    var (best, most) = ([TableOperation.Kind](), 0.0)
    for kind in scoring.proposals(at: view) where !refused.contains(kind) {
      guard let candidate = Self.tried(kind, at: replica), let worth = scoring.worth(of: candidate, at: view),
        worth > 0, worth >= most
      else { continue }
      if worth > most { best = [] }
      (best, most) = (best + [kind], worth)
    }
    return best.isEmpty ? nil : best[Int(random.next(below: UInt64(best.count)))]
  }

  /// Returns an operation with its result; `nil` if the rules refuse it, or it would change nothing.
  private static func tried(_ kind: TableOperation.Kind, at replica: Replica) -> Candidate? {
    var copy = replica
    copy.reportsChanges = false
    let submission = copy.submit(kind)
    guard submission.operation != nil else { return nil }
    switch submission.prediction {
    case .shown: return Candidate(kind: kind, after: SeatView(copy))
    case .unknown: return Candidate(kind: kind, after: nil)
    case .unchanged, .refused: return nil
    }
  }

  private func isWaiting(at view: SeatView) -> Bool {
    if let turn = view.state.seatToMove, turn != view.seat { return true }
    return scoring.isWaiting(at: view)
  }
}
