internal import BaizeSync
internal import BaizeTable
internal import BaizeTransport

/// The owner of a journal's store, on a thread of its own, for all shards.
///
/// It commits in groups: everything that the shards send during one commit becomes durable by the next one, up to
/// `ServerLimits.commitBytesMax`, so that a frame waits for about one flush of the disk. The shards bound the queue: each stops
/// reading from its connections while more than `ServerLimits.unwrittenBytesMax` of its own are not durable.
///
/// If the disk fails, every shard gets a message. Under `strict`, turns that are not committed are void, as are later ones of
/// shards that have not received the message yet, which their generation shows. Under `relaxed` they are kept until there is
/// room. If the storage does not answer, nothing is void: the same group is committed again, unchanged, until its fate is known.
final class JournalWriter {
  private let store: any JournalStore
  private let durability: Durability
  private let retryNanoseconds: UInt64
  private let mailbox: Mailbox<Message>
  private let waker: Waker
  private let answer: (_ shard: Int, JournalAnswer) -> Void
  private let report: (JournalEvent) -> Void

  enum Message: Sendable {
    case turn(JournalTurn)
    case reload(SyncLimits.Journal)
    /// A shard has sent all its turns.
    case left
  }

  private var mail: [Message] = []
  private var shardsLeft: Int
  /// The turns with writes.
  private var turns: JournalTurns
  /// The writes of the present commit; kept for its storage.
  private var writes: [JournalWrite] = []
  /// The commits to acknowledge to each shard, by its index.
  private var committed: [(turn: TurnNumber?, bytes: Int)]
  /// The tables that were asked for, in order.
  private var loads = Queue<JournalLoad>()
  /// Those that wait until writes of the same table are durable or void.
  private var heldLoads: [JournalLoad] = []
  /// Why the storage does not accept writes now; `nil` if it does.
  private var failure: JournalError?
  private var isFailing: Bool { failure != nil }
  /// Whether the storage does not answer: the group's turns may be durable or not. The shards receive nothing then; what they may
  /// send meanwhile is bounded.
  private var isUnreachable = false
  /// Whether the shards have received a failure since the last recovery.
  private var haveShardsFailed = false
  /// Raised by every failure under `strict`, which voids the turns of earlier generations.
  private var generation = 0
  /// The time of the next attempt to write to a failed disk.
  private var nextAttempt: UInt64 = 0
  /// Whether the journal is gone or damaged.
  private var isLost = false
  /// The time of the next check that the journal is still there.
  private var nextCheck: UInt64 = 0
  /// The time of the next search for tables that have expired.
  private var nextExpiry: UInt64 = 0

  init(
    _ store: any JournalStore, _ durability: Durability, retryNanoseconds: UInt64, for shards: Int,
    _ mailbox: Mailbox<Message>, _ waker: Waker, answer: @escaping (_ shard: Int, JournalAnswer) -> Void,
    report: @escaping (JournalEvent) -> Void
  ) {
    (self.store, self.durability, self.retryNanoseconds) = (store, durability, retryNanoseconds)
    (self.mailbox, self.waker, self.answer, self.report) = (mailbox, waker, answer, report)
    shardsLeft = shards
    turns = JournalTurns(shards: shards)
    committed = Array(repeating: (nil, 0), count: shards)
  }

  /// Returns after all shards have left. What is left of a long queue is committed first, unless the disk fails.
  func serve() {
    while shardsLeft > 0 || hasMoreToCommit {
      if let waitNanoseconds { waker.wait(nanoseconds: waitNanoseconds) }
      receive()
      if isDue { commit() }
      if MonotonicClock.now() >= nextCheck { check() }
      // One table at a time, so that a commit does not wait for all requested tables.
      loadNext()
    }
    check()
    report(.ended(unwritten: turns.count))
  }

  /// The time to wait for the next message, in nanoseconds; `nil` while there is work to do.
  private var waitNanoseconds: UInt64? {
    guard loads.isEmpty, !hasMoreToCommit else { return nil }
    let now = MonotonicClock.now()
    let next = isFailing ? min(nextAttempt, nextCheck) : nextCheck
    return next > now ? next - now : 0
  }

  private var hasMoreToCommit: Bool { !turns.isEmpty && !isFailing }

  private var isDue: Bool {
    isFailing ? shardsLeft == 0 || MonotonicClock.now() >= nextAttempt : !turns.isEmpty
  }

  // MARK: Receiving

  private func receive() {
    mailbox.drain(into: &mail)
    for message in mail {
      switch message {
      case .turn(let turn): receive(turn)
      case .reload(let limits): store.reload(limits)
      case .left: shardsLeft -= 1
      }
    }
    mail.removeAll(keepingCapacity: true)
  }

  /// Receives a turn. One of a shard that has not received the failure yet is void; the tables that it asks for can still be
  /// loaded.
  private func receive(_ turn: JournalTurn) {
    for load in turn.loads { loads.append(load) }
    if turn.number != nil, turn.generation == generation { turns.append(turn) }
  }

  // MARK: Loading

  /// Answers the next request for a table, if it may be read now. Who asked for it reads it on another thread.
  private func loadNext() {
    guard let load = loads.popFirst() else { return }
    guard !turns.changes(load.table) else { return heldLoads.append(load) }
    do throws(JournalError) {
      load.answer(.success(try store.reading(tableNamed: load.table)))
    } catch {
      load.answer(.failure(error))
    }
  }

