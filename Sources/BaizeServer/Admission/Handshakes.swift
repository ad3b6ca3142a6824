import BaizeTable
import BaizeTransport
import BaizeWire

/// A shard's connections that have not sent their hello, and those that it rejects.
struct Handshakes {
  let limiter: ConnectionLimiter
  /// The reader of first frames, which are shorter than others.
  let reader: FrameReader
  /// The connections whose first frame waits for a later turn.
  private var waiting = Queue<ConnectionKey>()
  /// The number of first frames received in this turn.
  private var count = 0
  /// The number of rejected connections that are being sent their goodbye.
  private var rejectedCount = 0

  init(_ limiter: ConnectionLimiter, frameBytesMax: Int) {
    self.limiter = limiter
    reader = FrameReader(frameBytesMax: min(frameBytesMax, ServerLimits.helloBytesMax))
  }

  var hasWaiting: Bool { !waiting.isEmpty }

  /// Counts a first frame.
  ///
  /// - Returns: Whether it may be received in this turn; otherwise the connection waits.
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
  /// - Returns: The connections whose first frame may now be received.
  mutating func beginTurn() -> [ConnectionKey] {
    count = 0
    guard !waiting.isEmpty else { return [] }
    return (0..<ServerLimits.hellosPerTurnMax).compactMap { _ in waiting.popFirst() }
  }

  /// Counts a rejected connection.
  ///
  /// - Returns: Whether a goodbye may be sent to it.
  mutating func reject() -> Bool {
    rejectedCount += 1
    return rejectedCount <= ServerLimits.rejectedConnectionsMax
  }

  /// Stops counting a rejected connection, which is closed.
  mutating func rejectedClosed() { rejectedCount -= 1 }
}
