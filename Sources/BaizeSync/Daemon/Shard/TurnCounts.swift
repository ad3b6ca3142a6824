/// The decisions of one turn, counted for the daemon's statistics.
public struct TurnCounts: Hashable, Sendable, BitwiseCopyable {
  /// The number of accepted operations.
  public var accepted = 0
  /// The number of accepted operations whose destinations were rebased.
  public var rebased = 0
  /// The number of accepted operations that landed where they were not dropped, or only in part.
  public var redirected = 0
  /// The number of operations that changed nothing.
  public var unchanged = 0
  /// The number of refused operations.
  public var refused = 0
  /// The number of operations that were not judged, and have to be sent again.
  public var retried = 0
  /// The number of deliveries: one diff for one connection each.
  public var deliveries = 0
  /// The number of snapshots requested because a replica had diverged.
  public var resynchronized = 0
  /// The number of sessions resumed by the missed diffs alone.
  public var resumedByDiffs = 0
  /// The number of sessions resumed by a snapshot.
  public var resumedBySnapshot = 0

  /// The number of snapshots sent.
  public var snapshots = 0

  public init() {}

  public static func += (left: inout Self, right: Self) {
    left.accepted += right.accepted
    left.rebased += right.rebased
    left.redirected += right.redirected
    left.unchanged += right.unchanged
    left.refused += right.refused
    left.retried += right.retried
    left.deliveries += right.deliveries
    left.resynchronized += right.resynchronized
    left.resumedByDiffs += right.resumedByDiffs
    left.resumedBySnapshot += right.resumedBySnapshot
    left.snapshots += right.snapshots
  }
}
