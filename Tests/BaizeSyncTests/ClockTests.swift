import BaizeTable
import BaizeWire
import TestSupport
import Testing

@testable import BaizeSimulator
@testable import BaizeSync

/// T1–T9: the time of a turn and of the table.
///
/// In `timed` a turn has three seconds. When they are up, the seat whose turn it is gets the first card of the row.
@Suite struct ClockTests {
  private let daemon: Daemon
  private let ada: Peer
  private let bo: Peer

  init() {
    daemon = Daemon { $0.tables.expiriesInARowMax = 4 }
    ada = Peer(daemon, type: "timed")
    bo = Peer(daemon, type: "timed")
    ada.receive()
  }

  /// The numbers of items in the row, in the hands, and on the pile.
  private var counts: [Int] { daemon.state.handles.map { daemon.state.count(in: $0) } }

  private var done: Destination { .end(of: CollectionHandle(rawValue: 4)) }

  /// Lays the first card of the row on the pile, which passes the turn.
  @discardableResult
  private func lay(by peer: Peer) -> Answer? {
    let first = peer.replica?.state.itemIDs(in: .first).first ?? .none
    return peer.ask(.move([first], to: done))
  }

  private func receiveAll() -> [[ServerMessage]] { [ada.receive(), bo.receive()] }

  // MARK: What happens

  @Test func `when the time of a turn is up, the daemon does what the type prescribes, and tells everyone`() throws {
    #expect(bo.received.countdowns.map(\.turnMilliseconds) == [3_000])
    daemon.sweep(afterSeconds: 2)
    #expect(counts == [5, 3, 4, 0] && receiveAll().allSatisfy { $0.countdowns.isEmpty })
    daemon.sweep(afterSeconds: 1)
    #expect(counts == [4, 4, 4, 0])
    for messages in receiveAll() {
      let diff = try #require(messages.first?.diff)
      #expect(diff.author == .daemon && diff.sequence == .zero && messages.count == 2)
      let up = Countdown(
        turnMilliseconds: 3_000, tableMilliseconds: 17_000, isTurnUp: true, seat: SeatNumber(rawValue: 1))
      #expect(messages.countdowns == [up])
    }
    #expect(ada.isConverged && bo.isConverged)
  }

  @Test func `I6: others learn only the number of cards in a hand that the time has filled`() {
    daemon.sweep(afterSeconds: 3)
    bo.receive()
    let hand = CollectionHandle(rawValue: 2)
    #expect(bo.replica?.state.items(in: hand, from: 0, limit: 9).isEmpty == true && bo.isConverged)
    guard let diff = bo.diffs.last else { return #expect(Bool(false)) }
    #expect(diff.changes.contains(.counted(hand, 4)) && diff.itemCount == 1, "the card leaves the row")
  }

  @Test func `an attempt that the rules refuse leaves the next one: with a full hand the turn passes`() {
    for _ in 1...3 { daemon.sweep(afterSeconds: 3) }
    #expect(counts == [2, 6, 4, 0] && daemon.state.seatToMove?.rawValue == 1)
    daemon.sweep(afterSeconds: 3)
    #expect(counts == [2, 6, 4, 0] && daemon.state.seatToMove?.rawValue == 2)
    _ = receiveAll()
    #expect(ada.isConverged && bo.isConverged)
  }

  @Test func `the time of the table is up by itself, and begins anew`() {
    daemon.host.shard.tables[0].clock = TableClock(TimeLimits(table: daemon.state.type.timeLimits.table))
    lay(by: ada)
    bo.receive()
    lay(by: bo)
    daemon.sweep(afterSeconds: 19)
    #expect(counts == [3, 3, 4, 2])
    ada.receive()
    daemon.sweep(afterSeconds: 2)
    #expect(counts == [4, 3, 4, 1])
    #expect(
      ada.receive().countdowns == [
        Countdown(tableMilliseconds: 20_000, isTableUp: true, seat: SeatNumber(rawValue: 1))
      ])
  }

  // MARK: When the time begins

