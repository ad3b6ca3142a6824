import BaizeTable
import BaizeTransport
import BaizeWire

/// A shard's connections that have not sent their hello, and those that it rejects.
struct Handshakes {
  let limiter: ConnectionLimiter
  /// For first frames, which are shorter than others.
  let reader: FrameReader
  /// Connections whose first frame waits for a later turn.
  private var waiting = Queue<ConnectionKey>()
  /// The number of first frames that this turn has looked at.
  private var count = 0
  /// The number of connections that are being sent why they were rejected.
  private var rejectedCount = 0

  init(_ limiter: ConnectionLimiter, frameBytesMax: Int) {
    self.limiter = limiter
    reader = FrameReader(frameBytesMax: min(frameBytesMax, ServerLimits.helloBytesMax))
  }

  var hasWaiting: Bool { !waiting.isEmpty }

  /// Counts a first frame.
  ///
  /// - Returns: Whether this turn may look at it; otherwise the connection waits.
  mutating func begin(_ connection: ConnectionKey) -> Bool {
    guard count < ServerLimits.hellosPerTurnMax else {
      waiting.append(connection)
      return false
    }
    count += 1
    return true
  }

  /// Begins a turn.
  ///
  /// - Returns: The connections whose turn has come.
  mutating func beginTurn() -> [ConnectionKey] {
    count = 0
    guard !waiting.isEmpty else { return [] }
    return (0..<ServerLimits.hellosPerTurnMax).compactMap { _ in waiting.popFirst() }
  }

  /// Counts a connection that is rejected.
  ///
  /// - Returns: Whether it can be sent the reason.
  mutating func reject() -> Bool {
    rejectedCount += 1
    return rejectedCount <= ServerLimits.rejectedConnectionsMax
  }

  /// A rejected connection is closed.
  mutating func rejectedClosed() { rejectedCount -= 1 }
}
