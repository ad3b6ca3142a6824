import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// The share of each table and connection in a turn (I11).
@Suite struct FairTurnTests {
  @Test func `a share covers light work, the pool what exceeds it, and debts are paid in later turns`() {
    var budget = TurnBudget()
    var (light, heavy) = (WorkShare(), WorkShare())
    #expect(budget.admits(ServerLimits.tableWorkMax, &light) && !budget.isExhausted)
    let operation = ServerLimits.turnWorkMax - 1
    #expect(budget.admits(operation, &heavy) && budget.admits(operation, &heavy), "one beyond the pool")
    #expect(budget.isExhausted && !budget.admits(operation, &heavy))
    #expect(!budget.admits(1, &light), "the share is used up as well")
    #expect(budget.admits(1, &heavy), "its own share is not")
    budget.renew()
    #expect(budget.admits(ServerLimits.tableWorkMax, &light))
    #expect(budget.admits(operation, &heavy), "there was a rest of one turn")
    budget.charge(beyond: 1, 3 * ServerLimits.turnWorkMax)
    budget.renew()
    #expect(!budget.admits(operation, &heavy) && budget.admits(1, &heavy) && budget.admits(1, &light))
  }

  /// Two tables: at one a client sends many operations on all of its items at once, at the other one on a single item.
  @Test func `operations on many items wait for later turns without delaying other tables`() throws {
    let daemon = Daemon(limits: SyncLimits { $0.sessions.operationsPerSecondMax = 0 }, durability: .memory)
    let heavy = Peer(daemon, table: "heavy", type: "list?items=\(TableLimits.itemsPerOperationMax)")
    let light = Peer(daemon, table: "light", type: "list?items=2")
    let many = Self.reorder(heavy, count: TableLimits.itemsPerOperationMax)
    let heavyBytes = (1...16).flatMap { heavy.forged($0, base: 1, many).framed() }
    let lightBytes = light.forged(1, base: 1, Self.reorder(light, count: 1)).framed()
    var rest = heavyBytes[...]
    let framesMax = (ServerLimits.tableWorkMax + ServerLimits.turnWorkMax) / TableLimits.itemsPerOperationMax + 1
    var turns = 0
    while !rest.isEmpty {
      turns += 1
      let received = daemon.receive(stream: Array(rest), on: heavy.connection)
      #expect(received.frames <= framesMax && received.isDeferred == (received.bytes < rest.count))
      rest = rest.dropFirst(received.bytes)
      if turns == 1 {
        let other = daemon.receive(stream: lightBytes, on: light.connection)
        #expect(other.frames == 1 && !other.isDeferred)
      }
      daemon.endTurn()
    }
    #expect(turns >= 16 / framesMax)
    #expect(daemon.counts.accepted + daemon.counts.unchanged == 17)
  }

