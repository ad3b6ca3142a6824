import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// S8–S10: the cost of a slow reader is bounded, and many of them do not delay others' turns (I8).
@Suite struct SlowReaderTests {
  private static func daemon(_ change: (inout SyncLimits) -> Void = { _ in }) -> Daemon {
    Daemon {
      $0.connections.outboxSoftBytes = 1_000
      $0.connections.outboxHardBytes = 2_000
      $0.connections.outboxResumeBytes = 500
      $0.tables.snapshotPartItemsMax = 10
      $0.tables.snapshotPartsPerTurnMax = 2
      change(&$0)
    }
  }

  private static func bytes(_ messages: [ServerMessage]) -> Int { messages.reduce(0) { $0 + $1.framed().count } }

  @Test func `I8: many slow readers that resume reading at once receive their snapshots over several turns`() {
    let daemon = Self.daemon()
    let player = Peer(daemon)
    let readers = (0..<10).map { _ in Peer(daemon, role: .spectator) }
    for reader in readers { daemon.backlog(of: reader.connection, 3_000) }
    player.ask(player.move(3, before: 1))
    for reader in readers { daemon.backlog(of: reader.connection, 0) }
    for turn in 1...5 {
      #expect(daemon.wantsTurn)
      daemon.endTurn()
      for reader in readers { reader.receive() }
      #expect(readers.count(where: \.isConverged) == 2 * turn)
    }
    #expect(!daemon.wantsTurn)
  }

  @Test func `I1, I2, I8: the diffs made during a snapshot are sent in portions that fit the queue`() {
    let daemon = Self.daemon()
    let player = Peer(daemon, type: "list?items=50")
    for _ in 1...10 { daemon.endTurn() }
    player.receive()
    let reader = Peer(daemon, type: "list?items=50", role: .spectator)
    daemon.backlog(of: reader.connection, 1_000)
    var longest = 0
    for number in 0..<200 {
      player.ask(player.move(number % 50 + 1))
      longest = max(longest, player.diffs.last.map { Self.bytes([.diff($0)]) } ?? 0)
    }
    daemon.backlog(of: reader.connection, 0)
    var portions: [Int] = []
    while daemon.wantsTurn {
      daemon.endTurn()
      let diffs = reader.receive().filter { $0.diff != nil }
      if !diffs.isEmpty { portions.append(Self.bytes(diffs)) }
    }
    #expect(portions.count > 2 && portions.allSatisfy { $0 <= 1_000 + longest }, "\(portions)")
    #expect(reader.isConverged && !daemon.table.room.hasPartsToProduce && daemon.table.room.loadingCount == 0)
  }

  @Test func `I8: unread snapshots do not pile up, however many are requested: one is sent for each drain`() {
    let daemon = Self.daemon()
    let player = Peer(daemon)
    let reader = Peer(daemon, role: .spectator)
    daemon.backlog(of: reader.connection, 600)
    reader.receive()
    for _ in 1...10 { reader.send(.snapshotRequest(why: "again")) }
    #expect(reader.receive().isEmpty && !daemon.wantsTurn)
    player.ask(player.move(3, before: 1))
    daemon.backlog(of: reader.connection, 0)
    for _ in 1...3 { daemon.endTurn() }
    #expect(
      reader.receive().count(where: { $0.part != nil }) == 1 && reader.isConverged)
  }

  @Test func `I8: a byte a second is too slow; a thousand within the timeout suffice, even if the backlog grows`() {
    let daemon = Self.daemon { $0.connections.stalledBytesMin = 1_000 }
    let trickle = Peer(daemon)
    let slow = Peer(daemon)
    for second in 0..<90 {
      daemon.backlog(of: trickle.connection, 900 - second, taken: 1)
      daemon.backlog(of: slow.connection, 900 + second, taken: 40)
      slow.send(.ping(Ping(nonce: 1)))
      if trickle.goodbye == nil { trickle.send(.ping(Ping(nonce: 1))) }
      daemon.sweep()
      slow.receive()
      trickle.receive()
      #expect((trickle.goodbye != nil) == (second >= 30), "after \(second) s")
      daemon.pass(seconds: 1)
    }
    #expect(trickle.goodbye?.reason == .slow && trickle.goodbye?.isResumable == true && slow.goodbye == nil)
  }

  @Test func `I8: begins of drags are rate-limited, and accepted again later`() {
    let daemon = Daemon()
    let (restless, other) = (Peer(daemon), Peer(daemon))
    let burst = Int(SyncLimits().sessions.dragsPerSecondMax)
    for _ in 1...50 { restless.send(.drag(Drag(phase: .began, items: [restless.item(1)]))) }
    restless.receive()
    other.receive()
    let begun = other.drags.count { $0.phase == .began }
    #expect((burst...burst + 1).contains(begun) && restless.drags.count { $0.isRefused } == 50 - begun)
    daemon.pass(seconds: 1)
    restless.send(.drag(Drag(phase: .began, items: [restless.item(1)])))
    other.receive()
    #expect(other.drags.count { $0.phase == .began } == begun + 1)
  }

  @Test func `I8: thousands of connections that time out at once are all closed, over several turns`() {
    let daemon = Self.daemon { $0.connections.dismissalsPerTickMax = 2 }
    let withoutHello = (0..<5).map { _ in daemon.connect() }
    daemon.pass(seconds: 10)
    var counts: [Int] = []
    for isDone in [false, false, true] {
      #expect(daemon.tick() == isDone)
      daemon.endTurn()
      counts.append(withoutHello.count(where: daemon.closed.contains))
    }
    #expect(counts == [2, 4, 5])
  }

  @Test func `spectators that join and leave are not announced: seats are`() {
    let daemon = Daemon()
    let player = Peer(daemon)
    player.receive()
    let spectators = (0..<5).map { _ in Peer(daemon, role: .spectator) }
    for spectator in spectators {
      #expect(spectator.received.kinds == ["welcome", "snapshot", "seats"])
      daemon.lose(spectator.connection)
    }
    daemon.endTurn()
    #expect(player.receive().isEmpty)
  }
}
