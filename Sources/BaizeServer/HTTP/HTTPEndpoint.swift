import BaizeTransport

/// The part of an HTTP service that other threads share.
final class HTTPEndpoint: Sendable {
  /// A message from another thread.
  enum Message: Sendable {
    /// A new connection, with TLS.
    case secured(DetachedConnection, peer: SocketAddress)
    /// Close everything and end the thread.
    case shutDown
  }

  let waker: Waker
  let mailbox: Mailbox<Message>
  /// Resolved with the address when the service listens, or with the error if it does not.
  let started = Promise<Result<SocketAddress, any Error>>()
  /// Resolved when the thread is about to end.
  let ended = Promise<Void>()

  init() throws {
    waker = try Waker()
    mailbox = Mailbox(waker: waker)
  }

  /// Closes the connections that were handed over to a service that has ended.
  func closeUnclaimed() {
    var left: [Message] = []
    mailbox.drain(into: &left)
    for case .secured(let connection, _) in left { connection.close() }
  }
}