  private func freeLoads() {
    for load in heldLoads { loads.append(load) }
    heldLoads.removeAll()
  }

  // MARK: Committing

  private func commit() {
    guard !isFailing || hasRoom() else { return }
    let start = MonotonicClock.now()
    if !isUnreachable || turns.group.isEmpty { turns.formGroup(of: ServerLimits.commitBytesMax) }
    if !turns.group.isEmpty {
      do throws(JournalError) {
        try commitGroup()
      } catch {
        fail(error)
        return
      }
      let (count, bytes) = turns.group.reduce((0, 0)) { ($0.0 + $1.writes.count, $0.1 + $1.bytes) }
      report(
        .committed(
          turns: turns.group.count, writes: count, bytes: bytes, nanoseconds: MonotonicClock.now() - start))
    }
    isUnreachable = false
    acknowledge()
    if isFailing { recover() }
  }

  private func commitGroup() throws(JournalError) {
    defer { writes.removeAll(keepingCapacity: writes.count <= Self.writesKept) }
    for turn in turns.group { writes += turn.writes }
    try store.commit(writes)
    // Before anyone learns of the commit.
    try store.verify()
  }

  /// The number of writes up to which their storage is reused.
  private static let writesKept = 4096

  private func hasRoom() -> Bool {
    do throws(JournalError) {
      try store.probe()
      return true
    } catch {
      nextAttempt = MonotonicClock.now() + retryNanoseconds
      switch error.kind {
      case .storage, .unreachable: reportFailure(error, mayPass: true)
      case .cancelled, .corrupt, .leaseLost, .superseded, .tooLarge, .unusable: fail(error)
      }
      return false
    }
  }

  /// Answers to every shard how far its turns are durable, in one message.
  private func acknowledge() {
    for turn in turns.group {
      committed[turn.shard].turn = turn.number
      committed[turn.shard].bytes += turn.bytes
    }
    turns.removeGroup()
    for shard in committed.indices {
      guard let turn = committed[shard].turn else { continue }
      answer(shard, .acknowledged(turn, bytes: committed[shard].bytes))
      committed[shard] = (nil, 0)
    }
    freeLoads()
  }

  // MARK: Checking

  /// Checks that the journal is still there. If it is not, nothing more is acknowledged.
  private func check() {
    nextCheck = MonotonicClock.now() + ServerLimits.journalCheckNanoseconds
    guard !isLost else { return }
    do throws(JournalError) {
      try store.verify()
      guard !isFailing else { return }
      let hasMoreToFree = try store.tidy()
      if try expire() || hasMoreToFree { nextCheck = MonotonicClock.now() + Self.tidyNanoseconds }
    } catch {
      fail(error)
    }
  }

  /// Has the shards delete tables that have expired.
  ///
  /// - Returns: Whether there are more.
  private func expire() throws(JournalError) -> Bool {
    let now = MonotonicClock.now()
    guard shardsLeft > 0, now >= nextExpiry else { return false }
    let expired = try store.expire()
    for table in expired.names {
      answer(
        ShardMachine.shard(ofTable: table, among: committed.count), .expired(table, isDryRun: expired.isDryRun))
    }
    if !expired.hasMore { nextExpiry = now + ServerLimits.expiryNanoseconds }
    return expired.hasMore
  }

  /// The time between two steps of freeing what was deleted, so that commits come between.
  private static let tidyNanoseconds: UInt64 = 20_000_000

  // MARK: Failing

  /// Handles a failed commit, and reports it once however long the failure lasts. A failure after a successful probe voids the
  /// turns again.
  private func fail(_ error: JournalError) {
    nextAttempt = MonotonicClock.now() + retryNanoseconds
    // Only a storage failure may end by itself; after other failures each attempt would void a turn. A row that was too large
    // is void with its turn, but under `relaxed` the turn is kept, and would fail again and again.
    let mayPass = error.kind == .storage || error.kind == .tooLarge && durability == .strict
    guard error.kind != .unreachable else {
      isUnreachable = true
      return reportFailure(error, mayPass: true)
    }
    if !mayPass {
      nextAttempt = .max
      // What nobody has received is not lost.
      let isAnothers = error.kind == .superseded || error.kind == .leaseLost
      if !isLost, !isAnothers || durability != .strict { report(.lost) }
      isLost = true
    }
    // As with all reports, before anyone is answered: who receives a failure finds its reason in the log.
    reportFailure(error, mayPass: mayPass)
    if durability == .strict { voidTurns() }
    // Under `relaxed` the shards learn of it once: their turns are kept.
    if durability == .strict || !haveShardsFailed || !mayPass {
      for shard in committed.indices { answer(shard, .failed(error, generation: generation)) }
    }
    (isUnreachable, haveShardsFailed) = (false, true)
  }

  /// Reports a failure, once for as long as the reason is the same.
  private func reportFailure(_ error: JournalError, mayPass: Bool) {
    guard failure != error else { return }
    failure = error
    report(.failed(error, mayPass: mayPass))
  }

  private func voidTurns() {
    generation += 1
    turns.removeAll()
    freeLoads()
  }

  private func recover() {
    failure = nil
    report(.recovered)
    guard haveShardsFailed else { return }
    haveShardsFailed = false
    for shard in committed.indices { answer(shard, .recovered) }
  }
}