  @Test func `a turn's time begins with the diff that gives the turn, and no other diff gives it more`() {
    daemon.pass(seconds: 2)
    lay(by: ada)
    #expect(ada.received.countdowns.last?.turnMilliseconds == 3_000)
    bo.receive()
    daemon.sweep(afterSeconds: 2)
    let hand = CollectionHandle(rawValue: 3)
    guard let card = bo.replica?.state.itemIDs(in: hand).first else { return #expect(Bool(false)) }
    bo.ask(.move([card], to: .end(of: hand)))
    daemon.sweep(afterSeconds: 1)
    #expect(counts == [3, 3, 5, 1], "arranging one's hand gives no time")
  }

  @Test func `a turn that passes twice within a turn of the shard has its full time`() {
    daemon.pass(seconds: 2)
    for peer in [ada, bo] {
      daemon.receive(
        peer.forged(1, .move([daemon.state.itemIDs(in: .first)[0]], to: done)),
        on: peer.connection)
    }
    daemon.endTurn()
    #expect(counts == [3, 3, 4, 2] && daemon.state.seatToMove?.rawValue == 1)
    daemon.sweep(afterSeconds: 2)
    #expect(counts == [3, 3, 4, 2])
    daemon.sweep(afterSeconds: 1)
    #expect(counts == [2, 4, 4, 2])
  }

  @Test func `I5: an operation that arrives before the sweep is in time, and the next player has the full time`() {
    daemon.pass(seconds: 4)
    ada.submit(.move([ada.replica?.state.itemIDs(in: .first)[0] ?? .none], to: done))
    for operation in ada.outbox { daemon.receive(.operation(operation), on: ada.connection) }
    daemon.tick()
    daemon.endTurn()
    #expect(counts == [4, 3, 4, 1] && daemon.state.seatToMove?.rawValue == 2)
    daemon.sweep(afterSeconds: 2)
    #expect(counts == [4, 3, 4, 1])
    daemon.sweep(afterSeconds: 1)
    #expect(counts == [3, 3, 5, 1])
  }

  @Test func `I10: an operation that arrives after the time was up is judged on what the time has left`() {
    let first = ada.replica?.state.itemIDs(in: .first).first ?? .none
    ada.submit(.move([first], to: done))
    daemon.sweep(afterSeconds: 3)
    ada.exchange()
    #expect(ada.answer(1)?.reason != nil && counts == [4, 4, 4, 0] && ada.isConverged && ada.pending.isEmpty)
  }

  @Test func `a claim does not stop the time, and a player cannot undo what the time has overtaken`() {
    ada.ask(.perform(action: "pass", items: [], nil))
    bo.receive()
    let row = bo.replica?.state.itemIDs(in: .first) ?? []
    bo.send(.drag(Drag(phase: .began, items: [row[0]])))
    daemon.sweep(afterSeconds: 3)
    #expect(counts == [4, 3, 5, 0])
    for _ in 1...4 { daemon.sweep(afterSeconds: 3) }
    _ = receiveAll()
    #expect(daemon.state.seatToMove?.rawValue == 1, "the turn has passed again")
    #expect(ada.ask(.undo(SequenceNumber(rawValue: 1)))?.reason == .undoTooLate && ada.isConverged)
  }

  // MARK: When the time does not run

  @Test func `the time pauses while no player is connected, and leaves a player who returns some seconds`() {
    let spectator = Peer(daemon, type: "", role: .spectator)
    #expect(spectator.received.countdowns.map(\.turnMilliseconds) == [3_000])
    daemon.pass(seconds: 2)
    for peer in [ada, bo] { daemon.lose(peer.connection) }
    daemon.endTurn()
    #expect(spectator.receive().countdowns == [Countdown()])
    for _ in 1...20 { daemon.sweep(afterSeconds: 2) }
    #expect(counts == [5, 3, 4, 0])
    ada.reconnect()
    #expect(ada.received.countdowns.last?.turnMilliseconds == 3_000, "five seconds, or the time of a turn")
    daemon.sweep(afterSeconds: 2)
    #expect(counts == [5, 3, 4, 0])
    daemon.sweep(afterSeconds: 1)
    #expect(counts == [4, 4, 4, 0])
  }

  @Test func `I8: after some times in a row without anyone acting it stops, until someone does`() {
    for _ in 1...10 { daemon.sweep(afterSeconds: 3) }
    #expect(daemon.state.seatToMove?.rawValue == 2 && counts == [2, 6, 4, 0], "four times")
    #expect(ada.receive().countdowns.last?.turnMilliseconds == 0)
    let revision = daemon.state.revision
    daemon.sweep(afterSeconds: 10)
    #expect(daemon.state.revision == revision)
    bo.receive()
    lay(by: bo)
    #expect(bo.received.countdowns.last?.turnMilliseconds == 3_000)
    daemon.sweep(afterSeconds: 3)
    #expect(daemon.state.revision > revision.next)
  }

  @Test func `I6, I8: a player is charged for what happens when the time is up, and the clock does not show it`() {
    let daemon = Daemon {
      $0.journal.bytesPerAddressMax = 6_000
      $0.tables.expiriesInARowMax = 1_000_000
      $0.connections.heartbeatSeconds = 1_000_000
    }
    let address = PeerID(high: 0, low: 1)
    let (ada, bo) = (Peer(daemon, type: "timed", from: address), Peer(daemon, type: "timed", from: address))
    for _ in 1...600 { daemon.sweep(afterSeconds: 3) }
    ada.receive()
    #expect(ada.outcomes.isEmpty)
    ada.ask(.perform(action: "pass", items: [], nil))
    #expect(ada.outcomes.last?.refusal.reason == .storage, "its address has had too much written")
    // It goes on: whether it pauses would depend on the size of private things.
    let revision = daemon.state.revision
    for _ in 1...3 { daemon.sweep(afterSeconds: 3) }
    #expect(daemon.state.revision > revision)
    #expect(!ada.receive().countdowns.contains(Countdown()))
    bo.receive()
    #expect(ada.isConverged && bo.isConverged)
  }

  @Test func `who resumes by diffs learns the time that is left`() {
    daemon.pass(seconds: 1)
    daemon.lose(bo.connection)
    daemon.endTurn()
    bo.reconnect()
    #expect(bo.received.countdowns.last == Countdown(turnMilliseconds: 2_000, tableMilliseconds: 19_000))
  }

  @Test func `a table that is loaded from the journal has the full time`() {
    daemon.pass(seconds: 2)
    daemon.restart()
    for peer in [ada, bo] { peer.reconnect() }
    #expect(ada.received.countdowns.last?.turnMilliseconds == 3_000 && daemon.table.epoch.rawValue == 2)
    daemon.sweep(afterSeconds: 2)
    #expect(counts == [5, 3, 4, 0])
    daemon.sweep(afterSeconds: 1)
    _ = receiveAll()
    #expect(counts == [4, 4, 4, 0] && ada.isConverged && bo.isConverged)
  }

  @Test func `I3, I7: a time that is up while the disk is full happens once, after a full time`() {
    daemon.fillDisk()
    daemon.sweep(afterSeconds: 3)
    for _ in 1...10 { daemon.sweep(afterSeconds: 3) }
    _ = receiveAll()
    #expect(counts == [5, 3, 4, 0], "what could not be committed is void")
    daemon.recover()
    daemon.endTurn()
    daemon.sweep(afterSeconds: 2)
    _ = receiveAll()
    #expect(counts == [5, 3, 4, 0] && ada.received.countdowns.last?.turnMilliseconds == 3_000)
    daemon.sweep(afterSeconds: 1)
    _ = receiveAll()
    #expect(counts == [4, 4, 4, 0] && ada.isConverged && bo.isConverged)
  }

  @Test func `the time stops with the game`() {
    let type = SimulatedTypes.makeTimed(
      "ending",
      endings: [
        Ending(
          when: .compare(.count(.collections([CollectionHandle(rawValue: 4)])), .equal, .constant(.number(1))),
          status: "won")
      ])
    var table = Table(type: type, random: RandomSource(seed: 1))
    guard let limit = type.timeLimits.turn else { return #expect(Bool(false)) }
    #expect(!table.state.runs(limit), "no seat is taken")
    _ = table.seat([Seat(number: SeatNumber(rawValue: 1), name: "", person: SessionID(rawValue: 1))])
    #expect(table.state.runs(limit))
    var author = TestAuthor()
    author.ask(.move([table.state.itemIDs(in: .first)[0]], to: done), of: &table)
    #expect(table.state.hasEnded && !table.state.runs(limit) && table.expire(limit).diff == nil)
  }

  // MARK: Many tables

  @Test func `I11: of many tables whose time is up at once, a turn serves as many as its budget allows`() {
    let daemon = Daemon(durability: .memory)
    let peers = (0..<400).map { Peer(daemon, table: "t\($0)", type: "timed") }
    daemon.pass(seconds: 4)
    for peer in peers { daemon.receive(.ping(Ping(nonce: 1)), on: peer.connection) }
    daemon.endTurn()
    var (turns, last, isDone) = (0, 400, false)
    while !isDone, turns < 1_000 {
      isDone = daemon.tick()
      let revisions = peers.indices.reduce(0) { $0 + Int(daemon.shard.tables[$1].table.state.revision.rawValue) }
      #expect(revisions - last <= ServerLimits.turnWorkMax / 4, "\(revisions - last) tables in one turn")
      last = revisions
      daemon.endTurn()
      turns += 1
    }
    #expect(turns > 1 && peers.indices.allSatisfy { daemon.shard.tables[$0].table.state.revision.rawValue == 2 })
  }

  @Test func `what happens when the time is up is counted as work of the turn`() {
    let daemon = Daemon(durability: .memory)
    _ = Peer(daemon, type: "timed")
    for _ in 1...3 { daemon.endTurn() }
    daemon.pass(seconds: 4)
    daemon.host.shard.budget.charge(ServerLimits.turnWorkMax - 1)
    #expect(!daemon.shard.budget.isExhausted)
    daemon.tick()
    #expect(daemon.shard.budget.isExhausted)
  }
}
