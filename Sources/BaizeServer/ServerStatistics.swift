public import BaizeSync

/// What a daemon has done so far and holds now.
public struct ServerStatistics: Hashable, Sendable {
  /// Open connections, those included that have not sent their hello or are being closed.
  public var connections = 0
  /// Connections that were accepted, and those of them that were turned away at once.
  public var connectionsAccepted = 0
  public var connectionsTurnedAway = 0
  public var tables = 0
  /// What became of operations, and how many diffs were delivered.
  public var operations = TurnCounts()
  /// Turns that had something to send.
  public var turns = 0
  /// Frames of all kinds, without the diffs and outcomes that a snapshot replaced.
  public var framesSent = 0
  public var framesReceived = 0
  /// As they were queued and presented, frame lengths included.
  public var bytesSent = 0
  public var bytesReceived = 0

  /// What the journal has done: all zero without one.
  public var journal = JournalStatistics()

  public init() {}

  static func += (left: inout Self, right: Self) {
    left.connections += right.connections
    left.connectionsAccepted += right.connectionsAccepted
    left.connectionsTurnedAway += right.connectionsTurnedAway
    left.tables += right.tables
    left.operations += right.operations
    left.turns += right.turns
    left.framesSent += right.framesSent
    left.framesReceived += right.framesReceived
    left.bytesSent += right.bytesSent
    left.bytesReceived += right.bytesReceived
  }
}

extension ServerStatistics: CustomStringConvertible {
  /// What came of it, for the log.
  public var description: String {
    "\(operations.accepted) operations accepted, \(operations.refused) refused, \(operations.retried) retried, "
      + "\(operations.deliveries) deliveries, \(operations.resumedByDiffs) sessions resumed by diffs, "
      + "\(operations.resumedBySnapshot) by a snapshot, \(operations.resynchronized) resynchronized, "
      + "\(connectionsAccepted) connections"
  }
}
