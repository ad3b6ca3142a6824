public import BaizeSync

/// Counters of a daemon since it was started, and the number of connections and tables that it holds now.
public struct ServerStatistics: Hashable, Sendable {
  /// The number of open connections, including those that have not sent their hello yet and those that are being closed.
  public var connections = 0
  /// The number of accepted connections, including those that were rejected at once.
  public var connectionsAccepted = 0
  /// The number of connections that were rejected at once because of a connection limit.
  public var connectionsRejected = 0
  /// The tables that were deleted since nobody had used them for long.
  public var tablesExpired = 0
  /// The number of tables in memory.
  public var tables = 0
  /// The number of sessions that the tables in memory remember; at most a second old or so.
  public var sessions = 0
  /// The number of connections that have joined a table; at most a second old or so.
  public var members = 0
  /// The number of connections with so much unsent output that it is watched.
  public var backlogs = 0
  /// The numbers of operations by outcome, and of delivered diffs.
  public var operations = TurnCounts()
  /// The number of turns that had something to send.
  public var turns = 0
  /// The work of these turns, in units of a turn's budget.
  public var workUnits = 0
  /// The number of frames sent, without the diffs and outcomes that a snapshot replaced.
  public var framesSent = 0
  /// The number of frames received.
  public var framesReceived = 0
  /// The number of bytes queued for sending, including frame lengths.
  public var bytesSent = 0
  /// The number of bytes received, including frame lengths.
  public var bytesReceived = 0

  /// The memory that clients make the daemon use at present, in bytes, as far as it is counted.
  public var memoryBytes: Int { memory.total }
  /// The same by what holds it.
  public var memory = MemoryUse()
  /// For how long the oldest turn that a shard has sent to the journal has not been durable, in nanoseconds.
  public var journalLagNanoseconds: UInt64 = 0

  /// The journal's counters; all zero without a journal.
  public var journal = JournalStatistics()

  /// Creates statistics with all counters at zero.
  public init() {}

  static func += (left: inout Self, right: Self) {
    left.connections += right.connections
    left.connectionsAccepted += right.connectionsAccepted
    left.connectionsRejected += right.connectionsRejected
    left.tablesExpired += right.tablesExpired
    left.tables += right.tables
    left.sessions += right.sessions
    left.members += right.members
    left.backlogs += right.backlogs
    left.operations += right.operations
    left.turns += right.turns
    left.workUnits += right.workUnits
    left.framesSent += right.framesSent
    left.framesReceived += right.framesReceived
    left.bytesSent += right.bytesSent
    left.bytesReceived += right.bytesReceived
    left.memory += right.memory
    left.journalLagNanoseconds = max(left.journalLagNanoseconds, right.journalLagNanoseconds)
  }
}

extension ServerStatistics: CustomStringConvertible {
  /// The main counters in one line, for the log.
  public var description: String {
    "\(operations.accepted) operations accepted, \(operations.refused) refused, \(operations.retried) retried, "
      + "\(operations.deliveries) deliveries, \(operations.resumedByDiffs) sessions resumed by diffs, "
      + "\(operations.resumedBySnapshot) by a snapshot, \(operations.resynchronized) resynchronized, "
      + "\(connectionsAccepted) connections"
  }
}
