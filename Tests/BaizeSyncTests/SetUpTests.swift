import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// A table with many items is set up while the others play on (I8).
@Suite struct SetUpTests {
  private static func hello(_ table: String = "t", items: Int = 50) -> ClientMessage {
    .hello(Hello(table: table, tableType: "list?items=\(items)", name: "someone"))
  }

  private static func connect(_ daemon: Daemon, _ hello: ClientMessage) -> ConnectionID {
    let connection = daemon.connect()
    daemon.receive(hello, on: connection)
    daemon.endTurn()
    return connection
  }

  @Test(arguments: [Durability.memory, .strict]) func `only the client that created the table waits for its set-up`(
    _ durability: Durability
  ) {
    let daemon = Daemon(durability: durability, setUpItemsAtOnceMax: 10)
    let maker = Self.connect(daemon, Self.hello())
    let second = Self.connect(daemon, Self.hello())
    daemon.receive(.ping(Ping(nonce: 7)), on: maker)
    let other = Self.connect(daemon, Self.hello("other", items: 10))
    #expect(daemon.setUps.map(\.table) == ["t"], "one table, however many ask for it")
    #expect(daemon.take(other).map(\.kind).first == "welcome" && daemon.take(maker).isEmpty)
    daemon.answerSetUps()
    while daemon.wantsTurn { daemon.endTurn() }
    #expect(daemon.take(maker).map(\.kind).filter { $0 != "diff" } == ["welcome", "snapshot", "pong", "seats"])
    #expect(daemon.take(second).map(\.kind).first == "welcome")
    #expect(daemon.shard.state(ofTable: "t")?.itemCount == 50 && daemon.shard.pending.isEmpty)
  }

  /// The client that requested the table has left: the next client's request counts.
  @Test func `a creator that left creates no table`() {
    let daemon = Daemon(durability: .memory, setUpItemsAtOnceMax: 10)
    let maker = Self.connect(daemon, Self.hello())
    let second = Self.connect(daemon, Self.hello(items: 20))
    daemon.lose(maker)
    daemon.answerSetUps()
    #expect(daemon.shard.tableCount == 0 && daemon.setUps.count == 1 && daemon.take(second).isEmpty)
    daemon.answerSetUps()
    #expect(daemon.take(second).map(\.kind).first == "welcome")
    #expect(daemon.shard.state(ofTable: "t")?.itemCount == 20)
    let alone = Self.connect(daemon, Self.hello("u"))
    daemon.lose(alone)
    daemon.answerSetUps()
    #expect(daemon.shard.tableCount == 1 && daemon.shard.pending.isEmpty)
  }

  /// Only the table's creator joins without an invite.
  @Test func `clients that join during the set-up need an invite`() {
    let daemon = Daemon(durability: .memory, isOpen: false, setUpItemsAtOnceMax: 10)
    let maker = Self.connect(daemon, Self.hello())
    let second = Self.connect(daemon, Self.hello())
    daemon.answerSetUps()
    #expect(daemon.take(maker).map(\.kind).first == "welcome" && daemon.take(second).map(\.kind) == ["goodbye"])
  }

  /// Tables that are being set up count towards the limits.
  @Test func `tables being set up count towards the limits`() {
    let daemon = Daemon(
      limits: SyncLimits { $0.tables.contentBytesPerShardMax = 30_000 }, durability: .memory, setUpItemsAtOnceMax: 10)
    let connections = (1...3).map { Self.connect(daemon, Self.hello("t-\($0)", items: 60)) }
    daemon.tick()
    let late = Self.connect(daemon, Self.hello("late", items: 60))
    #expect(daemon.setUps.count == 2 && daemon.take(connections[2]).map(\.kind) == ["goodbye"])
    #expect(daemon.take(late).map(\.kind) == ["goodbye"])
    daemon.lose(connections[0])
    daemon.answerSetUps()
    daemon.tick()
    let next = Self.connect(daemon, Self.hello("next", items: 60))
    daemon.answerSetUps()
    #expect(daemon.take(next).map(\.kind).first == "welcome", "a table created for nobody is discarded")
  }

  /// The disk fails when the table is set up: no client learns of a table that was not stored.
  @Test func `a full disk creates no table`() {
    let daemon = Daemon(setUpItemsAtOnceMax: 10)
    let maker = Self.connect(daemon, Self.hello())
    daemon.journal.failure = JournalError(.storage, "no space left on device")
    let other = Self.connect(daemon, Self.hello("other", items: 5))
    daemon.answerSetUps()
    daemon.endTurn()
    for connection in [maker, other] { #expect(daemon.take(connection).map(\.kind) == ["goodbye"]) }
    #expect(daemon.shard.state(ofTable: "t") == nil)
  }
}
