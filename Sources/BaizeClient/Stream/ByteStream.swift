/// A connection over a transport other than the loop's own TCP, such as TLS, a WebSocket or an in-memory pair.
///
/// A stream is one connection: it is opened once, and each attempt to connect uses a new one. The loop calls the stream
/// on its own thread; the stream answers on any thread through the ``ByteStreamListener`` it was opened with:
///
/// ```
/// open ──▶ opened ──▶ (receive ──▶ received)… ──▶ closed
///     └───────────────────────────────────────▶ closed
/// ```
public protocol ByteStream: Sendable {
  /// Starts to connect. The stream answers with `opened`, or with `closed` if it cannot connect.
  ///
  /// - Parameter listener: Receives the stream's events.
  func open(_ listener: ByteStreamListener)
  /// Requests more bytes. The stream answers with one `received` or with `closed`. The loop waits for the answer before
  /// it requests more, so a stream never buffers more than one piece for a busy loop.
  func receive()
  /// Sends bytes after those sent before.
  ///
  /// - Parameter bytes: Complete frames. The loop calls `send` at most once per turn.
  func send(_ bytes: [UInt8])
  /// Closes the connection once everything is sent. The stream need not report `closed`.
  func close()
}

/// Reports the events of a ``ByteStream`` to its loop, from any thread. Reports after the end are ignored.
public struct ByteStreamListener: Sendable {
  let send: @Sendable (StreamEvent) -> Void

  /// Reports that the connection is established.
  public func opened() { send(.opened) }
  /// Reports received bytes, as the answer to one `receive`.
  ///
  /// - Parameter bytes: The bytes; may be empty.
  public func received(_ bytes: [UInt8]) { send(.received(bytes)) }
  /// Reports that the connection is closed or could not be established.
  ///
  /// - Parameter reason: A sentence for people.
  public func closed(reason: String) { send(.closed(reason)) }
}

enum StreamEvent: Sendable {
  case opened
  case received([UInt8])
  case closed(String)
}
