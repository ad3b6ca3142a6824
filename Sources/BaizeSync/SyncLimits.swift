/// The bounds that sessions, tables and connections are held to, with their defaults. Each has a reason of its own, by
/// which who runs into it is told (`Protocol/README.md`, "Limits").
public struct SyncLimits: Sendable {
  /// The longest frame that a client may send.
  public var frameBytesMax = 1 << 20
  /// How long a connection may take to say hello.
  public var handshakeSeconds: UInt64 = 10
  /// How often a client says something at least; one that is silent for three times that is let go.
  public var heartbeatSeconds: UInt64 = 15
  /// How long a seat is kept for a session that has lost its connection.
  public var graceSeconds: UInt64 = 60
  /// How long a session without a connection is remembered.
  public var sessionSeconds: UInt64 = 2 * 24 * 3_600
  /// How long a table is kept in memory that no one is at, where the journal has it.
  public var unloadSeconds: UInt64 = 300
  public var sessionsPerTableMax = 10_000
  public var tablesPerShardMax = 100_000
  /// How many operations a session may have unanswered; as many outcomes are remembered.
  public var pendingOperationsMax = 256
  /// Operations per second and session, as a mean; 0 for no limit.
  public var operationsPerSecondMax: UInt64 = 50_000
  /// How many operations may come at once beyond the mean.
  public var operationsBurstMax: UInt64 = 50_000
  /// Drag movements per second that are passed on for one session; what is over is left out.
  public var dragMovesPerSecondMax: UInt64 = 30
  public var itemsPerDragMax = 1_000
  /// Unsent bytes of a connection from which drag movements are left out.
  public var outboxSoftBytes = 256 << 10
  /// Unsent bytes of a connection from which diffs are left out, to be replaced by one snapshot.
  public var outboxHardBytes = 1 << 20
  /// Unsent bytes of a connection below which a snapshot is gone on with.
  public var outboxResumeBytes = 64 << 10
  /// How long a connection may leave unsent bytes unread altogether.
  public var stalledSeconds: UInt64 = 30
  /// Items and bytes, as a rough measure, in one part of a snapshot.
  public var snapshotPartItemsMax = 1_000
  public var snapshotPartBytesMax = 48 << 10
  /// Records that a table writes before its next snapshot, in bytes, unless its last snapshot was larger than that.
  public var snapshotAfterBytes = 64 << 10
  /// The last records of a table that are kept in memory, in bytes, to bring others level.
  public var logBytesMax = 256 << 10
  /// The same while someone is loading, who needs all that was recorded since the snapshot began.
  public var logBytesWhileLoadingMax = 4 << 20
  /// What a connection may send while its table is read from the journal, in bytes.
  public var waitingBytesMax = 64 << 10
  /// How long clients are asked to wait before they come back after a stop.
  public var returnMilliseconds: UInt32 = 1_000

  public init() {}
}
