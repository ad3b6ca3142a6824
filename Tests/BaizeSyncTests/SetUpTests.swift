import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// A table with many items is set up while the others play on (I8).
@Suite struct SetUpTests {
  private static func hello(_ table: String = "t", items: Int = 50) -> Hello {
    Hello(table: table, tableType: "list?items=\(items)", name: "someone")
  }

  @Test(arguments: [Durability.memory, .strict]) func `only the client that created the table waits for its set-up`(
    _ durability: Durability
  ) {
    let daemon = Daemon(durability: durability, setUpItemsAtOnceMax: 10)
    let maker = daemon.connect(Self.hello())
    let second = daemon.connect(Self.hello())
    daemon.receive(.ping(Ping(nonce: 7)), on: maker)
    let other = daemon.connect(Self.hello("other", items: 10))
    #expect(daemon.setUps.map(\.table) == ["t"], "one table, however many ask for it")
    #expect(daemon.take(other).kinds.first == "welcome" && daemon.take(maker).isEmpty)
    daemon.answerSetUps()
    while daemon.wantsTurn { daemon.endTurn() }
    #expect(daemon.take(maker).kinds.filter { $0 != "diff" } == ["welcome", "snapshot", "pong", "seats"])
    #expect(daemon.take(second).kinds.first == "welcome")
    #expect(daemon.shard.state(ofTable: "t")?.itemCount == 50 && daemon.shard.pending.isEmpty)
  }

  /// The client that requested the table has left: the next client's request counts.
  @Test func `a creator that left creates no table`() {
    let daemon = Daemon(durability: .memory, setUpItemsAtOnceMax: 10)
    let maker = daemon.connect(Self.hello())
    let second = daemon.connect(Self.hello(items: 20))
    daemon.lose(maker)
    daemon.answerSetUps()
    #expect(daemon.shard.tableCount == 0 && daemon.setUps.count == 1 && daemon.take(second).isEmpty)
    daemon.answerSetUps()
    #expect(daemon.take(second).kinds.first == "welcome")
    #expect(daemon.shard.state(ofTable: "t")?.itemCount == 20)
    let alone = daemon.connect(Self.hello("u"))
    daemon.lose(alone)
    daemon.answerSetUps()
    #expect(daemon.shard.tableCount == 1 && daemon.shard.pending.isEmpty)
  }

  /// Only the table's creator joins without an invite.
  @Test func `clients that join during the set-up need an invite`() {
    let daemon = Daemon(durability: .memory, isOpen: false, setUpItemsAtOnceMax: 10)
    let maker = daemon.connect(Self.hello())
    let second = daemon.connect(Self.hello())
    daemon.answerSetUps()
    #expect(daemon.take(maker).kinds.first == "welcome" && daemon.take(second).kinds == ["goodbye"])
  }

  /// Tables that are being set up count towards the limits.
  @Test func `tables being set up count towards the limits`() {
    let daemon = Daemon(durability: .memory, setUpItemsAtOnceMax: 10) { $0.tables.contentBytesPerShardMax = 70_000 }
    let connections = (1...3).map { daemon.connect(Self.hello("t-\($0)", items: 60)) }
    daemon.tick()
    let late = daemon.connect(Self.hello("late", items: 60))
    #expect(daemon.setUps.count == 2 && daemon.take(connections[2]).kinds == ["goodbye"])
    #expect(daemon.take(late).kinds == ["goodbye"])
    daemon.lose(connections[0])
    daemon.answerSetUps()
    daemon.tick()
    let next = daemon.connect(Self.hello("next", items: 60))
    daemon.answerSetUps()
    #expect(daemon.take(next).kinds.first == "welcome", "a table created for nobody is discarded")
  }

  /// The disk fails when the table is set up: no client learns of a table that was not stored.
  @Test func `a full disk creates no table`() {
    let daemon = Daemon(setUpItemsAtOnceMax: 10)
    let maker = daemon.connect(Self.hello())
    daemon.fillDisk()
    let other = daemon.connect(Self.hello("other", items: 5))
    daemon.answerSetUps()
    daemon.endTurn()
    for connection in [maker, other] { #expect(daemon.take(connection).kinds == ["goodbye"]) }
    #expect(daemon.shard.state(ofTable: "t") == nil)
  }
}
