import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// A table's machine without a shard: what joining and operations send, record and write.
@Suite struct TableMachineTests {
  @Test func `a turn sends what was decided and writes it`() throws {
    var bench = try TableBench()
    let first = try bench.join()
    let joined = try bench.endTurn()
    #expect(joined.sent[first].kinds == ["welcome", "snapshot", "seats"])
    #expect(joined.writes.map(\.kind) == ["table", "snapshot", "record"])
    let second = try bench.join()
    _ = try bench.endTurn()
    try bench.submit(bench.moves(1)[0], from: first)
    let turn = try bench.endTurn()
    #expect(turn.sent[first].revisions == [3] && turn.sent[second].revisions == [3])
    #expect(turn.sent[first].diffs.first?.author == SessionID(rawValue: 1))
    #expect(turn.writes.map(\.kind) == ["record"] && turn.isHeld)
    let idle = try bench.endTurn()
    #expect(idle.sent.isEmpty && idle.writes.isEmpty && !idle.isHeld)
  }

  /// Moves to the end, one of which changes nothing and one of which is refused.
  @Test func `the short and the long path of a move send and write the same`() throws {
    var long = try TableBench()
    for _ in 0..<2 { long.machine.received(from: try long.join()) }
    _ = try long.endTurn()
    var short = long
    // Not shared with the copy.
    short.batch = FrameBatch()
    var moves = long.moves(5) + long.moves(3)
    moves[4].kind = .move([ItemID(rawValue: 99)], to: .end(of: RoomBench.list))
    for index in moves.indices { moves[index].sequence = SequenceNumber(rawValue: UInt64(index + 1)) }
    for move in moves { try long.submit(move, from: 0) }
    let frames = moves.flatMap { ClientMessage.operation($0).framed() }
    #expect(try short.receiveMoves(frames, from: 0) == moves.count, "all of them take the short path")
    let expected = try long.endTurn()
    let turn = try short.endTurn()
    #expect(turn.bytes == expected.bytes && turn.writes == expected.writes && turn.isHeld == expected.isHeld)
    #expect(turn.sent[1].diffs.count == 7 && turn.sent[0].outcomes.map(\.verdict) == [.refused])
    #expect(short.machine.table.viewHash() == long.machine.table.viewHash())
  }

  @Test func `during a storage failure operations are postponed and nothing is written`() throws {
    var bench = try TableBench()
    _ = try bench.join()
    _ = try bench.endTurn()
    let move = bench.moves(1)[0]
    bench.machine.suspendWriting()
    bench.storage = JournalError(.storage, "no space left on device")
    try bench.submit(move, from: 0)
    let failed = try bench.endTurn()
    #expect(failed.sent[0].outcomes.map(\.verdict) == [.retry] && failed.writes.isEmpty)
    #expect(throws: Rejection.self) { try bench.join() }
    bench.machine.setWritable(true)
    bench.storage = nil
    try bench.submit(move, from: 0)
    let turn = try bench.endTurn()
    #expect(turn.sent[0].revisions == [2] && turn.writes.map(\.kind) == ["record"])
  }

  @Test func `a kicked session is forgotten, and one with another seat has to join again`() throws {
    var bench = try TableBench()
    for _ in 1...3 { _ = try bench.join() }
    _ = try bench.endTurn()
    try bench.perform(.kick(SeatNumber(rawValue: 2)), from: 0)
    #expect(bench.machine.departures.map(\.goodbye.reason) == [.kicked])
    #expect(bench.machine.sessions.count == 2 && bench.machine.room.members.count == 2)
    try bench.perform(.give(SeatNumber(rawValue: 2), to: SessionID(rawValue: 3)), from: 0)
    #expect(bench.machine.departures.map(\.goodbye.reason) == [.kicked, .reseated])
    #expect(bench.machine.departures.last?.goodbye.isResumable == true)
    #expect(bench.machine.table.state.seats.map(\.person.rawValue) == [1, 3])
    let turn = try bench.endTurn()
    #expect(turn.sent[0].revisions == [4, 5] && turn.sent[1].revisions == [4] && turn.writes.map(\.kind) == ["record"])
  }
}

/// A table's machine, and the turns of its shard. A member has the slot of its connection, as long as none is removed.
private struct TableBench {
  var machine: TableMachine
  var batch = FrameBatch()
  var storage: JournalError?
  private var turn = TurnNumber(rawValue: 1)
  private var random = RandomSource(seed: 3)
  private var joined: UInt32 = 0
  private let now = Instant(nanoseconds: 1_000_000_000)

  init(_ type: String = "list?items=5") throws {
    let table = Table(type: try SimulatedTypes().tableType(named: type), random: RandomSource(seed: 2))
    machine = TableMachine(
      name: "t", typeText: type, table: table, limits: SharedLimits(SyncLimits()), isJournalled: true)
  }

  mutating func join() throws -> Int {
    let context = TableMachine.JoinContext(
      turn: turn, now: Instant(nanoseconds: 0), requiresInvite: false, storage: storage,
      committed: TurnNumber(rawValue: 0))
    let admission = try machine.join(
      Hello(table: "t", name: "someone"), on: ConnectionID(slot: joined, generation: 1), context, random: &random,
      into: batch)
    joined += 1
    return admission.member
  }

  /// Returns moves of the list's first items to its end.
  func moves(_ count: Int) -> [TableOperation] {
    machine.table.state.itemIDs(in: RoomBench.list).prefix(count).map {
      operation(.move([$0], to: .end(of: RoomBench.list)))
    }
  }

  private func operation(_ kind: TableOperation.Kind) -> TableOperation {
    TableOperation(
      sequence: machine.sessions[0].answers.last.next, base: machine.table.state.revision, epoch: machine.epoch,
      kind: kind)
  }

  /// Submits an operation by the long path.
  mutating func submit(_ operation: TableOperation, from member: Int) throws {
    try machine.submit(operation, from: member, storage: storage, random: &random, at: now, into: batch)
  }

  mutating func perform(_ action: HostAction, from member: Int) throws {
    try submit(operation(action.operation), from: member)
  }

  /// Receives frames by the short path.
  ///
  /// - Returns: The number of frames that took it.
  mutating func receiveMoves(_ frames: [UInt8], from member: Int) throws -> Int {
    var received = ShardMachine.Received()
    var budget = TurnBudget()
    try frames.withUnsafeBytes { bytes in
      try machine.receiveMoves(
        bytes, FrameReader(), from: member, &budget, within: false, at: now, into: batch, &received)
    }
    return received.frames
  }

  struct Turn {
    var sent = SentMessages()
    /// The frames of each connection.
    var bytes: [Int: [UInt8]] = [:]
    var writes: [JournalWrite] = []
    /// Whether the frames wait until the writes are durable.
    var isHeld: Bool
  }

  mutating func endTurn() throws -> Turn {
    var parts = 8
    var writes: [JournalWrite] = []
    let holds = machine.endTurn(turn, parts: &parts, at: Instant(nanoseconds: 0), into: batch, &writes)
    var end = Turn(writes: writes, isHeld: holds.strict)
    for delivery in batch.deliveries {
      let frame = batch.withUnsafeBytes { Array($0[Int(delivery.start)..<Int(delivery.end)]) }
      let slot = Int(delivery.connection.slot)
      end.bytes[slot, default: []] += frame
    }
    end.sent = try batch.take()
    turn = turn.next
    return end
  }
}

extension JournalWrite {
  fileprivate var kind: String {
    switch self {
    case .table: "table"
    case .record: "record"
    case .snapshot: "snapshot"
    case .deletion: "deletion"
    case .revocations: "revocations"
    }
  }
}
