import BaizeClient
import BaizeSync
import BaizeTable
package import BaizeTransport
import BaizeWire
package import BaizeWorkload

/// Real clients that play at their tables and reconnect by themselves, with a ledger for each table of their operations and
/// the daemon's messages.
///
/// ```
/// frame ─▶ ledger: history, order ─▶ LoopClient ─▶ answers ─▶ ledger: operations
/// ```
package final class LedgerPlay {
  package let options: LedgerPlayOptions
  private let host: ClientHost
  var players: [Player] = []
  var ledgers: [Ledger] = []
  package internal(set) var counts = Counts()
  /// The revisions at which players learned that a time was up.
  var revisionsOfTimesUp: Set<TableRevision> = []
  /// The times from submit to answer since they were last taken, in nanoseconds.
  var latencies = Histogram()
  /// The faults that belong to no table's ledger.
  var faults = FaultList()
  private var isPlaying = false
  /// Whether the copies are being compared.
  private(set) var isComparing = false
  private var random: RandomSource

  struct Player {
    let table: Int
    let client: LoopClient
    var author: GeneratedAuthor
    var order = OrderCheck()
    /// The last hello that it sent.
    var hello: Hello?
    var session: SessionID?
    /// The time before which it does not act again.
    var restsUntil = Instant(nanoseconds: 0)
    /// The times at which the pending operations were submitted.
    var submitted: [SequenceNumber: UInt64] = [:]
    /// The number of the ping that asks for the final hash.
    var lastPing: UInt64?
    /// The final hash of its view at the daemon, its own, and their revision.
    var daemonHash: UInt64?
    var ownHash: UInt64?
    var endRevision = Revision.zero
  }

  struct TableRevision: Hashable {
    let table: Int
    let revision: Revision
  }

  /// Counts of reconnects, by how the daemon answered them.
  package struct Counts {
    package fileprivate(set) var reconnects = 0
    /// Resumed with only the missed diffs, and with a complete snapshot.
    package fileprivate(set) var byDiffs = 0
    package fileprivate(set) var bySnapshot = 0
    /// Welcomed with another session than before.
    package fileprivate(set) var asNewSession = 0
    package internal(set) var retries = 0

    mutating func add(_ welcome: Welcome, after session: SessionID) {
      reconnects += 1
      if session != welcome.session {
        asNewSession += 1
      } else if welcome.tableType.isEmpty {
        byDiffs += 1
      } else {
        bySnapshot += 1
      }
    }
  }

  package init(_ options: LedgerPlayOptions) throws {
    self.options = options
    random = RandomSource(seed: options.seed)
    host = try ClientHost(random: random.split())
  }

  // MARK: Steps

  /// Joins all players to their tables.
  ///
  /// - Throws: ``RunFailure`` if not everyone can join.
  package func join() throws {
    for table in 0..<options.tables {
      ledgers.append(Ledger())
      for _ in 0..<options.players { addPlayer(to: table) }
    }
    try run(for: "everyone to join") { isEveryoneLive || !faults.isEmpty }
    if let fault = faults.examples.first { throw RunFailure("not everyone can join: \(fault)") }
  }

  private func addPlayer(to table: Int) {
    let number = players.count
    var configuration = ClientConfiguration(
      table: options.tableName(table), tableType: options.tableType(table), name: "load \(number)")
    configuration.reportsChanges = false
    configuration.backoffMilliseconds = options.backoffMilliseconds
    configuration.backoffMillisecondsMax = options.backoffMillisecondsMax
    configuration.hashCheckSeconds = options.hashCheckSeconds
    let author = GeneratedAuthor(Generator(.load, marksFor: number), random: random.split())
    let client = host.join(options.endpoint, configuration, tag: number, handler: self)
    client.observer = self
    players.append(Player(table: table, client: client, author: author))
  }

  /// Lets everyone play for a while.
  package func play(seconds: Double) throws {
    beginPlaying()
    try host.run(until: MonotonicClock.now() + UInt64(seconds * 1e9))
  }

  /// Lets everyone play until a condition holds.
  ///
  /// - Throws: ``RunFailure`` when it does not hold in time.
  package func wait(seconds: Double, for what: String, until isDone: () throws -> Bool) throws {
    beginPlaying()
    try run(seconds: seconds, for: what, until: isDone)
  }

  private func run(
    seconds: Double = Double(HangGuard.seconds), for what: String, until isDone: () throws -> Bool
  ) throws {
    try waitUntil(seconds: seconds, for: what, step: { try host.turn(timeout: 5_000_000) }, isDone)
  }

  /// The number of times that players learned that a time of their table was up.
  package var timesUp: Int { revisionsOfTimesUp.count }

  package var playerCount: Int { players.count }
  package var isAnyoneLive: Bool { players.contains(where: \.client.isLive) }
  package var isEveryoneLive: Bool { players.allSatisfy(\.client.isLive) }

  package func takeLatencies() -> Histogram {
    defer { latencies = Histogram() }
    return latencies
  }

  /// Stops playing, waits for the last answers, and compares every copy and every ledger with the daemon's tables. An answer
  /// that does not arrive in time is a fault.
  ///
  /// - Parameter address: The address of the node that serves now; `nil` if there is but one daemon.
  package func finish(at address: SocketAddress? = nil) {
    isPlaying = false
    _ = try? run(seconds: options.settleSeconds, for: "the last answers") {
      isEveryoneLive && players.allSatisfy { $0.client.pendingCount == 0 }
    }
    isComparing = true
    for player in players { _ = player.client.exchangeHash() }
    _ = try? run(seconds: options.settleSeconds, for: "the hashes") { players.allSatisfy { $0.daemonHash != nil } }
    for table in ledgers.indices { close(table, at: address ?? options.address) }
  }

  private func close(_ table: Int, at address: SocketAddress) {
    do {
      let end = try Driver.readTable(options.tableName(table), at: address, seconds: options.settleSeconds)
      ledgers[table].close(
        at: end.revision, with: end.items.compactMap(MarkedItem.init), movesPerEpoch: options.movesPerEpoch)
      for (number, player) in players.enumerated() where player.table == table {
        if player.ownHash == nil || player.ownHash != player.daemonHash || player.endRevision != end.revision {
          faults.note(.diverged, "player \(number) has another table \(table) than the daemon")
        }
        if player.client.divergences > 0 {
          faults.note(.diverged, "player \(number) had to reload its table \(player.client.divergences) times")
        }
      }
    } catch {
      faults.note(.lost, "\(error)")
    }
  }

  // MARK: The result

  /// All faults so far.
  package var allFaults: FaultList { ledgers.reduce(into: faults) { $0.add($1.faults) } }
  package var submittedCount: Int { ledgers.reduce(0) { $0 + $1.operations.submittedCount } }
  package var pendingCount: Int { ledgers.reduce(0) { $0 + $1.operations.pendingCount } }
  package var verdicts: [OperationLedger.Verdict: Int] {
    ledgers.reduce(into: [:]) { $0.merge($1.operations.counts, uniquingKeysWith: +) }
  }

  // MARK: Playing

  private func beginPlaying() {
    guard !isPlaying else { return }
    isPlaying = true
    for number in players.indices { scheduleNext(number) }
  }

  /// Has a player act when it has rested, if it may have another operation in flight.
  func scheduleNext(_ number: Int) {
    let player = players[number]
    if isPlaying, player.client.pendingCount < options.window { player.client.timerDeadline = player.restsUntil }
  }

  func act(_ number: Int) {
    let client = players[number].client
    let interval = 1_000_000_000 / max(1, options.rate)
    let rest = interval / 2 + random.next(below: interval + 1)
    players[number].restsUntil = Instant(nanoseconds: client.now.nanoseconds + rest)
    guard isPlaying, client.pendingCount < options.window, let replica = client.replica else { return }
    // It loses its connection while the daemon runs: it must receive only what it missed.
    if options.operationsPerCut > 0, random.next(below: options.operationsPerCut) == 0 {
      return client.dropConnection()
    }
    let (state, last) = (replica.state, replica.lastSequence)
    guard let next = players[number].author.next(at: state, by: replica.author.seat, after: last),
      let kind = next.operation(at: state, after: last),
      let submission = client.submit(kind, sendsRefused: next.insists), let operation = submission.operation
    else { return }
    players[number].submitted[operation.sequence] = MonotonicClock.now()
    ledgers[players[number].table].operations.submitted(kind, mark: Mark(ofSubject: kind, in: state), by: number)
  }
}
