import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// K1–K5, C8: everything a client has received survives a crash, and pending operations take effect once.
@Suite struct RestartTests {
  private let daemon = Daemon()

  @Test(arguments: ["list?items=5", "klondike", "kanban?cards=8", "playlist", "strict", "bag"])
  func `I7: the table is restored exactly, including hidden faces, under another epoch`(type: String) throws {
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
        host.ask(.perform(action: action.name, items: [], nil), sendsRefused: true)
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

  @Test func `I3, I7: each pending operation has its effect once, whether the daemon had committed it or not`() {
    let host = Host(daemon)
    host.submit(host.move(1))
    host.submit(.remove([ItemID(rawValue: 999)]), sendsRefused: true)
    daemon.endTurn()
    daemon.commitsAtOnce = false
    host.submit(host.move(2))
    host.submit(.remove([ItemID(rawValue: 998)]), sendsRefused: true)
    daemon.endTurn()
    daemon.restart()
    host.rejoin()
    #expect(host.answers.count == 4 && host.isConverged && host.order() == [3, 4, 5, 1, 2])
    #expect(host.answers.map { $0.reason } == [nil, .unknownItem, nil, .unknownItem])
    #expect(daemon.state.revision.rawValue == 1 + 2)
    let effects = daemon.committedEntries.compactMap { entry -> UInt64? in
      if case .diff(let diff) = entry, diff.author != .daemon { diff.sequence.rawValue } else { nil }
    }
    #expect(effects == [1, 3])
  }

  @Test func `a seat is kept over a restart for the grace time, then it is free; the session is kept longer`() {
    let daemon = Daemon {
      $0.sessions.graceSeconds = 30
      $0.sessions.seatKeptSecondsMax = 0
    }
    let host = Host(daemon)
    let seat = host.machine.welcome?.seat
    daemon.restart()
    host.lose()
    let other = Peer(daemon, type: "")
    #expect(other.welcome?.seat != seat && daemon.state.seats.count == 2)
    daemon.sweep(afterSeconds: 31)
    #expect(daemon.state.seats.map(\.number) == [SeatNumber(rawValue: 2)])
    host.reconnect()
    #expect(host.isConverged && host.machine.welcome?.session.rawValue == 1)
  }

  @Test func `a credential from before a crash is good after it, and the ticket is the same`() {
    let peer = Peer(daemon)
    daemon.restart()
    let again = Peer(daemon, type: "", credential: peer.credential)
    #expect(again.session == peer.session && again.welcome?.ticket == peer.welcome?.ticket)
  }

  @Test func `a session's id is never used again, even if the session left for good`() {
    let leaver = Peer(daemon)
    let other = Peer(daemon)
    leaver.send(.goodbye(Goodbye(.leaving)))
    daemon.restart()
    #expect(Peer(daemon, type: "").session?.rawValue == 3 && other.session?.rawValue == 2)
  }

  @Test func `I7: under relaxed a crash loses uncommitted turns, and the table gets an epoch that nobody has seen`() {
    let daemon = Daemon(durability: .relaxed)
    let host = Host(daemon)
    daemon.commitsAtOnce = false
    host.ask(host.move(1))
    #expect(host.answers.count == 1 && host.order() == [2, 3, 4, 5, 1], "seen before it is durable")
    host.submit(host.move(2))
    daemon.restart()
    host.rejoin()
    #expect(host.isConverged && host.order() == [1, 3, 4, 5, 2] && host.answers.count == 2)
    #expect(host.machine.replica?.epoch.rawValue == 2)
  }

  @Test func `a daemon that stops before a new table is durable has not created it; its client creates it again`() {
    for durability in [Durability.strict, .relaxed] {
      let daemon = Daemon(durability: durability)
      daemon.commitsAtOnce = false
      let host = Host(daemon)
      #expect(host.received.isEmpty, "\(durability)")
      daemon.restart()
      host.rejoin()
      #expect(host.isConverged && host.machine.replica?.epoch.rawValue == 1)
    }
  }

  @Test func `snapshots are written part by part, and a restart needs only the records after the last`() throws {
    let daemon = Daemon {
      $0.tables.snapshotAfterBytes = 300
      $0.tables.snapshotPartItemsMax = 7
    }
    let host = Host(daemon, type: "list?items=50")
    for round in 1...250 {
      host.ask(host.move(round % 50 + 1))
    }
    let parts = daemon.committed.compactMap { if case .snapshot(let part) = $0 { part } else { nil } }
    #expect(parts.count(where: \.isLast) > 3 && parts.count > 20)
    let stored = try #require(daemon.journal.table(named: "t"))
    #expect(stored.records.count < 100 && stored.snapshot.last?.revision != .zero)
    daemon.restart()
    host.rejoin()
    #expect(host.isConverged)
  }

  @Test func `empty tables are unloaded, and loaded again`() {
    let daemon = Daemon {
      $0.tables.unloadSeconds = 10
      $0.sessions.graceSeconds = 5
    }
    let host = Host(daemon)
    let other = Host(daemon, table: "u")
    host.ask(host.move(1))
    host.lose()
    for _ in 1...20 {
      daemon.pass(seconds: 1)
      other.tick()
      daemon.tick()
      other.receive()
    }
    #expect(daemon.shard.tableCount == 1 && other.machine.isLive)
    host.reconnect()
    #expect(daemon.shard.tableCount == 2 && host.machine.isLive && host.order() == [2, 3, 4, 5, 1])
    #expect(host.machine.welcome?.session.rawValue == 1 && host.machine.replica?.epoch.rawValue == 2)
    other.ask(other.move(1))
    #expect(other.answers.count == 1)
  }

  @Test func `messages that arrive before the table is loaded wait for it, within bounds`() {
    let daemon = Daemon { $0.connections.waitingBytesMax = 100 }
    daemon.loadsAtOnce = false
    let connection = daemon.connect()
    daemon.receive(.hello(Hello(table: "t", tableType: "list?items=5")), on: connection)
    daemon.receive(.ping(Ping(nonce: 7)), on: connection)
    daemon.endTurn()
    daemon.endTurn()
    #expect(daemon.take(connection).kinds == ["welcome", "snapshot", "pong", "seats"])
    let talker = daemon.connect()
    daemon.receive(.hello(Hello(table: "u", tableType: "list?items=5")), on: talker)
    let pings = Array(repeating: ClientMessage.ping(Ping(nonce: 7)).framed(), count: 30).flatMap { $0 }
    _ = daemon.receive(stream: pings, on: talker)
    daemon.endTurn()
    daemon.endTurn()
    #expect(daemon.take(talker).kinds == ["goodbye"])
  }

  @Test func `I8: while tables load, clients that left do not wait, and frames and loads are bounded`() {
    let daemon = Daemon {
      $0.tables.tablesPerShardMax = 2
      $0.connections.waitingBytesMax = 100
    }
    daemon.loadsAtOnce = false
    for _ in 1...3 {
      let connection = daemon.connect()
      daemon.receive(.hello(Hello(table: "t", tableType: "list")), on: connection)
      daemon.lose(connection)
    }
    #expect(daemon.shard.pending["t"]?.hellos.isEmpty == true)
    let talker = daemon.connect()
    daemon.receive(.hello(Hello(table: "u", tableType: "list")), on: talker)
    _ = daemon.receive(stream: Array(repeating: 0, count: 101), on: talker)
    let late = daemon.connect(Hello(table: "v", tableType: "list"))
    #expect([talker, late].map { daemon.take($0).goodbye?.reason } == [.slow, .tooManyTables])
  }

  @Test func `a file with the highest possible session id is refused, so that no hello ends the process`() throws {
    _ = Peer(daemon)
    var stored = try #require(daemon.journal.table(named: "t"))
    var part = try StoredSnapshotPart(decoding: try #require(stored.snapshot.last).bytes)
    let session = StoredSession(
      id: SessionID(rawValue: .max), name: "", person: SessionID(rawValue: .max), credential: [], sessionName: [],
      ticket: 0)
    part.sessions.append(StoredSnapshotPart.SessionState(session: session, outcomes: RecordedOutcomes()))
    stored.snapshot[stored.snapshot.count - 1].bytes = part.encoded[...]
    #expect(throws: JournalError.self) { _ = try RestoredTable(stored, types: SimulatedTypes()) }
    part.sessions[0].session = StoredSession(
      id: SessionID(rawValue: 7), name: "", person: SessionID(rawValue: 7), credential: [], sessionName: [], ticket: 0)
    part.sessions[0].outcomes = RecordedOutcomes(after: SequenceNumber(rawValue: .max))
    stored.snapshot[stored.snapshot.count - 1].bytes = part.encoded[...]
    #expect(throws: JournalError.self) { _ = try RestoredTable(stored, types: SimulatedTypes()) }
  }
}
