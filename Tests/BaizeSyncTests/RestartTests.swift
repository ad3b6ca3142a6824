import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// K1–K5, C8: everything a client has received survives a crash, and pending operations take effect once.
@Suite struct RestartTests {
  /// I7: the table is restored exactly, including hidden faces, under another epoch.
  @Test(arguments: ["list?items=5", "klondike", "kanban?cards=8", "playlist", "strict", "bag"])
  func tablesAreRestored(type: String) throws {
    let daemon = Daemon()
    let host = Host(daemon, type: type)
    for handle in daemon.state.handles {
      for item in daemon.state.itemIDs(in: handle) {
        for target in daemon.state.handles {
          let difference = ReorderDifference(sources: [item], destination: .end(of: target))
          host.submit(.reorder(difference, suggested: []), sendsRefused: true)
        }
        host.receive()
      }
    }
    for action in daemon.state.type.actions where action.items != .subject {
      for _ in 1...60 {
        host.submit(.perform(action: action.name, items: [], nil), sendsRefused: true)
        host.receive()
      }
    }
    let before = daemon.state
    #expect(before.revision.rawValue > 1 && host.isConverged)
    daemon.restart()
    host.rejoin()
    #expect(host.isConverged && host.machine.replica?.epoch.rawValue == 2)
    var (old, new) = (before, daemon.state)
    #expect(old.viewHash() == new.viewHash() && old.revision == new.revision)
    for handle in before.handles {
      #expect(old.items(in: handle, from: 0, limit: .max) == new.items(in: handle, from: 0, limit: .max))
    }
    #expect(old.nextID < new.nextID, "no id comes back that anyone may have seen")
  }

  /// I3, I7: operations whose answers were lost with the daemon are answered as they were; those that it had not committed
  /// are judged again; each has its effect once.
  @Test func pendingOperationsHaveTheirEffectOnce() {
    let daemon = Daemon()
    let host = Host(daemon)
    host.submit(host.move(1))
    host.submit(.remove([ItemID(rawValue: 999)]), sendsRefused: true)
    daemon.endTurn()
    daemon.commitsAtOnce = false
    host.submit(host.move(2))
    host.submit(.remove([ItemID(rawValue: 998)]), sendsRefused: true)
    daemon.endTurn()
    daemon.restart()
    daemon.commitsAtOnce = true
    host.rejoin()
    #expect(host.answers.count == 4 && host.isConverged && host.order() == [3, 4, 5, 1, 2])
    #expect(host.answers.map { $0.reason } == [nil, .unknownItem, nil, .unknownItem])
    #expect(daemon.state.revision.rawValue == 1 + 2)
    let effects = daemon.committedEntries.compactMap { entry -> UInt64? in
      if case .diff(let diff) = entry, diff.author != .daemon { diff.sequence.rawValue } else { nil }
    }
    #expect(effects == [1, 3])
  }

  /// The items of an operation whose answer was lost are known to later operations, also in another epoch.
  @Test func idsOfNewItemsAreKnownAfterARestart() {
    let daemon = Daemon()
    let host = Host(daemon)
    let first = CollectionHandle(rawValue: 1)
    host.submit(.insert([NewItem(attributes: [Attribute("number", 9)])], .end(of: first)))
    daemon.endTurn()
    daemon.restart()
    host.lose()
    let made = ItemID.provisional(operation: SequenceNumber(rawValue: 1), number: 0)
    host.submit(.move([made], to: .before(host.item(1), in: first)))
    host.reconnect()
    #expect(host.answers.count == 2 && host.order() == [9, 1, 2, 3, 4, 5] && host.isConverged)
  }

  /// A seat is kept over a restart for the grace time, then it is free; the session is kept longer.
  @Test func seatsAreKeptForTheGraceTime() {
    var limits = SyncLimits()
    limits.graceSeconds = 30
    let daemon = Daemon(limits: limits)
    let host = Host(daemon)
    let seat = host.machine.welcome?.seat
    daemon.restart(limits: limits)
    host.lose()
    let other = Peer(daemon, type: "")
    #expect(other.welcome?.seat != seat && daemon.state.seats.count == 2)
    daemon.sweep(afterSeconds: 31)
    #expect(daemon.state.seats.map(\.number) == [SeatNumber(rawValue: 2)])
    host.reconnect()
    #expect(host.isConverged && host.machine.welcome?.session.rawValue == 1)
  }

