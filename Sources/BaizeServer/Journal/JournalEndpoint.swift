import BaizeSync
import BaizeTransport
import Synchronization

/// The part of the journal's writer that other threads share: its mailbox, its statistics and its two promises.
final class JournalEndpoint: Sendable {
  let waker: Waker
  let mailbox: Mailbox<JournalRequest>
  let statistics = Mutex(JournalStatistics())
  /// Whether something that was committed or sent is lost: the daemon must not end as if all were well.
  let hasLost = Atomic(false)
  /// Resolved with the number of tables in the journal when it is open, or when it cannot be opened.
  let opened = Promise<Result<Int, any Error>>()
  /// Resolved when everything is durable, the journal is closed, and the thread is about to end.
  let ended = Promise<Void>()

  init() throws {
    waker = try Waker()
    mailbox = Mailbox(waker: waker)
  }
}
