import BaizeTransport
import Synchronization

/// The part of a shard that other threads share: its mailbox, a copy of what it counts and measures, and its two promises.
final class ShardEndpoint: Sendable {
  let index: Int
  /// What verifies signed tokens; `nil` if none are needed.
  let tokens: TokenService?
  let waker: Waker
  let mailbox: Mailbox<ShardMessage>
  let statistics = Mutex(ServerStatistics())
  let metrics = Mutex(ShardMetrics())
  /// The time of its last turn, in monotonic nanoseconds.
  let turnedAt = Atomic(MonotonicClock.now())
  /// Whether it takes no message any more.
  let hasEnded = Atomic(false)
  /// Resolved when the shard runs, with its address if it listens, or with the error if it does not run.
  let started = Promise<Result<SocketAddress?, any Error>>()
  /// Resolved when the shard's thread is about to end.
  let ended = Promise<Void>()

  init(index: Int, tokens: TokenService? = nil) throws {
    (self.index, self.tokens) = (index, tokens)
    waker = try Waker()
    mailbox = Mailbox(waker: waker)
  }

  /// Closes the connections that were handed over to a shard that has ended.
  func closeUnclaimed() {
    var left: [ShardMessage] = []
    mailbox.drain(into: &left)
    for message in left {
      switch message {
      case .adopt(let connection, _, _, _), .secured(let connection, _): connection.close()
      case .journal, .loaded, .made, .operation, .reload, .revoked, .shutDown, .verified: break
      }
    }
  }
}
