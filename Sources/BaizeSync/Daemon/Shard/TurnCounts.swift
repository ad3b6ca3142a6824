/// What was decided in one turn, for those who watch the daemon.
public struct TurnCounts: Hashable, Sendable, BitwiseCopyable {
  public var accepted = 0
  /// Of the accepted ones: how many destinations were carried forward.
  public var rebased = 0
  public var unchanged = 0
  public var refused = 0
  /// Not judged: to come again.
  public var retried = 0
  /// One diff for one connection each.
  public var deliveries = 0
  /// Replicas that asked for a snapshot because they were not what the daemon has.
  public var resynchronized = 0
  /// Sessions taken up again by the missed diffs alone, and by a snapshot.
  public var resumedByDiffs = 0
  public var resumedBySnapshot = 0

  public init() {}

  public static func += (left: inout Self, right: Self) {
    left.accepted += right.accepted
    left.rebased += right.rebased
    left.unchanged += right.unchanged
    left.refused += right.refused
    left.retried += right.retried
    left.deliveries += right.deliveries
    left.resynchronized += right.resynchronized
    left.resumedByDiffs += right.resumedByDiffs
    left.resumedBySnapshot += right.resumedBySnapshot
  }
}
