/// The decisions of one turn, counted for the daemon's statistics.
public struct TurnCounts: Hashable, Sendable, BitwiseCopyable {
  public var accepted = 0
  /// The accepted ones whose destinations were carried forward.
  public var rebased = 0
  public var unchanged = 0
  public var refused = 0
  /// Not judged: to be sent again.
  public var retried = 0
  /// Each is one diff for one connection.
  public var deliveries = 0
  /// Replicas that requested a snapshot because they had diverged.
  public var resynchronized = 0
  /// Sessions resumed by the missed diffs alone, and by a snapshot.
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
