/// A connection's bytes over something that is not the loop's own TCP: TLS, a WebSocket, a pair in memory.
///
/// One stream is one connection: it is opened once, and for the next attempt another is made. The loop calls from its
/// own thread; the stream answers from any, through the ``ByteStreamListener`` that it was opened with:
///
/// ```
/// open ──▶ opened ──▶ (receive ──▶ received)… ──▶ closed
///     └───────────────────────────────────────▶ closed
/// ```
public protocol ByteStream: Sendable {
  /// Begins to connect. The listener hears `opened`, or `closed` if it does not come about.
  func open(_ listener: ByteStreamListener)
  /// Asks for more bytes: answered by one `received` or by `closed`. Nobody asks again before the answer, so that a
  /// stream never holds more than one piece for a loop that is busy.
  func receive()
  /// Sends bytes behind those before: whole frames, at most one call in a turn of the loop.
  func send(_ bytes: [UInt8])
  /// Ends the connection once everything is sent. The listener need not hear of it.
  func close()
}

/// What a ``ByteStream`` tells its loop, from any thread. It may be kept and copied; what comes after the end is ignored.
public struct ByteStreamListener: Sendable {
  let tell: @Sendable (StreamEvent) -> Void

  /// The connection stands.
  public func opened() { tell(.opened) }
  /// Bytes have come: the answer to one `receive`. An empty array is an answer too.
  public func received(_ bytes: [UInt8]) { tell(.received(bytes)) }
  /// The connection is gone or did not come about.
  ///
  /// - Parameter why: A sentence for people.
  public func closed(why: String) { tell(.closed(why)) }
}

enum StreamEvent: Sendable {
  case opened
  case received([UInt8])
  case closed(String)
}
