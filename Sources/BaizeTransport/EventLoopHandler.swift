/// What a loop reports, and to whom: a shard, the client's loop, a relay.
///
/// Every callback comes from `EventLoop.turn`, on the loop's own thread, and never from within a call that the handler
/// makes: `close` in the middle of `received` returns before `closed` is heard. Any callback may call anything on the
/// loop except `turn` and `run`.
///
/// Order within a turn: what the selector reported (`accepted`, `received`, `connected`, `woken`), what follows from it
/// (`received` for adopted or resumed connections, `closed`, `connectFailed`), `turnEnded`, then one write per
/// connection, then what follows from that (`drained`, `closed`).
public protocol EventLoopHandler: AnyObject {
  /// A peer has connected.
  func accepted(_ connection: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey)

  /// Bytes have come: first those that were not consumed the last time, then the new ones.
  ///
  /// - Parameter bytes: at least one; valid until the return.
  /// - Returns: how many were consumed, from the front. The rest is kept and comes again, in front of the next.
  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int

  /// An outgoing connection stands.
  func connected(_ connection: ConnectionKey)

  /// An outgoing connection did not come about. The key is gone, and `closed` will not be heard.
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError)

  /// The connection is gone; where many go at once, some turns ago. Heard exactly once for each that was accepted, adopted
  /// or connected and not detached, and for one that the handler closed while it was connecting.
  func closed(_ connection: ConnectionKey, _ reason: CloseReason)

  /// The queue had backed up, or the handler had asked, and it has fallen to the mark.
  ///
  /// - Parameter pendingBytes: what is still queued, at most the mark.
  func drained(_ connection: ConnectionKey, pendingBytes: Int)

  /// The waker was used: there is something in a mailbox, which must be drained now.
  func woken()

  /// There are no descriptors left: the listener rests for `TransportLimits.acceptPauseNanoseconds`.
  func acceptPaused(_ listener: ListenerKey, _ error: SystemError)

  /// Everything that was ready has been heard. What is appended until the return goes out in this turn.
  ///
  /// - Parameter now: monotonic nanoseconds. Deadlines that are not later are due.
  func turnEnded(now: UInt64)

  /// When the loop should make a turn even if nothing happens, in monotonic nanoseconds; `nil` for never.
  var nextDeadline: UInt64? { get }
}
