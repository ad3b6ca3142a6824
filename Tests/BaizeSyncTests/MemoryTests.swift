import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// What clients make a shard use is charged, and the measures when it is short (I8).
@Suite struct MemoryTests {
  private static func set(_ mark: MemoryMark, excess: Int = 0, _ daemon: Daemon) {
    daemon.setMemoryMark(mark, excess: excess)
    daemon.endTurn()
  }

  /// Sweeps so often, a second apart, while somebody is there.
  private static func sweep(_ daemon: Daemon, _ count: Int, with peers: [Peer]) {
    for _ in 0..<count {
      for peer in peers { peer.send(.ping(Ping(nonce: 1))) }
      daemon.sweep(afterSeconds: 1)
    }
  }

  // MARK: Charging

  @Test func `the sum is that of all tables at any time, and falls when they go`() {
    let daemon = Daemon(durability: .memory) { $0.tables.discardSeconds = 5 }
    let empty = daemon.shard.memoryBytes
    var peers: [Peer] = []
    for number in 0..<20 {
      peers.append(Peer(daemon, table: "t\(number)", type: "list?items=\(number * 50)"))
      #expect(daemon.shard.tables.memoryBytes == daemon.shard.tables.all.reduce(0) { $0 + $1.chargedBytes })
    }
    #expect(daemon.shard.memoryBytes > empty + 9_500 * TableLimits.itemContentBytes)
    daemon.sweep(afterSeconds: 1)
    #expect(daemon.shard.tables.all.allSatisfy { $0.chargedBytes == $0.memoryBytes })
    for peer in peers[5...] { daemon.lose(peer.connection) }
    Self.sweep(daemon, 6, with: Array(peers[..<5]))
    #expect(daemon.shard.tableCount == 5)
    #expect(daemon.shard.tables.memoryBytes == daemon.shard.tables.all.reduce(0) { $0 + $1.memoryBytes })
  }

  @Test func `a table that grows is charged without waiting for the sweep`() {
    let daemon = Daemon(durability: .memory)
    let peer = Peer(daemon, type: "kanban?columns=fixed&cards=1")
    let before = daemon.shard.memoryBytes
    let text = String(repeating: "x", count: 16_000)
    for _ in 0..<100 {
      peer.ask(.insert([NewItem(attributes: [Attribute("title", text)])], .end(of: .first)))
    }
    #expect(daemon.shard.memoryBytes > before + 1_400_000)
  }

  @Test func `what a table needed once is charged until it is returned`() {
    let daemon = Daemon(durability: .memory)
    let peer = Peer(daemon, type: "kanban?columns=fixed&cards=1000")
    peer.receiveAll()
    let text = String(repeating: "x", count: 200)
    for number in 1...400 {
      let item = peer.item(number)
      peer.ask(.update(item, attributes: [Attribute("title", text)], representations: []))
      peer.ask(.remove([item]))
    }
    #expect(daemon.state.itemCount == 600)
    daemon.sweep(afterSeconds: 1)
    let busy = daemon.table.chargedBytes
    #expect(busy > 1_000 * TableLimits.itemContentBytes, "the slots of items that have left count")
    Self.sweep(daemon, 2, with: [peer])
    #expect(daemon.table.chargedBytes < busy, "\(busy) to \(daemon.table.chargedBytes)")
    #expect(peer.ask(.undo(SequenceNumber(rawValue: 800))) != nil)
    peer.receive()
    #expect(peer.isConverged, "nothing was forgotten")
  }

  @Test func `the slots of items that have left are charged`() {
    let daemon = Daemon(durability: .memory)
    let peer = Peer(daemon, type: "kanban?columns=fixed&cards=1000")
    peer.receiveAll()
    let (before, count) = (daemon.state.memoryBytes, 400)
    for number in 1...count { peer.ask(.remove([peer.item(number)])) }
    #expect(daemon.state.itemCount == 1_000 - count)
    #expect(daemon.state.memoryBytes > before - count * TableLimits.itemContentBytes, "only their faces are gone")
  }

