import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// No way into a turn is unbounded (I8, I11): frames and connections that have waited for a table are handled like others.
@Suite struct BoundedTurnTests {
  private let daemon = Daemon()

  private static let itemCount = TableLimits.itemsPerOperationMax

  /// A connection that waits for its table sends so many large operations meanwhile.
  @Test(arguments: [false, true])
  func `I11: frames that arrive while a table is loaded or made are received as far as each turn's budget allows`(
    isMade: Bool
  ) {
    let daemon = Daemon(durability: isMade ? .memory : .strict, setUpItemsAtOnceMax: isMade ? 0 : .max) {
      $0.sessions.operationsPerSecondMax = 0
    }
    daemon.loadsAtOnce = false
    let connection = daemon.connect()
    daemon.receive(.hello(Hello(table: "t", tableType: "list?items=\(Self.itemCount)")), on: connection)
    let items = ItemList((1...UInt64(Self.itemCount)).map { ItemID(rawValue: $0) })
    let list = CollectionHandle(rawValue: 1)
    var rest = (1...16).flatMap { number in
      ClientMessage.operation(
        TableOperation(
          sequence: SequenceNumber(rawValue: number), base: .zero, epoch: Epoch(rawValue: 1), unanswered: 0,
          kind: .reorder(ReorderDifference(sources: items, destination: .end(of: list)), suggested: []))
      ).framed()
    }[...]
    let early = daemon.receive(stream: Array(rest), on: connection)
    #expect(early.isWaiting && early.bytes == 0, "the host keeps them, and reads no further")
    if isMade {
      daemon.endTurn()
      #expect(daemon.setUps.count == 1)
      for setUp in daemon.setUps { daemon.host.shard.made(setUp.table, setUp.make(), at: daemon.now) }
    } else {
      for name in daemon.host.shard.endTurn().loads { daemon.host.shard.loaded(name, .success(nil), at: daemon.now) }
    }
    #expect(daemon.host.shard.takeResumed() == [connection])
    var turns = 0
    while !rest.isEmpty, turns < 100 {
      turns += 1
      let received = daemon.receive(stream: Array(rest), on: connection)
      #expect(received.frames <= 4 && !received.isWaiting)
      rest = rest.dropFirst(received.bytes)
      daemon.endTurn()
    }
    #expect(rest.isEmpty && turns >= 4)
  }

  @Test(arguments: [false, true])
  func `I11: clients that wait for a table are admitted, or rejected, a few in each turn`(isUnreadable: Bool) {
    _ = Peer(daemon, type: "list?items=5")
    daemon.restart()
    daemon.loadsAtOnce = false
    if isUnreadable { daemon.unreadable = ["t"] }
    let count = 200
    let all = (1...count).map { _ in
      let id = daemon.connect()
      daemon.receive(.hello(Hello(table: "t", role: .spectator)), on: id)
      return id
    }
    var answered = Set<ConnectionID>()
    var turns = 0
    repeat {
      turns += 1
      daemon.endTurn()
      let new = all.filter { !answered.contains($0) && !daemon.take($0).isEmpty }
      #expect(new.count <= 1 + ServerLimits.turnWorkMax / ServerLimits.admissionWork)
      answered.formUnion(new)
    } while answered.count < count && turns < 200
    #expect(answered.count == count && daemon.shard.pending.isEmpty)
    #expect(turns > count * ServerLimits.admissionWork / ServerLimits.turnWorkMax)
  }

  /// Ten tables are loaded; one of them has many more waiting connections than the others.
  @Test func `I11: many who wait for one table do not delay those of another`() {
    for table in ["many", "few"] { _ = Peer(daemon, table: table) }
    daemon.restart()
    daemon.loadsAtOnce = false
    func join(_ table: String) -> ConnectionID {
      let id = daemon.connect()
      daemon.receive(.hello(Hello(table: table, role: .spectator)), on: id)
      return id
    }
    for _ in 1...200 { _ = join("many") }
    let last = join("few")
    for _ in 1...3 { daemon.endTurn() }
    #expect(daemon.take(last).kinds.first == "welcome")
    #expect(daemon.shard.pending["many"] != nil)
  }

  /// A daemon whose table is loaded again after a turn that a full disk made void, and the table's members.
  private static func loadedAgain(spectators count: Int) -> (Daemon, spectators: [Peer], author: Peer) {
    let daemon = Daemon()
    let peers = (1...count).map { _ in Peer(daemon, role: .spectator) }
    let author = Peer(daemon)
    daemon.fillDisk()
    author.ask(author.move(3, before: 1))
    daemon.recover()
    return (daemon, peers, author)
  }

  @Test func `I11: the members of a table that is loaded again are readmitted a few in each turn`() {
    let count = 100
    let (daemon, peers, author) = Self.loadedAgain(spectators: count)
    var turns = 0
    while turns < 100, daemon.wantsTurn || turns < 2 {
      turns += 1
      daemon.endTurn()
    }
    #expect(turns > count * ServerLimits.admissionWork / ServerLimits.turnWorkMax)
    #expect(daemon.table.room.members.count == count + 1 && daemon.shard.pending.isEmpty)
    for peer in peers + [author] { #expect(peer.catchUp()) }
  }

  /// A session continues on a new connection before its old one is readmitted.
  @Test func `a session that reconnects while the members of its table are readmitted has one connection`() throws {
    let (daemon, peers, _) = Self.loadedAgain(spectators: 100)
    let last = try #require(peers.last)
    daemon.endTurn()
    #expect(daemon.shard.pending.hasReady)
    let old = last.connection
    last.reconnect(role: .spectator)
    while daemon.wantsTurn { daemon.endTurn() }
    #expect(daemon.take(old).goodbye?.reason == .displaced && daemon.closed.contains(old))
    last.receive()
    #expect(last.isConverged && daemon.table.room.members.count == 101)
  }

  /// The client has given the earlier one up, which the daemon does not know yet.
  @Test func `I3: of two connections of a session that wait for a table the later one stays`() {
    let peer = Peer(daemon, type: "list?items=5")
    daemon.restart()
    daemon.loadsAtOnce = false
    for _ in 1...40 { daemon.receive(.hello(Hello(table: "t", role: .spectator)), on: daemon.connect()) }
    peer.reconnect()
    let early = peer.connection
    daemon.endTurn()
    #expect(daemon.shard.pending.hasReady)
    peer.reconnect()
    while daemon.wantsTurn { daemon.endTurn() }
    #expect(daemon.take(early).goodbye?.reason == .displaced)
    #expect(peer.catchUp())
  }

  @Test func `a frame that the turn has no budget for is not decoded`() throws {
    let daemon = Daemon(durability: .memory) { $0.sessions.operationsPerSecondMax = 0 }
    let peer = Peer(daemon)
    // More than the table's share, and not a message.
    let invalid = [UInt8](repeating: 255, count: ServerLimits.tableWorkMax * TurnBudget.bytesPerUnit + 64)
    var writer = ByteWriter()
    writer.varint(UInt64(invalid.count))
    let frame = writer.withUnsafeBytes { Array($0) } + invalid
    daemon.host.shard.budget.charge(ServerLimits.turnWorkMax)
    #expect(daemon.receive(stream: frame, on: peer.connection).isDeferred)
    daemon.endTurn()
    #expect(!daemon.receive(stream: frame, on: peer.connection).isDeferred)
    daemon.endTurn()
    #expect(daemon.take(peer.connection).goodbye?.reason == .malformed)
  }
}
