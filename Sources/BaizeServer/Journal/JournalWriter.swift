import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import Synchronization

/// The owner of the journal, on a thread of its own, for all shards.
///
/// It commits in groups: everything that the shards send during one commit becomes durable by the next one, up to
/// `ServerLimits.commitBytesMax`, so that a frame waits for about one flush of the disk. A shard never waits:
///
/// ```
/// shard: turn 7 ─send▶ … turn 8 ─send▶ … turn 9 ─send▶ …        … frames of 7          … frames of 8 and 9
/// writer:       append 7, commit ────────────────────▶ committed(7) ▶ append 8, 9, commit ▶ committed(9)
/// ```
///
/// The shards bound the queue: each stops reading from its connections while more than
/// `ServerLimits.unwrittenBytesMax` of its own are not durable.
///
/// If the disk fails, every shard gets a message. Under `strict`, uncommitted turns are void, as are later ones of shards
/// that have not received the message yet, which their generation shows. Under `relaxed`, clients have received the turns
/// already, which are kept until there is room.
final class JournalWriter {
  let journal: any JournalStore
  let endpoint: JournalEndpoint
  let shards: [ShardEndpoint]
  let log: Log
  private let durability: Durability
  /// The types of each shard, so that no two shards contend for the reference counts of a shared type.
  let types: [TableTypeCompiler]
  /// The present types, if tables move to their documents when they are loaded.
  private(set) var presentTypes: TableTypeCache?
  /// The number of answers that are restored of a session.
  let answersMax: Int
  let account: MemoryAccount
  /// Read and decode tables.
  let workers: TableWorkers

  /// The turns with writes.
  private var turns: JournalTurns
  var loads = JournalLoads()
  private var failure: JournalFailure
  /// The time of the next check that the journal is still there.
  private var nextCheck: UInt64 = 0
  /// The time of the next search for tables that have expired.
  private var nextExpiry: UInt64 = 0
  private var shardsLeft: Int
  private var mail: [JournalRequest] = []
  /// The commits to report to each shard, by its index.
  private var committed: [Committed]

  private struct Committed {
    var turn: TurnNumber?
    var bytes = 0
  }

  private init(
    _ journal: any JournalStore, _ endpoint: JournalEndpoint, for shards: [ShardEndpoint], _ workers: TableWorkers,
    _ configuration: ServerConfiguration, _ account: MemoryAccount
  ) {
    self.account = account
    answersMax = configuration.limits.sessions.pendingOperationsMax
    self.workers = workers
    self.journal = journal
    self.endpoint = endpoint
    self.shards = shards
    log = configuration.log
    types = shards.map { _ in TableTypeCompiler() }
    presentTypes = configuration.migratesTables ? TableTypeCache(configuration.tableTypes) : nil
    durability = configuration.durability
    failure = JournalFailure(retryNanoseconds: configuration.journalRetryNanoseconds)
    shardsLeft = shards.count
    turns = JournalTurns(shards: shards.count)
    committed = Array(repeating: Committed(), count: shards.count)
  }

  /// Runs the body of the journal's thread, which ends after all shards.
  static func run(
    _ endpoint: JournalEndpoint, for shards: [ShardEndpoint], _ workers: TableWorkers,
    _ configuration: ServerConfiguration, _ account: MemoryAccount
  ) {
    do {
      let journal = try configuration.makeJournal()
      endpoint.opened.resolve(.success(try journal.tableCount()))
      JournalWriter(journal, endpoint, for: shards, workers, configuration, account).serve()
    } catch {
      endpoint.opened.resolve(.failure(error))
    }
    endpoint.ended.resolve(())
  }

  private func serve() {
    // At the end what is left of a long queue is committed, unless the disk fails.
    while shardsLeft > 0 || hasMoreToCommit {
      if let waitNanoseconds { endpoint.waker.wait(nanoseconds: waitNanoseconds) }
      receive()
      if isDue { commit() }
      if MonotonicClock.now() >= nextCheck { check() }
      // One table at a time, so that a commit does not wait for all requested tables.
      loadNext()
    }
    check()
    if !turns.isEmpty {
      endpoint.hasLost.store(true, ordering: .relaxed)
      log(.error, "\(turns.count) turns could not be written to the journal before the end")
    }
    log(.info, "journal: \(endpoint.statistics.withLock { $0 })")
  }

  /// The time to wait for the next message, in nanoseconds; `nil` while there is work to do.
  private var waitNanoseconds: UInt64? {
    guard loads.isEmpty, !hasMoreToCommit else { return nil }
    let now = MonotonicClock.now()
    return failure.waitNanoseconds(at: now).map { min($0, nextCheck > now ? nextCheck - now : 0) }
  }

  private var hasMoreToCommit: Bool { !turns.isEmpty && !failure.lasts }

  private var isDue: Bool {
    failure.lasts ? shardsLeft == 0 || failure.isDue(at: MonotonicClock.now()) : !turns.isEmpty
  }

  // MARK: Receiving