  /// A token from before a crash is valid after it; a void one stays void.
  @Test func tokensSurviveTheProcess() {
    let daemon = Daemon()
    let peer = Peer(daemon)
    let void = peer.welcome?.resumeToken ?? []
    peer.reconnect()
    peer.send(.ping(Ping(nonce: 1)))
    let valid = peer.welcome?.resumeToken ?? []
    daemon.restart()
    #expect(Peer(daemon, type: "", token: void).goodbye?.reason == .tokenInvalid)
    #expect(Peer(daemon, type: "", token: valid).session == peer.session)
  }

  /// A session's id is never used again, even if the session left for good.
  @Test func sessionsAreNewAfterARestart() {
    let daemon = Daemon()
    let leaver = Peer(daemon)
    let other = Peer(daemon)
    leaver.send(.goodbye(Goodbye(.leaving)))
    daemon.restart()
    #expect(Peer(daemon, type: "").session?.rawValue == 3 && other.session?.rawValue == 2)
  }

  /// I7: under `relaxed`, a crash loses uncommitted turns; the table is restored under an epoch that nobody has seen.
  @Test func aCrashUnderRelaxedLosesTheTail() {
    let daemon = Daemon(durability: .relaxed)
    let host = Host(daemon)
    daemon.commitsAtOnce = false
    host.submit(host.move(1))
    host.receive()
    #expect(host.answers.count == 1 && host.order() == [2, 3, 4, 5, 1], "seen before it is durable")
    host.submit(host.move(2))
    daemon.restart()
    daemon.commitsAtOnce = true
    host.rejoin()
    #expect(host.isConverged && host.order() == [1, 3, 4, 5, 2] && host.answers.count == 2)
    #expect(host.machine.replica?.epoch.rawValue == 2)
  }

  /// A daemon that stops before a new table is durable has not created it; its client creates it again.
  @Test func aTableIsDurableBeforeItsWelcome() {
    for durability in [Durability.strict, .relaxed] {
      let daemon = Daemon(durability: durability)
      daemon.commitsAtOnce = false
      let host = Host(daemon)
      #expect(host.received.isEmpty, "\(durability)")
      daemon.restart()
      daemon.commitsAtOnce = true
      host.rejoin()
      #expect(host.isConverged && host.machine.replica?.epoch.rawValue == 1)
    }
  }

  /// Snapshots are written regularly, in parts between the records; a restart needs only the records after the last.
  @Test func aRestartReadsOnlyRecordsAfterTheLastSnapshot() throws {
    var limits = SyncLimits()
    limits.snapshotAfterBytes = 300
    limits.snapshotPartItemsMax = 7
    let daemon = Daemon(limits: limits)
    let host = Host(daemon, type: "list?items=50")
    for round in 1...250 {
      host.submit(host.move(round % 50 + 1))
      host.receive()
    }
    let parts = daemon.committed.compactMap { if case .snapshot(let part) = $0 { part } else { nil } }
    #expect(parts.count(where: \.isLast) > 3 && parts.count > 20)
    let stored = try #require(daemon.journal.table(named: "t"))
    #expect(stored.records.count < 100 && stored.snapshot.last?.revision != .zero)
    daemon.restart(limits: limits)
    host.rejoin()
    #expect(host.isConverged)
  }

