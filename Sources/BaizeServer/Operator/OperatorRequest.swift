import BaizeSync
import BaizeTable
import BaizeTransport
import Synchronization

/// An operator's request to a shard.
struct OperatorRequest: Sendable {
  enum Action: Sendable {
    /// Summaries of tables in memory, behind so many others.
    case list(from: Int)
    /// The accounts of the addresses that take the most.
    case accounts
    case summary(table: String)
    case state(table: String)
    /// An invite for spectators.
    case invite(table: String)
    case kick(SeatNumber, table: String)
    case close(table: String)
    /// - Parameter isStored: Whether the journal has the table, if it is not in memory.
    case delete(table: String, isStored: Bool)
    /// - Parameter isStored: As for `delete`.
    case migrate(table: String, endsSessions: Bool, isStored: Bool = true)
    /// Has the journal keep a document of what is revoked of signed tokens. Any shard can.
    case keepRevocations([UInt8])
  }

  let action: Action
  /// Receives the answer, on the shard's thread. Nothing is answered if the shard ends before.
  let answer: @Sendable (OperatorAnswer) -> Void
}

enum OperatorAnswer: Sendable {
  case tables([LiveTable])
  case accounts([PeerLoad])
  case state(LiveTable, TableState)
  case invite(String)
  /// It is carried out, and durable.
  case done
  /// There was nothing to do.
  case unchanged
  case refused(ShardMachine.OperatorRefusal)
}

/// The answer to an operator's request, for which a thread waits that serves no table.
final class OperatorReply<Answer: Sendable>: Sendable {
  private let waker: Waker
  private let answer = Mutex<Answer?>(nil)

  private var stepNanoseconds: UInt64 { 50_000_000 }

  init() throws { waker = try Waker() }

  /// Provides the answer. The first one counts.
  func resolve(_ answer: Answer) {
    self.answer.withLock { present in if present == nil { present = answer } }
    waker.wake()
  }

  /// Waits for the answer; `nil` if there is none in time, or none is to be expected.
  func wait(nanoseconds: UInt64, unless isHopeless: () -> Bool) -> Answer? {
    let end = MonotonicClock.now() + nanoseconds
    while true {
      if let answer = answer.withLock({ $0 }) { return answer }
      let now = MonotonicClock.now()
      guard now < end, !isHopeless() else { return nil }
      waker.wait(nanoseconds: min(end - now, stepNanoseconds))
    }
  }
}

extension OperatorRequest.Action {
  /// Whether it also concerns tables that are only in the journal.
  var looksInJournal: Bool {
    switch self {
    case .delete, .migrate: true
    case .list, .accounts, .summary, .state, .invite, .kick, .close, .keepRevocations: false
    }
  }
}
