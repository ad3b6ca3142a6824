import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// What a room relays and is no part of the state: seats, drags with their claims, and the answers to pings.
@Suite struct RoomPresenceTests {
  private static func firstItems(_ bench: RoomBench, _ count: Int) -> ItemList {
    ItemList(bench.table.state.itemIDs(in: RoomBench.list).prefix(count))
  }

  // MARK: Seats

  @Test func `who is connected is announced once, and to a member that loads when it is live`() throws {
    var bench = try RoomBench()
    let (member, late) = (bench.join(seat: 1), bench.join(seat: 2))
    let seats = [member, late].map { slot in
      Seat(number: bench.sessions[slot].seat, name: bench.sessions[slot].name, session: bench.sessions[slot].id)
    }
    _ = bench.table.seat(seats)
    bench.sessions[late].connectivity = .lost(since: Instant(nanoseconds: 1))
    bench.room.setPhase(.lagging, of: late)
    bench.report(late, backlog: bench.limits.connections.outboxResumeBytes + 1)
    bench.room.hasNewPresence = true
    let sent = try bench.endTurn()
    #expect(sent[member].seats.map { $0.map(\.isConnected) } == [[true, false]] && sent[late] == nil)
    #expect(try bench.endTurn().isEmpty)
    bench.report(late, backlog: 0)
    #expect(try bench.endTurn()[late].seats.count == 1)
  }

  // MARK: Drags

  @Test func `a drag is relayed to the others from its beginning to its end`() throws {
    var bench = try RoomBench()
    let (author, other) = (bench.join(), bench.join())
    let items = Self.firstItems(bench, 2)
    bench.drag(.began, items, by: author)
    bench.drag(.moved, by: author)
    bench.drag(.ended, by: author)
    bench.drag(.ended, by: author)
    let sent = try bench.endTurn()
    #expect(sent[author] == nil && sent[other].drags.map(\.phase) == [.began, .moved, .ended])
    let session = bench.sessions[author].id
    #expect(sent[other].drags.allSatisfy { $0.items == items && $0.session == session })
  }

  @Test func `of two who drag the same item the second is refused, until the claim ends`() throws {
    var bench = try RoomBench()
    let (first, second) = (bench.join(), bench.join())
    let items = Self.firstItems(bench, 1)
    bench.drag(.began, items, by: first)
    bench.drag(.began, items, by: second, at: bench.limits.sessions.claimSeconds)
    var sent = try bench.endTurn()
    #expect(sent[second].drags.map(\.isRefused) == [false, true] && sent[first] == nil)
    bench.drag(.began, items, by: second, at: bench.limits.sessions.claimSeconds + 1)
    sent = try bench.endTurn()
    #expect(sent[first].drags.map(\.isRefused) == [false] && sent[second] == nil)
  }

  @Test func `a movement is dropped for a member with a backlog, the ends of a drag are not`() throws {
    var bench = try RoomBench()
    let (author, slow) = (bench.join(), bench.join())
    bench.report(slow, backlog: bench.limits.connections.outboxSoftBytes + 1)
    bench.drag(.began, Self.firstItems(bench, 1), by: author)
    bench.drag(.moved, by: author)
    bench.room.endDrag(of: author, in: bench.table.state, into: bench.batch)
    #expect(try bench.endTurn()[slow].drags.map(\.phase) == [.began, .cancelled])
  }

  @Test func `a member that becomes live gets the drags that go on, and the end of those that it had seen`() throws {
    var bench = try RoomBench()
    let (seen, unseen, late) = (bench.join(), bench.join(), bench.join())
    let items = Self.firstItems(bench, 2)
    bench.drag(.began, [items[0]], by: seen)
    _ = try bench.endTurn()
    bench.beginSnapshot(late)
    bench.drag(.ended, by: seen)
    bench.drag(.began, [items[1]], by: unseen)
    let drags = try bench.endTurn()[late].drags
    #expect(drags.map(\.session) == [bench.sessions[seen].id, bench.sessions[unseen].id])
    #expect(drags.map(\.phase) == [.cancelled, .began] && drags[1].items == [items[1]])
  }

  @Test func `a drag shows nobody the items of a private collection`() throws {
    var bench = try RoomBench("hands")
    let members = [1, 2, 0].map { bench.join(seat: $0) }
    let hand = try #require(bench.table.state.type.handle(of: "hand/1"))
    bench.drag(.began, ItemList(bench.table.state.itemIDs(in: hand).prefix(1)), by: members[0])
    let sent = try bench.endTurn()
    for member in members.dropFirst() { #expect(sent[member].drags.map(\.items) == [[]]) }
  }

  // MARK: Pings

  @Test func `a ping that comes while a member loads is answered behind what it missed`() throws {
    var bench = try RoomBench()
    let (member, author) = (bench.join(), bench.join())
    bench.beginSnapshot(member)
    bench.room.pong(Ping(nonce: 5, wantsHash: true), to: member, &bench.table, into: bench.batch)
    try bench.moveFirst(by: author)
    let sent = try #require(try bench.endTurn()[member])
    guard case .pong(let pong)? = sent.last else { return #expect(Bool(false), "\(sent)") }
    #expect(pong.nonce == 5 && pong.revision == bench.table.state.revision && Optional(sent).revisions == [1])
    #expect(pong.viewHash == bench.table.viewHash(for: SeatNumber(rawValue: 1)))
  }
}
