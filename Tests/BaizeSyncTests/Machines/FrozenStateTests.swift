import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// S6, S8 and I8: what loading members pin is bounded, however many and however slow they are.
@Suite struct FrozenStateTests {
  private static func bench() throws -> RoomBench {
    try RoomBench("list?items=50") { $0.tables.snapshotPartItemsMax = 10 }
  }

  /// Ends turns until nothing is left to send, and collects what each slot was sent.
  private static func settle(_ bench: inout RoomBench) throws -> SentMessages {
    var sent = SentMessages()
    repeat {
      for (slot, messages) in try bench.endTurn().bySlot { sent[slot] += messages }
    } while bench.room.hasPartsToProduce
    return sent
  }

  @Test func `members that begin at one revision share the state`() throws {
    var bench = try Self.bench()
    let members = (0..<9).map { _ in bench.join() }
    for member in members { bench.beginSnapshot(member) }
    #expect(bench.room.frozen.count == 1 && bench.room.loadingCount == 9)
    try bench.moveFirst(by: members[0])
    let sent = try Self.settle(&bench)
    for member in members { #expect(sent[member].parts.count == 5 && sent[member].revisions == [1]) }
    #expect(bench.room.frozen.isEmpty && bench.room.frozen.pinnedBytes(besides: bench.table.state) == 0)
  }

  @Test func `members beyond the number of states wait, and begin when one is released`() throws {
    var bench = try Self.bench()
    let author = bench.join()
    let members = (0..<8).map { _ in bench.join() }
    for (number, member) in members.enumerated() {
      try bench.moveFirst(by: author)
      bench.beginSnapshot(member, isSlow: true)
      #expect(bench.room.frozen.count == min(number + 1, 4))
    }
    _ = try bench.endTurn()
    #expect(bench.room.members.count(where: \.isWaiting) == 4 && !bench.room.hasPartsToProduce)
    #expect(bench.room.frozen.pinnedBytes(besides: bench.table.state) <= 4 * bench.table.state.contentBytes)
    // One who waits and is not slow wants no turn.
    for member in members[4...] { bench.report(member, backlog: 0) }
    #expect(!bench.room.hasPartsToProduce)

    bench.report(members[0], backlog: 0)
    let sent = try Self.settle(&bench)
    #expect(sent[members[0]].parts.allSatisfy { $0.revision.rawValue == 1 })
    #expect(sent[members[0]].revisions == [2, 3, 4, 5, 6, 7, 8])
    for member in members[4...] {
      #expect(sent[member].parts.count == 5 && sent[member].parts.allSatisfy { $0.revision.rawValue == 8 })
    }
    #expect(bench.room.frozen.count == 3)
    for member in members[1..<4] { bench.room.setPhase(.live, of: member) }
    _ = try bench.endTurn()
    #expect(bench.room.frozen.isEmpty)
  }

  @Test func `a new spectator begins with a recent state, and gets the diffs since then`() throws {
    var bench = try Self.bench()
    let author = bench.join()
    try bench.moveFirst(by: author)
    let first = bench.join(seat: 0)
    bench.beginSnapshot(first)
    try bench.moveFirst(by: author)
    let (spectator, player) = (bench.join(seat: 0), bench.join())
    for member in [spectator, player] { bench.room.members[member].isNew = true }
    bench.beginSnapshot(spectator)
    #expect(bench.room.frozen.count == 1)
    bench.beginSnapshot(player)
    #expect(bench.room.frozen.count == 2)
    try bench.moveFirst(by: author)
    let sent = try Self.settle(&bench)
    #expect(sent[spectator].parts.allSatisfy { $0.revision.rawValue == 1 } && sent[spectator].revisions == [2, 3])
    #expect(sent[player].parts.allSatisfy { $0.revision.rawValue == 2 } && sent[player].revisions == [3])

    // One that has seen the table never goes back to an earlier state.
    bench.beginSnapshot(first)
    try bench.moveFirst(by: author)
    bench.room.setPhase(.lagging, of: spectator)
    bench.beginSnapshot(spectator)
    #expect(bench.room.frozen.count == 2)
  }

  @Test func `what a loading member pins is charged until its state is released`() throws {
    var bench = try RoomBench("list?items=2000") { $0.tables.snapshotPartItemsMax = 10 }
    let (author, reader) = (bench.join(), bench.join())
    bench.beginSnapshot(reader, isSlow: true)
    for _ in 0..<20 { try bench.moveFirst(by: author) }
    _ = try bench.endTurn()
    let pinned = bench.room.frozen.pinnedBytes(besides: bench.table.state)
    #expect(pinned >= 4_096, "at least the page of the items that moved")
    let charged = bench.room.memoryBytes(of: bench.table.state)
    bench.room.setPhase(.live, of: reader)
    _ = try bench.endTurn()
    #expect(bench.room.frozen.isEmpty && bench.room.memoryBytes(of: bench.table.state) <= charged - pinned)
  }

  /// Four cards of 15 KB: few items, and more than a part has room for.
  private static func writeAll(_ bench: inout RoomBench, _ letter: String, by author: Int) throws {
    let text = String(repeating: letter, count: 15_000)
    for item in bench.table.state.handles.flatMap(bench.table.state.itemIDs(in:)) {
      try bench.perform(.update(item, attributes: [Attribute("title", text)], representations: []), by: author)
    }
  }

  @Test func `the faces that only pinned states have are charged, and a table of few large items has few such states`()
    throws
  {
    var bench = try RoomBench("kanban?columns=fixed&cards=4")
    let author = bench.join()
    try Self.writeAll(&bench, "a", by: author)
    let contents = bench.table.state.contentBytes
    let members = (0..<6).map { _ in bench.join() }
    for (member, letter) in zip(members, ["b", "c", "d", "e", "f", "g"]) {
      bench.beginSnapshot(member, isSlow: true)
      try Self.writeAll(&bench, letter, by: author)
      _ = try bench.endTurn()
    }
    #expect(bench.room.frozen.count == 4 && bench.room.members.count(where: \.isWaiting) == 2)
    let pinned = bench.room.frozen.pinnedBytes(besides: bench.table.state)
    #expect(pinned >= 4 * 60_000 && pinned <= 4 * bench.table.state.memoryBytes, "\(pinned) of \(contents)")
  }

  @Test func `what was replaced after several states were frozen is charged once`() throws {
    var bench = try RoomBench("kanban?columns=fixed&cards=4")
    let author = bench.join()
    try Self.writeAll(&bench, "a", by: author)
    for _ in 0..<4 {
      let member = bench.join()
      bench.beginSnapshot(member, isSlow: true)
      try bench.moveFirst(by: author)
    }
    try Self.writeAll(&bench, "b", by: author)
    #expect(bench.room.frozen.count == 4)
    let pinned = bench.room.frozen.pinnedBytes(besides: bench.table.state)
    #expect(pinned >= 60_000 && pinned < 2 * bench.table.state.memoryBytes, "\(pinned)")
  }

  // MARK: Slow readers

  /// A reader of a large table, which receives small parts.
  private static func reader() -> Peer {
    let daemon = Daemon {
      $0.tables.snapshotPartItemsMax = 10
      $0.connections.heartbeatSeconds = 3_600
      $0.connections.stalledBytesMin = 1
    }
    return Peer(daemon, type: "list?items=500", role: .spectator)
  }

  /// Reads a byte a second, so that it is not stalled.
  private static func dawdle(_ reader: Peer, seconds: Int) -> Int? {
    for second in 1...seconds {
      reader.daemon.backlog(of: reader.connection, 100_000, taken: 1)
      reader.daemon.sweep(afterSeconds: 1)
      if reader.daemon.closed.contains(reader.connection) { return second }
    }
    return nil
  }

  @Test func `one that reads its snapshot too slowly is disconnected, resumably`() throws {
    let reader = Self.reader()
    #expect(Self.dawdle(reader, seconds: 60) == 12)
    let goodbye = try #require(reader.receive().last?.goodbye)
    #expect(goodbye.reason == .slow && goodbye.isResumable)
    #expect(reader.daemon.table.room.frozen.isEmpty)
  }

  /// However fast it reads: one state more may be frozen when this one is released.
  @Test func `one that has the oldest state for long is too slow while others wait for a state`() throws {
    var bench = try RoomBench("list?items=50") {
      $0.tables.snapshotPartItemsMax = 10
      $0.connections.loadingBytesPerSecondMin = 0
    }
    let author = bench.join()
    let members = (0..<5).map { _ in bench.join() }
    for member in members[..<4] {
      try bench.moveFirst(by: author)
      bench.beginSnapshot(member, isSlow: true)
    }
    for seconds in [0, bench.limits.connections.loadingGraceSeconds + 1] {
      for member in members { bench.room.observeLoading(member, at: Instant(nanoseconds: seconds * 1_000_000_000)) }
    }
    #expect(!members.contains { bench.room.isLoadingTooSlowly($0) })
    try bench.moveFirst(by: author)
    bench.beginSnapshot(members[4])
    #expect(bench.room.members[members[4]].isWaiting)
    #expect(members.map { bench.room.isLoadingTooSlowly($0) } == [true, false, false, false, false])
  }

  @Test func `one that waits for the daemon, or has its snapshot, is not slow`() throws {
    let reader = Self.reader()
    let daemon = reader.daemon
    for _ in 1...60 {
      daemon.pass(seconds: 1)
      daemon.tick()
    }
    reader.receiveAll()
    #expect(reader.isConverged)
    #expect(Self.dawdle(reader, seconds: 60) == nil)
  }
}
