/// The reason why a connection has ended.
public enum CloseReason: Equatable, Sendable {
  /// The handler closed it, and the kernel accepted everything that was queued before `close(afterFlush: true)`.
  case requested
  /// The peer closed it regularly.
  case peerClosed
  /// It broke: the peer reset it or is no longer reachable.
  case failed(SystemError)
  /// It was not secure: TLS could not be established, or failed later.
  case insecure(TLSFailure)
  /// The handler left more bytes unconsumed than the loop allows.
  case leftoverTooLong(bytes: Int)
  /// More bytes were queued than the loop allows, since the peer did not read them.
  case queueTooLong(bytes: Int)
  /// The handler closed it, and the peer did not read everything that was queued in time.
  case flushTimedOut(unsentBytes: Int)
}
