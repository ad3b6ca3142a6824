import BaizeClient
package import BaizeSync
package import BaizeTable
import BaizeTableTypes
package import BaizeTransport
package import BaizeWire
package import BaizeWorkload

/// Real clients that play at their tables and reconnect by themselves, with a ledger for each table of their operations and
/// the daemon's messages.
///
/// ```
/// bytes in ─▶ frame ─▶ ledger: history, order ─▶ ClientMachine ─▶ answers ─▶ ledger: operations
///                                                      └─▶ bytes out
/// ```
package final class LedgerPlay: FrameHandler {
  package let connections: ConnectionSet
  package let options: LedgerPlayOptions
  package var players: [Player] = []
  package var ledgers: [Ledger] = []
  package internal(set) var counts = Counts()
  /// The revisions at which players learned that a time was up.
  package var revisionsOfTimesUp: Set<TableRevision> = []
  /// The times from submit to answer since they were last taken, in nanoseconds.
  package var latencies = Histogram()
  /// The faults that belong to no table's ledger.
  package var faults = FaultList()
  package var isPlaying = false
  package var random: RandomSource

  package struct Player {
    package let table: Int
    package var machine: ClientMachine
    package var author: GeneratedAuthor
    package var order = OrderCheck()
    package var connection: ConnectionKey?
    /// The last hello that it sent.
    package var hello: Hello?
    package var session: SessionID?
    /// The time before which it does not act again.
    package var restsUntil: UInt64 = 0
    /// The times at which the pending operations were submitted.
    package var submitted: [SequenceNumber: UInt64] = [:]
    /// The final hash of its view at the daemon, its own, and their revision.
    package var daemonHash: UInt64?
    package var ownHash: UInt64?
    package var endRevision = Revision.zero

    package var pendingCount: Int { machine.replica?.pending.count ?? 0 }
  }

  package struct TableRevision: Hashable {
    package let table: Int
    package let revision: Revision
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

    package mutating func add(_ welcome: Welcome, after session: SessionID) {
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
    connections = try ConnectionSet()
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
    configuration.backoffMilliseconds = LedgerPlayOptions.backoffMilliseconds
    configuration.backoffMillisecondsMax = LedgerPlayOptions.backoffMillisecondsMax
    configuration.hashCheckSeconds = options.hashCheckSeconds
    let author = GeneratedAuthor(Generator(.load, marksFor: number), random: random.split())
    let machine = ClientMachine(
      configuration: configuration, types: TableTypeCompiler.shared, random: random.split())
    players.append(Player(table: table, machine: machine, author: author))
    change(number) { $0.start(at: $1, into: &$2) }
  }

  /// Lets everyone play for a while.
  package func play(seconds: Double) throws {
    isPlaying = true
    try run(seconds: seconds)
  }

  /// Lets everyone play until a condition holds.
  ///
  /// - Throws: ``RunFailure`` when it does not hold in time.
  package func wait(seconds: Double, for what: String, until isDone: () throws -> Bool) throws {
    isPlaying = true
    try run(seconds: seconds, for: what, until: isDone)
  }

  /// The number of times that players learned that a time of their table was up.
  package var timesUp: Int { revisionsOfTimesUp.count }

  package var playerCount: Int { players.count }
  package var isAnyoneLive: Bool { players.contains(where: \.machine.isLive) }
  package var isEveryoneLive: Bool { players.allSatisfy(\.machine.isLive) }

  package func takeLatencies() -> Histogram {
    defer { latencies = Histogram() }
    return latencies
  }

  /// Stops playing, waits for the last answers, and compares every copy and every ledger with the daemon's tables. An answer
  /// that does not arrive in time is a fault.
  package func finish() {
    isPlaying = false
    _ = try? run(seconds: options.settleSeconds, for: "the last answers") {
      isEveryoneLive && players.allSatisfy { $0.pendingCount == 0 }
    }
    for number in players.indices where players[number].machine.isLive {
      send(.ping(Ping(nonce: Self.endNonce, wantsHash: true)), number)
    }
    _ = try? run(seconds: options.settleSeconds, for: "the hashes") { players.allSatisfy { $0.daemonHash != nil } }
    for table in ledgers.indices { close(table) }
  }

  /// Machines do not use these numbers for their own pings.
  package static let endNonce: UInt64 = 1 << 62

  private func close(_ table: Int) {
    do {
      let end = try Driver.readTable(options.tableName(table), at: options.address, seconds: options.settleSeconds)
      ledgers[table].close(
        at: end.revision, with: end.items.compactMap(MarkedItem.init), movesPerEpoch: options.movesPerEpoch)
      for (number, player) in players.enumerated() where player.table == table {
        if player.ownHash == nil || player.ownHash != player.daemonHash || player.endRevision != end.revision {
          faults.note(.diverged, "player \(number) has another table \(table) than the daemon")
        }
        if player.machine.divergences > 0 {
          faults.note(.diverged, "player \(number) had to reload its table \(player.machine.divergences) times")
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

  package func act(_ number: Int, now: UInt64) {
    guard isPlaying, now >= players[number].restsUntil, players[number].pendingCount < options.window,
      let replica = players[number].machine.replica
    else { return }
    let interval = 1_000_000_000 / max(1, options.rate)
    players[number].restsUntil = now + interval / 2 + random.next(below: interval + 1)
    if options.operationsPerCut > 0, random.next(below: options.operationsPerCut) == 0 { return cut(number) }
    let (state, last) = (replica.state, replica.lastSequence)
    guard let next = players[number].author.next(at: state, by: replica.author.seat, after: last),
      let kind = next.operation(at: state, after: last)
    else { return }
    submit(kind, sendsRefused: next.insists, mark: Mark(ofSubject: kind, in: state), number)
  }

  private func submit(_ kind: TableOperation.Kind, sendsRefused: Bool, mark: Mark?, _ number: Int) {
    var operation: TableOperation?
    change(number) { machine, now, effects in
      operation = machine.submit(kind, sendsRefused: sendsRefused, at: now, into: &effects)?.operation
    }
    guard let operation else { return }
    players[number].submitted[operation.sequence] = MonotonicClock.now()
    ledgers[players[number].table].operations.submitted(kind, mark: mark, by: number)
  }

  /// Loses a connection while the daemon runs: the player must receive only what it missed.
  private func cut(_ number: Int) {
    guard let key = players[number].connection else { return }
    connections.drop(key)
    ended(number, "cut")
  }
}