  @Test func `what is kept of items that have left is charged`() throws {
    let daemon = Daemon(durability: .memory) { $0.tables.logBytesMax = 1 }
    let peer = Peer(daemon, type: "kanban?columns=fixed&cards=1")
    daemon.sweep(afterSeconds: 1)
    let before = daemon.table.chargedBytes
    let (list, text) = (CollectionHandle(rawValue: 1), String(repeating: "x", count: 16_000))
    for _ in 0..<40 {
      peer.ask(.insert([NewItem(attributes: [Attribute("title", text)])], .end(of: list)))
      peer.ask(.remove([try #require(daemon.state.itemIDs(in: list).last)]))
    }
    daemon.sweep(afterSeconds: 1)
    #expect(daemon.state.itemCount == 1 && daemon.table.chargedBytes > before + 40 * 16_000)
  }

  /// 81 KiB for 4 KiB sent were kept for two days.
  @Test func `the answers of an absent session take less from the next quiet sweep on`() {
    let daemon = Daemon(durability: .memory)
    let (peer, other) = (Peer(daemon), Peer(daemon))
    for _ in 1...256 { peer.ask(.remove([ItemID(rawValue: 999)])) }
    daemon.lose(peer.connection)
    daemon.sweep(afterSeconds: 1)
    let before = daemon.table.sessionBytes
    Self.sweep(daemon, 2, with: [other])
    #expect(daemon.table.sessionBytes < before / 2, "\(before) to \(daemon.table.sessionBytes)")
  }

  @Test func `while memory is short, the answers of connected sessions take less too, and are given as before`() {
    let daemon = Daemon(durability: .memory)
    let peer = Peer(daemon)
    for _ in 1...256 { peer.ask(.remove([ItemID(rawValue: 999)])) }
    daemon.sweep(afterSeconds: 1)
    let before = daemon.table.sessionBytes
    Self.set(.refusing, daemon)
    daemon.sweep(afterSeconds: 1)
    #expect(daemon.table.sessionBytes < before / 2, "\(before) to \(daemon.table.sessionBytes)")
    peer.ask(.remove([ItemID(rawValue: 998)]))
    daemon.sweep(afterSeconds: 1)
    #expect(daemon.table.sessionBytes < before / 2, "one more is packed with the others")
    for number in [2, 256, 257] as [UInt64] {
      peer.exchange(peer.forged(number, .remove([ItemID(rawValue: number == 257 ? 998 : 999)])))
      #expect(peer.outcomes.last?.sequence.rawValue == number && peer.outcomes.last?.verdict == .refused)
    }
  }

  @Test func `a type is charged once for all of its tables, until the last one goes`() {
    let daemon = Daemon(durability: .memory) { $0.tables.discardSeconds = 1 }
    let none = daemon.shard.tables.types.memoryBytes
    var connections: [ConnectionID] = []
    func create(_ table: String, _ type: String) {
      connections.append(daemon.connect())
      daemon.receive(.hello(Hello(table: table, tableType: type)), on: connections[connections.count - 1])
      daemon.endTurn()
    }
    create("a", "list?items=3")
    let one = daemon.shard.tables.types.memoryBytes
    #expect(none == 0 && one == daemon.shard.tables.all[0].table.state.type.memoryBytes && one > 0)
    for (name, type) in [("b", "list?items=3"), ("c", "list?items=4"), ("d", "klondike")] { create(name, type) }
    var types: [ObjectIdentifier: Int] = [:]
    for table in daemon.shard.tables.all {
      types[ObjectIdentifier(table.table.state.type)] = table.table.state.type.memoryBytes
    }
    #expect(daemon.shard.tables.types.memoryBytes == types.values.reduce(0, +))
    for connection in connections { daemon.lose(connection) }
    for _ in 0..<4 { daemon.sweep(afterSeconds: 1) }
    #expect(daemon.shard.tableCount == 0 && daemon.shard.tables.types.memoryBytes == 0)
  }

  @Test func `connections are charged before they have said anything`() {
    let daemon = Daemon(durability: .memory)
    let before = daemon.shard.memoryBytes
    for _ in 0..<1_000 { _ = daemon.connect() }
    #expect(daemon.shard.memoryBytes >= before + 1_000 * ServerLimits.connectionBytes)
  }

  // MARK: Measures

  @Test func `while memory is short, tables that nobody is at leave it for the journal`() {
    let daemon = Daemon { $0.sessions.graceSeconds = 2 }
    daemon.lose(Peer(daemon, role: .spectator).connection)
    Self.set(.shedding, daemon)
    for _ in 0..<5 { daemon.sweep(afterSeconds: 1) }
    #expect(daemon.shard.tableCount == 0)
    Self.set(.normal, daemon)
    #expect(Peer(daemon).welcome != nil)
  }

  @Test func `a table is loaded only as far as there is room`() {
    let daemon = Daemon {
      $0.tables.contentBytesPerShardMax = 4_000 * TableLimits.itemContentBytes
      $0.tables.unloadSeconds = 1
      $0.sessions.graceSeconds = 0
    }
    for table in ["a", "b"] {
      let peer = Peer(daemon, table: table, type: "list?items=1000")
      daemon.lose(peer.connection)
      for _ in 0..<10 { daemon.sweep(afterSeconds: 1) }
      #expect(peer.welcome != nil && daemon.shard.tableCount == 0)
    }
    let member = Peer(daemon, table: "a", type: "")
    member.receiveAll()
    #expect(member.isConverged)
    // The host has read it all the same.
    #expect(Peer(daemon, table: "b", type: "").goodbye?.reason == .tooManyTables)
    #expect(daemon.shard.tableCount == 1)
  }

  @Test func `a table that would not fit below the first mark is refused before it is made`() {
    let daemon = Daemon(durability: .memory)
    let type = "list?items=2000"
    let contents = 2_000 * TableLimits.itemContentBytes
    daemon.host.shard.setMemoryRoom(4 * contents - 1)
    #expect(Peer(daemon, table: "large", type: type).goodbye?.reason == .tooManyTables)
    #expect(Peer(daemon, table: "small", type: "list?items=10").welcome != nil)
    daemon.host.shard.setMemoryRoom(6 * contents)
    #expect(Peer(daemon, table: "large", type: type).welcome != nil)
    #expect(Peer(daemon, table: "next", type: type).goodbye?.reason == .tooManyTables, "the last one counts")
  }

  @Test func `from the first mark on, new tables are refused, and no table grows beyond its floor`() throws {
    let daemon = Daemon(durability: .memory)
    let (large, small) = (
      Peer(daemon, table: "large", type: "kanban?columns=fixed&cards=400"),
      Peer(daemon, table: "small", type: "kanban?columns=fixed&cards=1")
    )
    Self.set(.refusing, daemon)
    #expect(Peer(daemon, table: "new").goodbye?.reason == .tooManyTables)
    let insert = TableOperation.Kind.insert([NewItem()], .end(of: .first))
    #expect(large.ask(insert)?.reason == .tableSize)
    #expect(small.ask(insert)?.diff != nil, "a small table may grow")
    #expect(Peer(daemon, table: "large", type: "", role: .spectator).isConverged, "a table that is there can be joined")
    Self.set(.normal, daemon)
    #expect(large.ask(insert)?.diff != nil, "there is room again")
    #expect(Peer(daemon, table: "new").welcome != nil)
  }

  @Test func `from the second mark on, history is given up`() {
    let daemon = Daemon(durability: .memory)
    let (player, idle) = (Peer(daemon, type: "list?items=50"), Peer(daemon, table: "idle"))
    let spectator = Peer(daemon, type: "", role: .spectator)
    for number in 0..<2_000 { player.ask(player.move(number % 50 + 1)) }
    daemon.lose(idle.connection)
    daemon.lose(spectator.connection)
    daemon.sweep(afterSeconds: 1)
    let before = daemon.shard.memoryBytes
    Self.set(.shedding, daemon)
    Self.sweep(daemon, Int(daemon.shard.limits.sessions.graceSeconds) + 1, with: [player])
    #expect(daemon.shard.tableCount == 2, "one that would be lost stays")
    #expect(daemon.shard.memoryBytes < before - 100_000, "\(before) to \(daemon.shard.memoryBytes)")
    // The table itself is as it was, and goes on.
    #expect(player.ask(player.move(7)) != nil)
    #expect(player.catchUp())
    let ticket = spectator.welcome?.ticket
    spectator.reconnect(role: .spectator)
    #expect(spectator.goodbye?.reason == .unknownTable || spectator.welcome?.ticket != ticket)
  }

  @Test func `at the last mark, the members with the longest queues are disconnected until it suffices`() {
    let daemon = Daemon(durability: .memory)
    let player = Peer(daemon)
    let readers = (1...5).map { _ in Peer(daemon, role: .spectator) }
    for (number, reader) in readers.enumerated() { daemon.backlog(of: reader.connection, (number + 1) * 100_000) }
    Self.set(.disconnecting, excess: 850_000, daemon)
    #expect(readers.map { daemon.closed.contains($0.connection) } == [false, false, false, true, true])
    let goodbye = readers[4].receive().goodbye
    #expect(goodbye?.reason == .slow && goodbye?.isResumable == true)
    // The others get nothing more before they have read, then a snapshot.
    player.ask(player.move(3, before: 1))
    for reader in readers[..<3] { #expect(!reader.receive().contains { $0.kind == "diff" }) }
    for reader in readers[..<3] { daemon.backlog(of: reader.connection, 0) }
    while daemon.wantsTurn { daemon.endTurn() }
    for reader in readers[..<3] { #expect(reader.catchUp()) }
  }

  @Test func `at the last mark, spectators with many answers are disconnected, and then forgotten`() {
    let daemon = Daemon(durability: .memory)
    let player = Peer(daemon)
    let (quiet, busy) = (Peer(daemon, role: .spectator), Peer(daemon, role: .spectator))
    daemon.sweep(afterSeconds: 1)
    for number in 1...256 as ClosedRange<UInt64> {
      for peer in number <= 2 ? [player, quiet, busy] : [player, busy] {
        peer.send(peer.forged(number, .remove([ItemID(rawValue: 999)])))
      }
    }
    #expect(
      daemon.table.sessionBytes
        == daemon.table.sessions.indices.reduce(0) { $0 + daemon.table.sessions[$1].memoryBytes })
    Self.set(.disconnecting, excess: 1 << 20, daemon)
    #expect([player, quiet, busy].map { daemon.closed.contains($0.connection) } == [false, false, true])
    daemon.sweep(afterSeconds: 1)
    #expect(daemon.table.sessions.count == 2)
  }

  @Test func `at the last mark, a member for whose snapshot much is pinned counts like one with a long queue`() {
    let daemon = Daemon(durability: .memory) { $0.tables.snapshotPartBytesMax = 20_000 }
    let player = Peer(daemon, type: "kanban?columns=fixed&cards=8")
    func writeAll(_ letter: String) {
      let text = String(repeating: letter, count: 15_000)
      for number in 1...8 {
        player.ask(.update(player.item(number), attributes: [Attribute("title", text)], representations: []))
      }
    }
    writeAll("a")
    let (reader, loading) = (Peer(daemon, type: "", role: .spectator), Peer(daemon, type: "", role: .spectator))
    reader.receiveAll()
    daemon.backlog(of: reader.connection, 100_000)
    loading.receive()
    loading.send(.snapshotRequest(why: "again"))
    daemon.backlog(of: loading.connection, 70_000)
    writeAll("b")
    #expect(daemon.table.room.frozen.count == 1)
    Self.set(.disconnecting, excess: 1, daemon)
    #expect(daemon.closed.contains(loading.connection) && !daemon.closed.contains(reader.connection))
    #expect(loading.receive().goodbye?.reason == .slow && daemon.table.room.frozen.isEmpty)
  }

  @Test func `at the last mark, connections that have sent much of an incomplete frame are disconnected`() {
    let daemon = Daemon(durability: .memory)
    let peers = (1...3).map { _ in Peer(daemon) }
    var unreceived = Dictionary(uniqueKeysWithValues: zip(peers.map(\.connection), [200_000, 260_000, 20_000]))
    func closed() -> [Bool] { peers.map { daemon.closed.contains($0.connection) } }
    daemon.setMemoryMark(.disconnecting, excess: 250_000, unreceived: unreceived)
    // The host keeps the bytes until the goodbye is sent: they are not looked for a second time.
    daemon.setMemoryMark(.disconnecting, excess: 250_000, unreceived: unreceived)
    daemon.endTurn()
    #expect(closed() == [false, true, false])
    let goodbye = peers[1].receive().goodbye
    #expect(goodbye?.reason == .slow && goodbye?.isResumable == true)
    unreceived[peers[1].connection] = nil
    daemon.setMemoryMark(.disconnecting, excess: 100_000, unreceived: unreceived)
    daemon.endTurn()
    #expect(closed() == [true, true, false])
  }

  @Test func `a mark holds until a little less is used than where it began`() {
    var mark = MemoryMark.normal
    for (bytes, expected) in [
      (74, .normal), (75, .refusing), (73, .refusing), (71, .normal), (86, .shedding), (83, .shedding), (81, .refusing),
      (99, .disconnecting), (93, .disconnecting), (91, .shedding), (0, .normal),
    ] as [(Int, MemoryMark)] {
      mark = MemoryMark.mark(bytes: bytes * 100, of: 10_000, after: mark)
      #expect(mark == expected, "\(bytes) %")
    }
  }
}
