import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// The first snapshot of a large table is written over several turns, while the others play on (I8).
@Suite struct NewTableTests {
  private static func daemon() -> Daemon {
    Daemon(
      limits: SyncLimits {
        $0.tables.newTableBytesPerTurnMax = 2_000
        $0.tables.snapshotPartBytesMax = 500
      }, setUpItemsAtOnceMax: 10)
  }

  private static func join(_ daemon: Daemon, _ table: String = "t", items: Int = 500) -> ConnectionID {
    let connection = daemon.connect()
    daemon.receive(.hello(Hello(table: table, tableType: "list?items=\(items)", name: "someone")), on: connection)
    daemon.endTurn()
    return connection
  }

  private static func kinds(_ daemon: Daemon, _ connection: ConnectionID) -> [String] {
    daemon.take(connection).map(\.kind)
  }

  /// Joins the table, which is read from the journal or created, and returns its number of items.
  private static func itemsJoined(_ daemon: Daemon, items: Int) -> Int? {
    let peer = Peer(daemon, type: "list?items=\(items)")
    while peer.replica == nil, daemon.wantsTurn {
      daemon.endTurn()
      peer.receive()
    }
    return peer.replica?.state.itemCount
  }

  /// The sizes in bytes of what the turns wrote of a table's snapshots.
  private static func pieces(_ daemon: Daemon, _ writes: ArraySlice<JournalWrite>) -> Int {
    writes.reduce(0) { if case .snapshot(let part) = $1 { $0 + part.bytes.count } else { $0 } }
  }

  @Test func `a turn writes a bounded piece, and the table's players join with the last`() throws {
    let daemon = Self.daemon()
    let maker = Self.join(daemon)
    let second = Self.join(daemon)
    daemon.answerSetUps()
    var turns = 0
    while daemon.wantsTurn, turns < 100 {
      let before = daemon.committed.count
      let other = daemon.journal.table(named: "t") == nil ? Peer(daemon, table: "other-\(turns)") : nil
      daemon.endTurn()
      #expect(Self.pieces(daemon, daemon.committed[before...]) <= 2 * 2_000 + 500)
      if let other { #expect(other.replica != nil) }
      turns += 1
    }
    #expect(turns > 5 && turns < 100, "\(turns)")
    #expect(Self.kinds(daemon, maker).first == "welcome" && Self.kinds(daemon, second).first == "welcome")
    let stored = try #require(daemon.journal.table(named: "t"))
    #expect(stored.snapshot.count > 20 && stored.snapshot.map(\.number) == Array(0..<stored.snapshot.count))
    #expect(daemon.committed.filter { if case .table(let table) = $0 { table.name == "t" } else { false } }.count == 1)
    daemon.restart()
    #expect(Self.itemsJoined(daemon, items: 500) == 500)
  }

  @Test func `a piece waits for the commit of the one before`() {
    let daemon = Self.daemon()
    let maker = Self.join(daemon)
    daemon.commitsAtOnce = false
    daemon.answerSetUps()
    for _ in 1...20 { daemon.endTurn() }
    #expect(daemon.host.turns.count == 1 && !daemon.wantsTurn)
    var commits = 0
    while Self.kinds(daemon, maker).isEmpty, commits < 100 {
      daemon.commit()
      daemon.endTurn()
      commits += 1
    }
    #expect(commits > 5 && commits < 100)
  }

  @Test func `a daemon that ends in between has no such table`() {
    let daemon = Self.daemon()
    _ = Self.join(daemon)
    daemon.answerSetUps()
    daemon.endTurn()
    #expect(daemon.committed.contains { if case .snapshot = $0 { true } else { false } })
    daemon.restart()
    #expect(Self.itemsJoined(daemon, items: 7) == 7)
    daemon.restart()
    #expect(Self.itemsJoined(daemon, items: 7) == 7)
  }

  /// What is written of it is deleted, and the next client creates the table that it wants.
  @Test func `a creator that leaves in between creates no table`() {
    let daemon = Self.daemon()
    let maker = Self.join(daemon)
    daemon.answerSetUps()
    daemon.endTurn()
    daemon.lose(maker)
    while daemon.wantsTurn { daemon.endTurn() }
    #expect(daemon.committed.last == .deletion("t") && daemon.shard.tableCount == 0 && daemon.shard.pending.isEmpty)
    let next = Self.join(daemon, items: 5)
    while daemon.wantsTurn { daemon.endTurn() }
    #expect(Self.kinds(daemon, next).first == "welcome" && daemon.state.itemCount == 5)
    daemon.restart()
    #expect(Self.itemsJoined(daemon, items: 5) == 5)
  }

  @Test func `a disk that fails in between creates no table`() {
    let daemon = Self.daemon()
    let maker = Self.join(daemon)
    daemon.answerSetUps()
    daemon.endTurn()
    daemon.journal.failure = JournalError(.storage, "no space left on device")
    for _ in 1...3 { daemon.endTurn() }
    #expect(Self.kinds(daemon, maker) == ["goodbye"] && daemon.shard.tableCount == 0)
    daemon.journal.failure = nil
    daemon.recover()
    let next = Self.join(daemon, items: 300)
    daemon.answerSetUps()
    while daemon.wantsTurn { daemon.endTurn() }
    #expect(Self.kinds(daemon, next).first == "welcome" && daemon.state.itemCount == 300)
    daemon.restart()
    #expect(Self.itemsJoined(daemon, items: 300) == 300)
  }

  /// The deletion of what was written fails, too: it is written again, and the next table waits for no turn that is void.
  @Test func `I7: a disk that fails twice in between creates no table`() {
    let daemon = Self.daemon()
    _ = Self.join(daemon)
    daemon.answerSetUps()
    daemon.endTurn()
    for _ in 1...2 {
      daemon.journal.failure = JournalError(.storage, "no space left on device")
      for _ in 1...3 { daemon.endTurn() }
      #expect(daemon.committed.last != .deletion("t"))
      daemon.journal.failure = nil
      daemon.recover()
    }
    let next = Self.join(daemon, items: 300)
    daemon.answerSetUps()
    while daemon.shard.wantsTurn { daemon.endTurn() }
    #expect(daemon.committed.filter { $0 == .deletion("t") }.count == 1)
    #expect(Self.kinds(daemon, next).first == "welcome" && daemon.state.itemCount == 300)
    daemon.restart()
    #expect(Self.itemsJoined(daemon, items: 300) == 300)
  }

  /// I8: what waits to be written counts towards the shard's memory until it is written.
  @Test func `what is not written yet counts as memory`() {
    let daemon = Self.daemon()
    _ = Self.join(daemon, items: 10)
    let idle = daemon.shard.memoryUse.loading
    _ = Self.join(daemon, "large")
    daemon.commitsAtOnce = false
    daemon.answerSetUps()
    #expect(daemon.shard.memoryUse.loading - idle > 10_000)
    daemon.commitsAtOnce = true
    daemon.commit()
    while daemon.wantsTurn { daemon.endTurn() }
    #expect(daemon.shard.memoryUse.loading == idle)
  }
}
