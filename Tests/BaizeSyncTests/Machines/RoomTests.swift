import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// A room as a value: who is sent what, and how a member that missed something gets level (I2, I6, I8).
@Suite struct RoomTests {
  // MARK: Fan-out

  @Test func `every live member gets every diff of a turn in order, and the author its new ids`() throws {
    var bench = try RoomBench()
    let members = (0..<3).map { _ in bench.join() }
    try bench.moveFirst(by: 2)
    let inserted = try bench.perform(.insert([NewItem()], .end(of: RoomBench.list)), by: 1)
    try bench.moveFirst(by: 0)
    let sent = try bench.endTurn()
    for member in members {
      #expect(sent[member].revisions == [1, 2, 3])
      #expect(sent[member].diffs[1].minted == (member == 1 ? inserted.minted : []))
    }
    #expect(inserted.minted.count == 1)
    for member in members { #expect(bench.sessions[member].answers.sent == bench.sessions[member].answers.last) }
  }

  /// Against the views of the diff, seat by seat.
  @Test func `each seat gets its own view, encoded once for all who see the same`() throws {
    var bench = try RoomBench("hands")
    for seat in [1, 2, 0, 0] as [UInt32] { _ = bench.join(seat: seat) }
    let type = bench.table.state.type
    let (hand, discard) = (try #require(type.handle(of: "hand/1")), try #require(type.handle(of: "discard")))
    let item = bench.table.state.itemIDs(in: discard).last ?? .none
    let drop = ReorderDifference(sources: [item], destination: .end(of: hand))
    let diff = try bench.perform(.reorder(drop, suggested: []), by: 0)
    let starts = bench.batch.runs.map(\.start)
    let sent = try bench.endTurn()
    #expect(sent[0].diffs == [diff.view(for: SeatNumber(rawValue: 1))])
    for (member, seat) in [(1, 2), (2, 0), (3, 0)] as [(Int, UInt32)] {
      #expect(sent[member].diffs == [diff.forOthers.view(for: SeatNumber(rawValue: seat))])
      #expect(sent[member].diffs != sent[0].diffs)
    }
    #expect(starts.count == 4 && Set(starts).count == 2, "the author's frame, and one for all who see as a spectator")
  }

  // MARK: Catching up by records

  /// Most records are answers to others, of which the member is sent nothing.
  @Test func `I11: a long log is read in parts, in later turns, and what happens meanwhile follows in order`() throws {
    var bench = try RoomBench { $0.tables.tailBytesReadMax = 200 }
    let author = bench.join()
    for _ in 1...30 {
      try bench.moveFirst(by: author)
      for _ in 1...5 { bench.refuse(author) }
      _ = try bench.endTurn()
    }
    let member = bench.join()
    bench.sendMissedRecords(since: Revision(rawValue: 2), to: member)
    #expect(!bench.room.members[member].isLive && bench.room.loadingCount == 1)
    var turns: [[UInt64]] = []
    while !bench.room.members[member].isLive, turns.count < 200 {
      if turns.count < 3 { try bench.moveFirst(by: author) }
      turns.append(try bench.endTurn()[member].revisions)
    }
    #expect(turns.flatMap(\.self) == Array(3...33) && turns.count > 5, "\(turns)")
    #expect(bench.room.loadingCount == 0 && bench.room.readyCount == 0)
  }

  @Test func `a member whose log is gone before it was read gets a snapshot, and so does one that asks for it`() throws
  {
    for asks in [false, true] {
      var bench = try RoomBench { $0.tables.tailBytesReadMax = 60 }
      let author = bench.join()
      for _ in 1...10 {
        try bench.moveFirst(by: author)
        _ = try bench.endTurn()
      }
      let member = bench.join()
      bench.sendMissedRecords(since: .zero, to: member)
      if asks {
        bench.room.requestSnapshot(member, of: bench.table.state, bench.sessions, into: bench.batch)
      } else {
        bench.room.log.forgetAll()
      }
      var messages: [ServerMessage] = []
      for _ in 1...3 { messages += try bench.endTurn()[member] }
      #expect(messages.parts.map(\.revision.rawValue) == [10] && bench.room.members[member].isLive)
    }
  }

  @Test(arguments: 0...6 as ClosedRange<UInt64>)
  func `a member that has a revision gets the diffs after it, those of the open turn included`(held: UInt64) throws {
    var bench = try RoomBench()
    let author = bench.join()
    for turn in [2, 1, 2] {
      for _ in 0..<turn { try bench.moveFirst(by: author) }
      _ = try bench.endTurn()
    }
    try bench.moveFirst(by: author)
    let member = bench.join()
    bench.sendMissedRecords(since: Revision(rawValue: held), to: member)
    #expect(bench.room.members[member].isLive)
    try bench.moveFirst(by: author)
    #expect(try bench.endTurn()[member].revisions == Array((held + 1)...7))
  }

  @Test func `a member that comes back gets the answers to its own operations, once`() throws {
    var bench = try RoomBench()
    let (member, other) = (bench.join(), bench.join())
    bench.room.setPhase(.lagging, of: member)
    bench.refuse(member)
    try bench.moveFirst(by: member)
    try bench.moveFirst(by: other)
    #expect(bench.sessions[member].answers.unsentCount == 2)
    bench.sendMissedRecords(since: .zero, to: member)
    bench.refuse(member)
    let sent = try bench.endTurn()[member]
    #expect(sent.outcomes.map(\.sequence.rawValue) == [1, 3] && sent.diffs.map(\.sequence.rawValue) == [2, 1])
    #expect(bench.sessions[member].answers.unsentCount == 0)
  }

  // MARK: Catching up by a snapshot

  @Test func `a snapshot comes part by part, then what was done meanwhile, then the member is live`() throws {
    var bench = try RoomBench { $0.tables.snapshotPartItemsMax = 2 }
    let (member, author) = (bench.join(), bench.join())
    try bench.moveFirst(by: author)
    bench.beginSnapshot(member)
    bench.refuse(member)
    var messages: [ServerMessage] = []
    for turn in 1...3 {
      #expect(bench.room.hasPartsToProduce)
      try bench.moveFirst(by: author)
      let sent = try bench.endTurn()
      #expect(sent[member].parts.count == 1 && sent[member].parts[0].isComplete == (turn == 3))
      messages += sent[member]
    }
    let items = messages.parts.flatMap(\.items).map(\.id)
    #expect(items.count == 5 && messages.parts.allSatisfy { $0.revision.rawValue == 1 })
    // The first was published before the snapshot began, which has it.
    #expect(messages.revisions == [1, 2, 3, 4] && messages.outcomes.map(\.sequence.rawValue) == [1])
    #expect(bench.room.members[member].isLive && !bench.room.hasPartsToProduce)
    try bench.moveFirst(by: author)
    #expect(try bench.endTurn()[member].revisions == [5])
  }

  @Test func `a snapshot that the log has left behind is followed by another`() throws {
    var bench = try RoomBench {
      $0.tables.snapshotPartItemsMax = 1
      $0.tables.logBytesWhileLoadingMax = 40
    }
    let (member, author) = (bench.join(), bench.join())
    bench.beginSnapshot(member)
    for _ in 0..<8 { try bench.moveFirst(by: author) }
    var revisions: [UInt64] = []
    while !bench.room.members[member].isLive {
      try #require(bench.room.hasPartsToProduce)
      let sent = try bench.endTurn()
      #expect(sent[member].revisions == [], "the log does not have what was missed")
      revisions += sent[member].parts.map(\.revision.rawValue)
    }
    #expect(revisions == Array(repeating: 0, count: 5) + Array(repeating: 8, count: 5))
    try bench.moveFirst(by: author)
    #expect(try bench.endTurn()[member].revisions == [9])
  }

  @Test func `members share the parts of a turn, each in turn`() throws {
    var bench = try RoomBench("list?items=6") { $0.tables.snapshotPartItemsMax = 2 }
    let members = (0..<3).map { _ in bench.join() }
    for member in members { bench.beginSnapshot(member) }
    var counts = [0, 0, 0]
    for _ in 0..<3 {
      let sent = try bench.endTurn(parts: 2)
      for member in members { counts[member] += sent[member].parts.count }
      #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
    }
    #expect(counts.reduce(0, +) == 6)
  }

  @Test func `a member that asks for a snapshot gets one, and no second one in the same turn`() throws {
    var bench = try RoomBench()
    let member = bench.join()
    _ = try bench.endTurn()
    for _ in 0..<2 { bench.room.requestSnapshot(member, of: bench.table.state, bench.sessions, into: bench.batch) }
    #expect(bench.batch.counts.resynchronized == 2)
    #expect(try bench.endTurn()[member].parts.count == 1)
    #expect(try bench.endTurn()[member].isEmpty && bench.room.members[member].isLive)
  }

  // MARK: Backlogs

  @Test func `above the high-water mark a member gets nothing, and below the low one a snapshot`() throws {
    var bench = try RoomBench()
    let (slow, author) = (bench.join(), bench.join())
    bench.report(slow, backlog: bench.limits.connections.outboxHardBytes)
    try bench.moveFirst(by: author)
    #expect(try bench.endTurn()[slow].revisions == [1], "at the mark it still follows")
    bench.report(slow, backlog: bench.limits.connections.outboxHardBytes + 1)
    try bench.moveFirst(by: author)
    #expect(try bench.endTurn()[slow].isEmpty && !bench.room.hasPartsToProduce)
    bench.report(slow, backlog: bench.limits.connections.outboxResumeBytes + 1)
    #expect(try bench.endTurn()[slow].isEmpty && !bench.room.hasPartsToProduce)
    bench.report(slow, backlog: bench.limits.connections.outboxResumeBytes)
    #expect(bench.room.hasPartsToProduce)
    let sent = try bench.endTurn()
    #expect(sent[slow].parts.map(\.revision.rawValue) == [2] && bench.room.members[slow].isLive)
  }

  @Test func `a member that leaves takes its wait for a snapshot along, and the last one takes its index`() throws {
    var bench = try RoomBench()
    for _ in 0..<3 { _ = bench.join() }
    bench.room.setPhase(.lagging, of: 0)
    bench.beginSnapshot(1)
    #expect(bench.room.loadingCount == 1 && bench.room.readyCount == 2)
    bench.room.remove(0)
    #expect(bench.room.members.map(\.session) == [2, 1] && bench.room.readyCount == 1)
    bench.room.remove(1)
    #expect(bench.room.loadingCount == 0 && !bench.room.hasPartsToProduce && bench.room.emptySince == nil)
    bench.room.remove(0, at: Instant(nanoseconds: 7))
    #expect(bench.room.emptySince == Instant(nanoseconds: 7))
  }

  // MARK: Presence

  @Test func `who is connected is announced once, and to a member that loads when it is live`() throws {
    var bench = try RoomBench()
    let (member, late) = (bench.join(seat: 1), bench.join(seat: 2))
    let seats = [member, late].map { slot in
      Seat(number: bench.sessions[slot].seat, name: bench.sessions[slot].name, person: bench.sessions[slot].id)
    }
    _ = bench.table.seat(seats)
    bench.sessions[late].connectivity = .lost(since: Instant(nanoseconds: 1))
    bench.room.setPhase(.lagging, of: late)
    bench.report(late, backlog: bench.limits.connections.outboxResumeBytes + 1)
    bench.room.hasNewPresence = true
    let sent = try bench.endTurn()
    #expect(sent[member].seats.map { $0.map(\.isConnected) } == [[true, false]] && sent[late].isEmpty)
    #expect(try bench.endTurn().isEmpty)
    bench.report(late, backlog: 0)
    #expect(try bench.endTurn()[late].seats.count == 1)
  }

  @Test func `a member that becomes live gets the drags that go on, and the end of those that it had seen`() throws {
    var bench = try RoomBench()
    let (seen, unseen, late) = (bench.join(), bench.join(), bench.join())
    let items = bench.table.state.itemIDs(in: RoomBench.list)
    bench.drag(.began, [items[0]], by: seen)
    _ = try bench.endTurn()
    bench.beginSnapshot(late)
    bench.drag(.ended, by: seen)
    bench.drag(.began, [items[1]], by: unseen)
    let drags = try bench.endTurn()[late].drags
    #expect(drags.map(\.session) == [bench.sessions[seen].id, bench.sessions[unseen].id])
    #expect(drags.map(\.phase) == [.cancelled, .began] && drags[1].items == [items[1]])
  }
}