  /// Empty tables are unloaded, and loaded again.
  @Test func idleTablesUnload() {
    var limits = SyncLimits()
    limits.unloadSeconds = 10
    limits.graceSeconds = 5
    let daemon = Daemon(limits: limits)
    let host = Host(daemon)
    let other = Host(daemon, table: "u")
    host.submit(host.move(1))
    host.receive()
    host.lose()
    for _ in 1...20 {
      daemon.pass(seconds: 1)
      other.handle { $0.tick(at: daemon.now, into: &$1) }
      daemon.tick()
      other.receive()
    }
    #expect(daemon.shard.tableCount == 1 && other.machine.isLive)
    host.reconnect()
    #expect(daemon.shard.tableCount == 2 && host.machine.isLive && host.order() == [2, 3, 4, 5, 1])
    #expect(host.machine.welcome?.session.rawValue == 1 && host.machine.replica?.epoch.rawValue == 2)
    other.submit(other.move(1))
    other.receive()
    #expect(other.answers.count == 1)
  }

  /// Messages that arrive before the table is loaded wait for it, within bounds.
  @Test func framesWaitForTheTable() {
    let daemon = Daemon(limits: SyncLimits { $0.waitingBytesMax = 100 })
    daemon.loadsAtOnce = false
    let connection = daemon.connect()
    daemon.receive(.hello(Hello(table: "t", tableType: "list?items=5")), on: connection)
    daemon.receive(.ping(Ping(nonce: 7)), on: connection)
    daemon.endTurn()
    daemon.endTurn()
    #expect(daemon.take(connection).map(\.kind) == ["welcome", "snapshot", "pong", "seats"])
    let talker = daemon.connect()
    daemon.receive(.hello(Hello(table: "u", tableType: "list?items=5")), on: talker)
    for _ in 1...30 { daemon.receive(.ping(Ping(nonce: 7)), on: talker) }
    daemon.endTurn()
    daemon.endTurn()
    #expect(daemon.take(talker).map(\.kind) == ["goodbye"])
  }

  /// I8: a client that leaves while its table is loaded does not wait on, empty frames are counted, too, and the number of
  /// loads is bounded.
  @Test func waitingFramesAreBounded() {
    var limits = SyncLimits()
    limits.tablesPerShardMax = 2
    limits.waitingBytesMax = 100
    let daemon = Daemon(limits: limits)
    daemon.loadsAtOnce = false
    for _ in 1...3 {
      let connection = daemon.connect()
      daemon.receive(.hello(Hello(table: "t", tableType: "list")), on: connection)
      daemon.lose(connection)
    }
    #expect(daemon.shard.pending["t"]?.hellos.isEmpty == true)
    let talker = daemon.connect()
    daemon.receive(.hello(Hello(table: "u", tableType: "list")), on: talker)
    for _ in 1...10 { daemon.receive(bytes: [], on: talker) }
    let late = daemon.connect()
    daemon.receive(.hello(Hello(table: "v", tableType: "list")), on: late)
    daemon.endTurn()
    let reasons = [talker, late].map { id in
      daemon.take(id).compactMap { if case .goodbye(let goodbye) = $0 { goodbye.reason } else { nil } }
    }
    #expect(reasons == [[.slow], [.tooManyTables]])
  }

  /// A file with the highest possible session id is refused, so that no hello ends the process.
  @Test func numbersWithoutASuccessorAreRefused() throws {
    let daemon = Daemon()
    _ = Peer(daemon)
    var stored = try #require(daemon.journal.table(named: "t"))
    var part = try StoredSnapshotPart(decoding: try #require(stored.snapshot.last).bytes)
    let session = StoredSession(
      id: SessionID(rawValue: .max), name: "", token: Array(repeating: 255, count: 24), previousToken: [])
    part.sessions.append(StoredSnapshotPart.SessionState(session: session, outcomes: RecordedOutcomes()))
    stored.snapshot[stored.snapshot.count - 1].bytes = part.encoded[...]
    #expect(throws: JournalError.self) { _ = try RestoredTable(stored, types: SimulatedTypes()) }
    part.sessions[0].session = StoredSession(id: SessionID(rawValue: 7), name: "", token: [], previousToken: [])
    part.sessions[0].outcomes = RecordedOutcomes(after: SequenceNumber(rawValue: .max))
    stored.snapshot[stored.snapshot.count - 1].bytes = part.encoded[...]
    #expect(throws: JournalError.self) { _ = try RestoredTable(stored, types: SimulatedTypes()) }
  }
}
