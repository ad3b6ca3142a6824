/// Why a connection has ended.
public enum CloseReason: Equatable, Sendable {
  /// The handler asked for it, and everything it had queued before `close(afterFlush: true)` was handed to the kernel.
  case requested
  /// The peer ended it in good order.
  case peerClosed
  /// The kernel gave up on it: the peer reset it, or it could not be reached any more.
  case failed(SystemError)
  /// The handler left more bytes unconsumed than the loop allows.
  case leftoverTooLong(bytes: Int)
  /// The handler asked for it, and the peer did not take what was queued in time.
  case flushTimedOut(unsentBytes: Int)
}