  /// Short operations on a large item fill each turn.
  @Test func `a full turn has room for a few frames of a quiet table`() throws {
    let daemon = Daemon(limits: SyncLimits { $0.sessions.operationsPerSecondMax = 0 }, durability: .memory)
    let busy = Peer(daemon, table: "busy", type: "list?items=1")
    let quiet = Peer(daemon, table: "quiet", type: "list?items=2")
    let item = try #require(daemon.shard.state(ofTable: "busy")?.itemIDs(in: CollectionHandle(rawValue: 1)).first)
    let text = String(repeating: "x", count: WireLimits.attributeTextBytesMax)
    let large = (0..<14).map { Attribute("text-\($0)", text) }
    busy.send(busy.forged(1, base: 1, .update(item, attributes: large, representations: [])))
    var pins = (2...400).flatMap { number in
      busy.forged(number, base: 1, .perform(action: number % 2 == 0 ? "pin" : "unpin", items: [item], nil)).framed()
    }[...]
    func fill() {
      let received = daemon.receive(stream: Array(pins), on: busy.connection)
      #expect(received.isDeferred && daemon.shard.countsSoFar.accepted > 0)
      pins = pins.dropFirst(received.bytes)
    }
    let ping = ClientMessage.ping(Ping(nonce: 1)).framed()
    func isReceived(_ frame: [UInt8], from peer: Peer) -> Bool {
      !daemon.receive(stream: frame, on: peer.connection).isDeferred
    }
    let move = try #require(quiet.submit(Self.reorder(quiet, count: 1))?.operation)
    fill()
    #expect(isReceived(ClientMessage.operation(move).framed(), from: quiet))
    for _ in 1..<ServerLimits.quietFramesPerTableMax { #expect(isReceived(ping, from: quiet)) }
    #expect(!isReceived(ping, from: quiet) && !isReceived(ping, from: busy))
    daemon.endTurn()
    fill()
    #expect(!isReceived(ping, from: quiet), "a frame of it had to wait: it takes its turn among the others")
    daemon.endTurn()
    #expect(isReceived(ping, from: quiet))
    fill()
    daemon.endTurn()
    fill()
    #expect(isReceived(ping, from: quiet), "none waits any more")
    daemon.endTurn()
    quiet.receive()
    #expect(quiet.pongs.count == ServerLimits.quietFramesPerTableMax + 1 && quiet.answers.count == 1)
  }

  @Test func `the room for quiet tables is bounded in frames, in the size of each, and in what they add`() {
    var reserve = QuietReserve()
    var shares = Array(repeating: QuietShare(), count: ServerLimits.quietFramesMax)
    #expect(!reserve.admits(ServerLimits.quietFrameBytesMax + 1, at: 100, &shares[0], in: 0))
    #expect(!reserve.admits(1, at: 100 + ServerLimits.quietBytesMax, &shares[0], in: 0))
    var admitted = 0
    for _ in 0..<2 * ServerLimits.quietFramesPerTableMax {
      for index in shares.indices where reserve.admits(1, at: 101, &shares[index], in: 0) { admitted += 1 }
    }
    #expect(admitted == ServerLimits.quietFramesMax)
    reserve.renew()
    #expect(reserve.admits(1, at: 100 + ServerLimits.quietBytesMax, &shares[0], in: 1))
    shares[0].noteDeferral(in: 1)
    #expect(!shares[0].take(in: 2) && shares[0].take(in: 3))
  }

  /// The document of a new table's type is compiled for the hello that creates the table.
  @Test(arguments: [false, true])
  func `compiling a table's type is counted as work`(isCompiled: Bool) {
    var shard = ShardMachine(types: SlowTypes(isCompiled: isCompiled), random: RandomSource(seed: 1))
    let connection = ConnectionID(slot: 0, generation: 1)
    let now = Instant(nanoseconds: 1_000_000_000)
    shard.connected(connection, at: now)
    shard.budget.charge(ServerLimits.turnWorkMax - ServerLimits.compilationWork)
    let hello = ClientMessage.hello(Hello(table: "t", tableType: "list?items=3")).framed()
    _ = hello.withUnsafeBytes { shard.receive($0, FrameReader(), on: connection, at: now) }
    #expect(shard.tableCount == 1 && shard.budget.isExhausted == !isCompiled)
  }

  private struct SlowTypes: TableTypeSource {
    let isCompiled: Bool

    func tableType(named text: String) throws(TableTypeFailure) -> TableType {
      try SimulatedTypes().tableType(named: text)
    }

    func isCompiled(_ text: String) -> Bool { isCompiled }
  }

  /// As many moves of one item as a turn has room for, by a table's share and by the pool.
  @Test(arguments: ["list?items=9", "klondike", "speed"])
  func `the rules of a table are counted as work`(type: String) throws {
    let daemon = Daemon(limits: SyncLimits { $0.sessions.operationsPerSecondMax = 0 }, durability: .memory)
    let peer = Peer(daemon, type: type)
    let rules = try #require(daemon.shard.tables.all.first).share.moveRules
    #expect((rules > 0) == (type != "list?items=9"))
    let moves = (1...1_000).flatMap { peer.forged($0, base: 0, Self.reorder(peer, count: 1)).framed() }
    let received = daemon.receive(stream: moves, on: peer.connection)
    let work = TurnBudget.moveWork + rules
    let expected = ServerLimits.tableWorkMax / work + (ServerLimits.turnWorkMax + work - 1) / work
    #expect(received.frames == expected && received.isDeferred)
  }

  /// The first hash of a list computes that of each node of its order.
  @Test(arguments: [false, true])
  func `the hashing for a ping is counted as work`(wantsHash: Bool) {
    let daemon = Daemon(durability: .memory)
    let peer = Peer(daemon, type: "list?items=10000")
    while daemon.wantsTurn { daemon.endTurn() }
    peer.receive()
    func ping() -> Bool {
      for _ in 1...3 { daemon.endTurn() }
      daemon.host.shard.budget.charge(ServerLimits.turnWorkMax - 40)
      daemon.receive(.ping(Ping(nonce: 1, wantsHash: wantsHash)), on: peer.connection)
      return daemon.shard.budget.isExhausted
    }
    #expect(ping() == wantsHash)
    #expect(!ping(), "the hashes of the nodes are kept")
    daemon.endTurn()
    peer.receive()
    #expect(peer.pongs.count == 2 && peer.isConverged)
  }

  private static func reorder(_ peer: Peer, count: Int) -> TableOperation.Kind {
    let list = CollectionHandle(rawValue: 1)
    let items = peer.daemon.shard.state(ofTable: peer.table)?.itemIDs(in: list) ?? []
    return .move(ItemList(items.prefix(count).reversed()), to: .end(of: list))
  }

  @Test func `a sweep visits a bounded number of sessions and continues where it stopped`() {
    var limits = SyncLimits()
    limits.sessions.graceSeconds = 1
    limits.sessions.sessionSeconds = 1
    let daemon = Daemon(limits: limits, durability: .memory)
    let count = 3
    for number in 0..<count {
      for _ in 0..<(ServerLimits.sweepVisitsMax / 2) {
        let id = daemon.connect()
        daemon.receive(.hello(Hello(table: "t\(number)", tableType: "list?items=1", role: .spectator)), on: id)
        daemon.lose(id)
      }
    }
    daemon.endTurn()
    daemon.pass(seconds: 5)
    var calls = 1
    while !daemon.tick() {
      calls += 1
      daemon.endTurn()
    }
    #expect((2...3).contains(calls))
    #expect(daemon.shard.tables.all.allSatisfy { $0.sessions.count == 0 })
  }
}