  private func receive() {
    endpoint.mailbox.drain(into: &mail)
    for message in mail {
      switch message {
      case .turn(let turn): receive(turn)
      case .reload(let limits, let types):
        journal.reload(limits)
        if presentTypes != nil { presentTypes = TableTypeCache(types) }
      case .left: shardsLeft -= 1
      }
    }
    mail.removeAll(keepingCapacity: true)
  }

  /// Receives a turn. One of a shard that has not received the failure yet is void; the tables that it requests can still
  /// be loaded.
  private func receive(_ turn: JournalTurn) {
    for load in turn.loads {
      loads.append(
        JournalLoads.Load(shard: turn.shard, table: load.table, bytesMax: load.bytesMax, mayMigrate: load.mayMigrate))
    }
    if turn.number != nil, turn.generation == failure.generation { turns.append(turn) }
  }

  // MARK: Committing

  private func commit() {
    guard !failure.lasts || hasRoom() else { return }
    let start = MonotonicClock.now()
    turns.formGroup(of: ServerLimits.commitBytesMax)
    do throws(JournalError) {
      if !turns.group.isEmpty {
        try journal.commit(turns.group.flatMap(\.writes))
        // Before anyone learns of the commit.
        try journal.verify()
      }
    } catch {
      fail(error)
      return
    }
    if !turns.group.isEmpty { count(MonotonicClock.now() - start) }
    release()
    if failure.lasts { recover() }
  }

  private func hasRoom() -> Bool {
    do throws(JournalError) {
      try journal.probe()
      return true
    } catch {
      failure.scheduleAttempt(after: MonotonicClock.now())
      return false
    }
  }

  /// Reports to every shard how far its turns are durable, in one message.
  private func release() {
    for turn in turns.group {
      committed[turn.shard].turn = turn.number
      committed[turn.shard].bytes += turn.bytes
    }
    turns.removeGroup()
    for (index, shard) in shards.enumerated() {
      guard let turn = committed[index].turn else { continue }
      shard.mailbox.send(.journal(.committed(turn, bytes: committed[index].bytes)))
      committed[index] = Committed()
    }
    loads.free()
  }

  private func count(_ duration: UInt64) {
    let rows = turns.group.reduce(0) { $0 + $1.writes.count }
    let bytes = turns.group.reduce(0) { $0 + $1.bytes }
    endpoint.statistics.withLock { statistics in
      statistics.commits += 1
      statistics.turns += turns.group.count
      statistics.rows += rows
      statistics.bytes += bytes
      statistics.commitDurations.record(duration)
      statistics.durations.record(nanoseconds: duration)
    }
  }

  // MARK: Checking

  /// Checks that the journal is still there. If it is not, nothing more is acknowledged.
  private func check() {
    nextCheck = MonotonicClock.now() + ServerLimits.journalCheckNanoseconds
    guard !endpoint.hasLost.load(ordering: .relaxed) else { return }
    do throws(JournalError) {
      try journal.verify()
      guard !failure.lasts else { return }
      let hasMoreToFree = try journal.tidy()
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
    let expired = try journal.expire()
    for table in expired.names {
      shards[ShardMachine.shard(ofTable: table, among: shards.count)].mailbox.send(.journal(.expired(table)))
    }
    if !expired.hasMore { nextExpiry = now + ServerLimits.expiryNanoseconds }
    return expired.hasMore
  }

  /// The time between two steps of freeing what was deleted, so that commits come between.
  private static let tidyNanoseconds: UInt64 = 20_000_000

  // MARK: Failing

  /// Handles a failed commit, and logs it once however long the failure lasts. A failure after a successful probe voids the
  /// turns again.
  private func fail(_ error: JournalError) {
    failure.scheduleAttempt(after: MonotonicClock.now())
    // Only a storage failure may end by itself; after other failures each attempt would void a turn. A row that was too large
    // is void with its turn, but under `relaxed` the turn is kept, and would fail again and again.
    let mayPass = error.kind == .storage || error.kind == .tooLarge && durability == .strict
    if !mayPass { endpoint.hasLost.store(true, ordering: .relaxed) }
    if failure.lasts, durability != .strict { return }
    if durability == .strict { voidTurns() }
    for shard in shards { shard.mailbox.send(.journal(.storageFailed(error, generation: failure.generation))) }
    if !mayPass { failure.forgoAttempts() }
    guard !failure.lasts || !mayPass else { return }
    failure.lasts = true
    let until = mayPass ? "until it can" : "any more, until the daemon is started again"
    log(.error, "the journal cannot be written, so no operation is judged \(until): \(error)")
    endpoint.statistics.withLock { statistics in
      statistics.failures += 1
      statistics.isFailing = true
    }
  }

  private func voidTurns() {
    failure.generation += 1
    turns.removeAll()
    loads.free()
  }

  private func recover() {
    failure.lasts = false
    endpoint.statistics.withLock { $0.isFailing = false }
    log(.warning, "the journal can be written again")
    for shard in shards { shard.mailbox.send(.journal(.storageRecovered)) }
  }

  /// Returns whether the writes change the table.
  func isHeld(_ table: String) -> Bool { turns.changes(table) }
}
