/// The receiver of a loop's events: a shard, the client's loop, a relay.
///
/// Every callback is made by ``EventLoop/turn(_:timeout:)``, on the loop's own thread, and never from within a call
/// that the handler makes: `close` within `received` returns before `closed` is called. A callback may call anything on
/// the loop except `turn` and `run`.
///
/// Order within a turn: what the selector reported (`accepted`, `received`, `connected`, `woken`), what follows from it
/// (`received` for adopted or resumed connections, `closed`, `connectFailed`), `turnEnded`, then one write per
/// connection, then what follows from that (`drained`, `closed`).
public protocol EventLoopHandler: AnyObject {
  /// Handles a new connection of a peer.
  func accepted(_ connection: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey)

  /// Handles bytes that have arrived: those that were not consumed the last time, then the new ones.
  ///
  /// - Parameter bytes: At least one byte; valid until the return.
  /// - Returns: The number of bytes consumed, from the front. The others are kept and presented again before the next.
  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int

  /// Handles a peer's connection on which TLS has been established (``EventLoop/secure(_:_:for:)``). What has arrived with the
  /// end of the handshake is presented next.
  func secured(_ connection: ConnectionKey)

  /// Handles an outgoing connection that is established, with TLS if it has it.
  func connected(_ connection: ConnectionKey)

  /// Handles an outgoing connection that could not be established. Its key is invalid, and `closed` is not called.
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError)

  /// Handles the end of a connection, which was some turns ago if many ended at once. Called exactly once for each that
  /// was accepted, adopted or connected and not detached, for one that the handler closed while it was connecting, and for one
  /// on which TLS could not be established.
  func closed(_ connection: ConnectionKey, _ reason: CloseReason)

  /// Handles a queue that had backed up, or for which the handler had requested this, and that has shrunk to the
  /// low-water mark.
  ///
  /// - Parameter pendingBytes: The number of bytes still queued, at most the mark.
  func drained(_ connection: ConnectionKey, pendingBytes: Int)

  /// Handles a use of the waker: a mailbox has messages and must be drained now.
  func woken()

  /// Handles a lack of descriptors: the listener pauses for ``TransportLimits/acceptPauseNanoseconds``.
  func acceptPaused(_ listener: ListenerKey, _ error: SystemError)

  /// Handles the end of the turn: every event of it was delivered. Bytes queued until the return are sent in this turn.
  ///
  /// - Parameter now: The time in monotonic nanoseconds. Deadlines up to it are due.
  func turnEnded(now: UInt64)

  /// The time at which the loop makes a turn even without an event, in monotonic nanoseconds; `nil` for never.
  var nextDeadline: UInt64? { get }
}

extension EventLoopHandler {
  public func secured(_ connection: ConnectionKey) {}
}
