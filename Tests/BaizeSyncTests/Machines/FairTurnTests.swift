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
    var worse = WorkShare()
    budget.charge(beyond: 1, 3 * ServerLimits.turnWorkMax, &worse)
    budget.renew()
    #expect(!budget.admits(operation, &heavy) && budget.admits(1, &heavy) && budget.admits(1, &light))
  }

  @Test func `what an operation costs beyond its estimate is owed by its table's share in later turns`() {
    var budget = TurnBudget()
    var (wrong, other) = (WorkShare(), WorkShare())
    #expect(budget.admits(1, &wrong))
    budget.charge(beyond: 1, 3 * ServerLimits.tableWorkMax, &wrong)
    budget.charge(2 * ServerLimits.turnWorkMax)
    for _ in 1...2 {
      #expect(!budget.admits(0, &wrong) && !budget.covers(0, wrong) && budget.admits(1, &other))
      budget.renew()
      budget.charge(ServerLimits.turnWorkMax)
    }
    budget.renew()
    #expect(budget.isExhausted && budget.admits(1, &wrong), "the debt is paid")
  }

  /// Each of many tables has as much to do as there are turns.
  @Test func `the shares of all tables are bounded in a turn, and the tables take turns`() {
    var budget = TurnBudget()
    let perTurn = ServerLimits.sharesWorkMax / ServerLimits.tableWorkMax
    var shares = Array(repeating: WorkShare(), count: 3 * perTurn)
    var served = Array(repeating: 0, count: shares.count)
    for turn in 1...12 {
      budget.charge(2 * ServerLimits.turnWorkMax)
      var count = 0
      for table in shares.indices where budget.admits(ServerLimits.tableWorkMax, &shares[table]) {
        served[table] += 1
        count += 1
      }
      #expect(count <= perTurn, "turn \(turn)")
      budget.renew()
    }
    // Those that come last are served as often as those that come first.
    #expect(Set(served) == [3] || Set(served) == [4], "\(served)")
  }

  @Test func `the pings of a revision cost one hash`() {
    let daemon = Daemon(durability: .memory)
    let peer = Peer(daemon, type: "list?items=10000")
    peer.receiveAll()
    for _ in 1...3 { daemon.endTurn() }
    let pings = (1...200).flatMap { ClientMessage.ping(Ping(nonce: $0, wantsHash: true)).framed() }
    let received = daemon.receive(stream: pings, on: peer.connection)
    #expect(received.frames == 200 && !received.isDeferred)
    daemon.endTurn()
    peer.receive()
    #expect(peer.pongs.count == 200 && Set(peer.pongs.map(\.viewHash)).count == 1 && peer.isConverged)
    peer.ask(peer.move(3))
    peer.exchange(.ping(Ping(nonce: 201, wantsHash: true)))
    #expect(Set(peer.pongs.map(\.viewHash)).count == 2 && peer.isConverged)
  }

  /// Two tables: at one a client sends many operations on all of its items at once, at the other one on a single item.
  @Test func `operations on many items wait for later turns without delaying other tables`() throws {
    let daemon = Self.daemon()
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

  @Test func `while the journal is busy, what exceeds the share of its table waits, and nothing else`() {
    let daemon = Self.daemon()
    let heavy = Peer(daemon, table: "heavy", type: "list?items=\(TableLimits.itemsPerOperationMax)")
    let light = Peer(daemon, table: "light", type: "list?items=2")
    let many = Self.reorder(heavy, count: TableLimits.itemsPerOperationMax)
    let frames = (1...16).map { heavy.forged($0, base: 1, many).framed() }
    daemon.host.shard.isJournalBusy = true
    var received = daemon.receive(stream: Array(frames.joined()), on: heavy.connection).frames
    #expect(received > 0, "what is left of the pool")
    for turn in 1...9 {
      daemon.endTurn()
      #expect(daemon.receive(stream: frames[received], on: heavy.connection).isDeferred)
      let move = light.forged(UInt64(turn), base: 1, Self.reorder(light, count: 1)).framed()
      #expect(!daemon.receive(stream: move, on: light.connection).isDeferred)
    }
    daemon.host.shard.isJournalBusy = false
    for _ in 1...64 where received < frames.count {
      daemon.endTurn()
      received += daemon.receive(stream: Array(frames[received...].joined()), on: heavy.connection).frames
    }
    #expect(received == frames.count)
  }

  /// Others have used up the work of each turn, or its bytes.
  @Test(arguments: [false, true])
  func `a full turn has room for a few frames of a quiet table`(byBytes: Bool) throws {
    let daemon = Daemon(durability: .memory)
    let peer = Peer(daemon, type: "list?items=2")
    func fill() {
      guard !byBytes else {
        let text = Goodbye(.slow, detail: String(repeating: "x", count: 1 << 16))
        while !daemon.shard.isTurnFull { daemon.host.shard.queue.open.send(.goodbye(text), to: peer.connection) }
        return
      }
      for _ in 0..<ServerLimits.sharesWorkMax / ServerLimits.tableWorkMax {
        var share = WorkShare()
        _ = daemon.host.shard.budget.admits(ServerLimits.tableWorkMax, &share)
      }
      daemon.host.shard.budget.charge(3 * ServerLimits.turnWorkMax)
    }
    let ping = ClientMessage.ping(Ping(nonce: 1)).framed()
    func isReceived(_ frame: [UInt8]) -> Bool { !daemon.receive(stream: frame, on: peer.connection).isDeferred }
    let move = try #require(peer.submit(Self.reorder(peer, count: 1))?.operation)
    fill()
    #expect(isReceived(ClientMessage.operation(move).framed()))
    for _ in 1..<ServerLimits.quietFramesPerTableMax { #expect(isReceived(ping)) }
    #expect(!isReceived(ping))
    daemon.endTurn()
    fill()
    #expect(!isReceived(ping), "a frame of it had to wait: it takes its turn among the others")
    daemon.endTurn()
    #expect(isReceived(ping))
    fill()
    daemon.endTurn()
    fill()
    #expect(isReceived(ping), "none waits any more")
    daemon.endTurn()
    peer.receive()
    #expect(peer.pongs.count == ServerLimits.quietFramesPerTableMax + 1 && peer.answers.count == 1)
  }

  @Test func `the room for quiet tables is bounded in frames, in the size of each, and in what they add`() {
    var reserve = QuietReserve()
    var shares = Array(repeating: QuietShare(), count: ServerLimits.quietFramesMax)
    #expect(!reserve.admits(ServerLimits.quietFrameBytesMax + 1, at: 100, &shares[0]))
    #expect(!reserve.admits(1, at: 100 + ServerLimits.quietBytesMax, &shares[0]))
    var admitted = 0
    for _ in 0..<2 * ServerLimits.quietFramesPerTableMax {
      for index in shares.indices where reserve.admits(1, at: 101, &shares[index]) { admitted += 1 }
    }
    #expect(admitted == ServerLimits.quietFramesMax)
    reserve.renew()
    #expect(reserve.admits(1, at: 100 + ServerLimits.quietBytesMax, &shares[0]))
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
    // The machine is not copyable.
    let (tables, isExhausted) = (shard.tableCount, shard.budget.isExhausted)
    #expect(tables == 1 && isExhausted == !isCompiled)
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
    let daemon = Self.daemon()
    let peer = Peer(daemon, type: type)
    peer.exchange(.ping(Ping(nonce: 1)))
    for _ in 1...3 { daemon.endTurn() }
    let rules = try #require(daemon.shard.tables.all.first).share.moveRules
    #expect((rules > 0) == (type != "list?items=9"))
    let base = daemon.state.revision.rawValue
    let moves = (1...1_000).flatMap { peer.forged($0, base: base, Self.reorder(peer, count: 1)).framed() }
    let received = daemon.receive(stream: moves, on: peer.connection)
    // Where views differ, moves take the general path, for which a full turn still has room for a few.
    let isGeneral = type == "speed"
    let work = (isGeneral ? TurnBudget.operationWork + 1 : TurnBudget.moveWork) + rules
    let more = isGeneral ? ServerLimits.quietFramesPerTableMax : 0
    let expected = ServerLimits.tableWorkMax / work + (ServerLimits.turnWorkMax + work - 1) / work + more
    #expect(received.frames == expected && received.isDeferred, "\(received.frames), \(expected) expected")
  }

  @Test func `the admission of a client is counted as work`() {
    let daemon = Daemon(durability: .memory)
    _ = Peer(daemon)
    for _ in 1...3 { daemon.endTurn() }
    daemon.host.shard.budget.charge(ServerLimits.turnWorkMax - ServerLimits.admissionWork)
    #expect(!daemon.shard.budget.isExhausted)
    daemon.receive(.hello(Hello(table: "t", role: .spectator)), on: daemon.connect())
    #expect(daemon.shard.budget.isExhausted)
  }

  @Test func `what is sent to many is counted as work`() {
    let daemon = Self.daemon()
    let peer = Peer(daemon, type: "list?items=9")
    for _ in 1...1_100 {
      daemon.receive(.hello(Hello(table: peer.table, role: .spectator)), on: daemon.connect())
      daemon.endTurn()
    }
    while daemon.wantsTurn { daemon.endTurn() }
    let items = daemon.state.itemIDs(in: .first)
    let moves = (1...500).flatMap { number in
      peer.forged(number, base: 0, .move([items[Int(number - 1) % 9]], to: .end(of: .first))).framed()
    }
    let received = daemon.receive(stream: moves, on: peer.connection)
    let work = TurnBudget.moveWork + TurnBudget.work(ofDeliveries: 1_101, bytes: 1_101 * TurnBudget.bytesPerUnit)
    #expect(work == 2 + 17 + 4)
    // The last one takes more than is left. To look for a gap takes at most as many steps as there were moves.
    let units = ServerLimits.tableWorkMax + ServerLimits.turnWorkMax
    let framesMax = (units + work - 1) / work
    let framesMin = units / (work + framesMax / TurnBudget.stepsPerUnit + 1)
    #expect(received.frames <= framesMax && received.frames >= framesMin && received.isDeferred)
  }

  /// Since the base of one person's operations, another one has moved many items: one operation names an item that has to be looked
  /// for among these, another one a gap that is looked for behind them.
  @Test(arguments: [false, true])
  func `what an old base costs is counted as work`(isGap: Bool) throws {
    let daemon = Self.daemon()
    let (peer, other) = Peer.pair(daemon, type: "list?items=500")
    let items = daemon.state.itemIDs(in: .first)
    let base = daemon.state.revision
    let rounds = isGap ? 1 : 20
    for _ in 1...rounds {
      let present = daemon.state.itemIDs(in: .first).prefix(498)
      other.ask(.move(ItemList(present.reversed()), to: .before(items[498], in: .first)))
    }
    #expect(daemon.state.revision.rawValue == base.rawValue + UInt64(rounds))
    let kind: TableOperation.Kind =
      isGap
      ? .move([items[499]], to: .before(items[498], in: .first))
      : .move([ItemID(rawValue: 1 << 40)], to: .end(of: .first))
    let moves = (1...500).flatMap { peer.forged($0, base: base.rawValue, kind).framed() }
    let received = daemon.receive(stream: moves, on: peer.connection)
    // At least so many positions are looked at, or records.
    let steps = isGap ? 498 : rounds * 498 / 8
    let unitsMax = ServerLimits.tableWorkMax + ServerLimits.turnWorkMax
    #expect(received.isDeferred && received.frames <= unitsMax / (steps / TurnBudget.stepsPerUnit) + 1)
  }

  /// The first hash of a list computes that of each node of its order.
  @Test(arguments: [false, true])
  func `the hashing for a ping is counted as work`(wantsHash: Bool) {
    let daemon = Daemon(durability: .memory)
    let peer = Peer(daemon, type: "list?items=10000")
    peer.receiveAll()
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

  /// A daemon that lets everyone send as fast as it can.
  private static func daemon() -> Daemon {
    Daemon(durability: .memory) { $0.sessions.operationsPerSecondMax = 0 }
  }

  private static func reorder(_ peer: Peer, count: Int) -> TableOperation.Kind {
    let items = peer.daemon.shard.state(ofTable: peer.table)?.itemIDs(in: .first) ?? []
    return .move(ItemList(items.prefix(count).reversed()), to: .end(of: .first))
  }

  @Test func `a sweep visits a bounded number of sessions and continues where it stopped`() {
    let daemon = Daemon(durability: .memory) {
      $0.sessions.graceSeconds = 1
      $0.sessions.sessionSeconds = 1
    }
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

  @Test func `a sweep visits a bounded number of connections and continues where it stopped`() {
    let daemon = Daemon(durability: .memory)
    for _ in 0...ServerLimits.sweepVisitsMax { _ = daemon.connect() }
    #expect(!daemon.tick() && daemon.tick())
  }

  /// What it publishes would make the turn longer.
  @Test func `a sweep visits no table in a turn that has published enough`() {
    let daemon = Self.daemon()
    let peer = Peer(daemon, type: "list?items=1")
    let item = peer.item(1)
    let text = String(repeating: "x", count: WireLimits.attributeTextBytesMax)
    let attributes = (0..<14).map { Attribute("text-\($0)", text) }
    peer.ask(.update(item, attributes: attributes, representations: []))
    for number in 2...40 as ClosedRange<UInt64> where daemon.shard.queue.open.byteCount < ServerLimits.turnBytesMax {
      let action = number.isMultiple(of: 2) ? "pin" : "unpin"
      daemon.receive(peer.forged(number, base: 0, .perform(action: action, items: [item], nil)), on: peer.connection)
    }
    #expect(daemon.shard.queue.open.byteCount >= ServerLimits.turnBytesMax)
    #expect(!daemon.tick())
    daemon.endTurn()
    #expect(daemon.tick())
  }
}
