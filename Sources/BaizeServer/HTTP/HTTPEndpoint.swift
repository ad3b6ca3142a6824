import BaizeTransport

/// The part of an HTTP service that other threads share.
final class HTTPEndpoint: Sendable {
  /// A message from another thread.
  enum Message: Sendable {
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
}
