import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// The first snapshot of a large table is written over several turns, while the others play on (I8).
@Suite struct NewTableTests {
  private static func daemon() -> Daemon {
    Daemon(setUpItemsAtOnceMax: 10) {
      $0.tables.newTableBytesPerTurnMax = 2_000
      $0.tables.snapshotPartBytesMax = 500
    }
  }

  private static func join(_ daemon: Daemon, _ table: String = "t", items: Int = 500) -> ConnectionID {
    let connection = daemon.connect(Hello(table: table, tableType: "list?items=\(items)", name: "someone"))
    return connection
  }

  /// A daemon that has written a part of a new table, and the connection that waits for it.
  private static func making() -> (Daemon, ConnectionID) {
    let daemon = daemon()
    let maker = join(daemon)
    daemon.answerSetUps()
    daemon.endTurn()
    return (daemon, maker)
  }

  private static func kinds(_ daemon: Daemon, _ connection: ConnectionID) -> [String] {
    daemon.take(connection).kinds
  }

  /// Joins the table after a restart, when it is read from the journal or created with so many items.
  private static func expectAfterRestart(_ daemon: Daemon, items: Int) {
    daemon.restart()
    let peer = Peer(daemon, type: "list?items=\(items)")
    while peer.replica == nil, daemon.wantsTurn {
      daemon.endTurn()
      peer.receive()
    }
    #expect(peer.replica?.state.itemCount == items)
  }

  /// Joins the table again, which is made and kept.
  private static func expectMade(_ daemon: Daemon, items: Int) {
    let next = join(daemon, items: items)
    daemon.answerSetUps()
    while daemon.wantsTurn { daemon.endTurn() }
    #expect(kinds(daemon, next).first == "welcome" && daemon.state.itemCount == items)
    expectAfterRestart(daemon, items: items)
  }

  /// The sizes in bytes of what the turns wrote of a table's snapshots.
  private static func pieces(_ daemon: Daemon, _ writes: ArraySlice<JournalWrite>) -> Int {
    writes.compactMap(\.part).reduce(0) { $0 + $1.bytes.count }
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
    #expect(daemon.committed.count { $0.definition?.name == "t" } == 1)
    Self.expectAfterRestart(daemon, items: 500)
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
    let (daemon, _) = Self.making()
    #expect(daemon.committed.contains { $0.part != nil })
    Self.expectAfterRestart(daemon, items: 7)
    Self.expectAfterRestart(daemon, items: 7)
  }

  /// What is written of it is deleted, and the next client creates the table that it wants.
  @Test func `a creator that leaves in between creates no table`() {
    let (daemon, maker) = Self.making()
    daemon.lose(maker)
    while daemon.wantsTurn { daemon.endTurn() }
    #expect(daemon.committed.last == .deletion("t") && daemon.shard.tableCount == 0 && daemon.shard.pending.isEmpty)
    Self.expectMade(daemon, items: 5)
  }

  @Test func `a disk that fails in between creates no table`() {
    let (daemon, maker) = Self.making()
    daemon.fillDisk()
    for _ in 1...3 { daemon.endTurn() }
    #expect(Self.kinds(daemon, maker) == ["goodbye"] && daemon.shard.tableCount == 0)
    daemon.recover()
    Self.expectMade(daemon, items: 300)
  }

  /// The deletion of what was written fails, too: it is written again, and the next table waits for no turn that is void.
  @Test func `I7: a disk that fails twice in between creates no table`() {
    let (daemon, _) = Self.making()
    for _ in 1...2 {
      daemon.fillDisk()
      for _ in 1...3 { daemon.endTurn() }
      #expect(daemon.committed.last != .deletion("t"))
      daemon.recover()
    }
    Self.expectMade(daemon, items: 300)
    #expect(daemon.committed.filter { $0 == .deletion("t") }.count == 1)
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
