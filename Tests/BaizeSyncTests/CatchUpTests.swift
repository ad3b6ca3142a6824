import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// S1–S11: snapshots in parts, slow readers, and answers that a snapshot replaces.
@Suite struct CatchUpTests {
  private static func limit(_ limits: inout SyncLimits) {
    limits.connections.outboxSoftBytes = 1_000
    limits.connections.outboxHardBytes = 2_000
    limits.connections.outboxResumeBytes = 500
    limits.tables.snapshotPartItemsMax = 10
  }

  /// A daemon with a big table, a reader that has received a part of it, and a player.
  private struct Loading {
    let daemon: Daemon
    let player: Peer
    let reader: Peer

    init(_ change: (inout SyncLimits) -> Void = { _ in }) {
      daemon = Daemon {
        CatchUpTests.limit(&$0)
        change(&$0)
      }
      player = Peer(daemon, type: "list?items=50")
      for _ in 1...10 { daemon.endTurn() }
      player.receive()
      reader = Peer(daemon, type: "list?items=50")
      player.receive()
      // The first two parts have arrived; now nothing is read.
      daemon.backlog(of: reader.connection, 1_000)
    }

    func readOn() { resume(reader) }

    /// The peer reads again, whatever waits for it.
    func resume(_ peer: Peer) {
      daemon.backlog(of: peer.connection, 0)
      for _ in 1...10 { daemon.endTurn() }
      peer.receive()
    }
  }

  @Test func `I2, I3: operations of a reader that loads are answered after the snapshot, in order`() {
    let world = Loading()
    let reader = world.reader
    reader.send(reader.forged(1, world.player.move(7)))
    reader.send(reader.forged(2, .remove([ItemID(rawValue: 999)])))
    reader.send(reader.forged(3, epoch: 9, world.player.move(8)))
    reader.exchange(reader.forged(4, world.player.move(8)))
    #expect(reader.outcomes.isEmpty && reader.diffs.isEmpty)
    world.readOn()
    #expect(reader.diffs.map(\.sequence.rawValue) == [1])
    #expect(reader.outcomes.map(\.sequence.rawValue) == [2, 3, 4])
    #expect(reader.outcomes.map(\.verdict) == [.refused, .retry, .retry] && reader.isConverged)
  }

  @Test func `I8: if the diffs after a snapshot outgrow the log, another snapshot replaces them`() {
    let world = Loading { $0.tables.logBytesWhileLoadingMax = 400 }
    for round in 0...50 {
      world.player.ask(world.player.move(round % 50 + 1))
      if round == 5 { world.reader.send(world.reader.forged(1, world.player.move(50))) }
    }
    world.readOn()
    #expect(world.reader.parts.count(where: \.isComplete) == 2)
    #expect(world.reader.outcomes.map(\.sequence.rawValue) == [1], "its answer went with the tail")
    #expect(world.reader.outcomes.first?.verdict == .duplicate && world.reader.isConverged)
    world.player.receive()
    #expect(world.player.isConverged)
  }

  @Test func `I3: a snapshot that replaces the author's own diffs is followed by their answers`() {
    let daemon = Daemon(Self.limit)
    let player = Peer(daemon)
    let slow = Peer(daemon)
    slow.receive()
    daemon.backlog(of: slow.connection, 3_000)
    slow.submit(slow.move(3, before: 1))
    slow.submit(.remove([ItemID(rawValue: 999)]))
    slow.submit(slow.move(3, before: 1))
    slow.submit(slow.insert(9, before: 1))
    slow.submit(slow.move(9, before: 3))
    slow.send()
    player.receive()
    player.ask(player.move(5, before: 4))
    #expect(slow.receive().isEmpty && slow.pending.count == 5)
    daemon.backlog(of: slow.connection, 0)
    daemon.endTurn()
    slow.receive()
    #expect(
      slow.parts.count == 2
        && slow.outcomes.map(\.verdict) == [.duplicate, .refused, .unchanged, .duplicate, .duplicate])
    #expect(slow.answer(1) == .acceptedBefore(Revision(rawValue: 3)) && slow.answer(2)?.reason == .unknownItem)
    #expect(slow.answer(3) == .unchanged && slow.pending.isEmpty)
    #expect(slow.order() == [9, 3, 1, 2, 5, 4] && slow.isConverged)
  }

  @Test func `I3: skipped answers follow the snapshot, also while another member loads`() {
    let world = Loading()
    let slow = Peer(world.daemon, type: "list?items=50")
    for _ in 1...10 { world.daemon.endTurn() }
    slow.receive()
    world.daemon.backlog(of: slow.connection, 3_000)
    slow.submit(slow.move(3, before: 1))
    slow.submit(slow.move(4, before: 1))
    slow.send()
    world.resume(slow)
    #expect(slow.outcomes.map(\.verdict) == [.duplicate, .duplicate] && slow.pending.isEmpty && slow.isConverged)
    world.readOn()
    #expect(world.reader.isConverged)
  }

  @Test func `I3: operations that a backlog kept from being judged are answered after the snapshot`() {
    let daemon = Daemon(Self.limit)
    let slow = Peer(daemon, type: "list?items=50")
    for _ in 1...10 { daemon.endTurn() }
    slow.receive()
    for number in 1...4 { slow.submit(slow.move(number)) }
    guard let first = slow.outbox.first else { return }
    daemon.backlog(of: slow.connection, 3_000)
    slow.send(slow.forged(1, epoch: 5, first.kind))
    daemon.receive(.operation(slow.outbox[1]), on: slow.connection)
    daemon.endTurn()
    daemon.backlog(of: slow.connection, 0)
    daemon.endTurn()
    daemon.backlog(of: slow.connection, 1_000)
    // The snapshot has begun: later messages wait until its end.
    for operation in slow.outbox[2...] { slow.send(.operation(operation)) }
    daemon.backlog(of: slow.connection, 0)
    for _ in 1...10 { daemon.endTurn() }
    slow.receive()
    #expect(Set(slow.outcomes.map(\.sequence.rawValue)) == [1, 2, 3, 4] && slow.outcomes.count == 4)
    #expect(slow.outcomes.allSatisfy { $0.verdict == .retry } && slow.replica?.retryReason != nil)
    slow.reexpress()
    slow.exchange()
    #expect(slow.pending.isEmpty && slow.isConverged)
  }

  @Test func `I3: a snapshot requested in the middle replaces no answer that was sent`() {
    let daemon = Daemon()
    let peer = Peer(daemon)
    for number in 3...5 { peer.submit(peer.move(number, before: 1)) }
    peer.send(2)
    daemon.receive(.snapshotRequest(why: "to see"), on: peer.connection)
    peer.exchange()
    #expect(
      peer.outcomes.isEmpty && peer.parts.count == 2 && peer.diffs.suffix(3).map(\.sequence.rawValue) == [1, 2, 3])
    #expect(peer.pending.isEmpty && peer.order() == [3, 4, 5, 1, 2] && peer.isConverged)
  }

  @Test func `I1: pongs are in order with the diffs, and wait for the end of a snapshot`() {
    let world = Loading()
    world.reader.send(.ping(Ping(nonce: 5, wantsHash: true)))
    world.player.ask(world.player.move(3))
    world.reader.receive()
    #expect(world.reader.pongs.isEmpty)
    world.readOn()
    #expect(world.reader.pongs.map(\.nonce) == [5])
    var replica = world.reader.replica
    #expect(replica?.agrees(with: world.reader.pongs[0]) == true && world.reader.pongs[0].viewHash != 0)
    world.player.exchange(.ping(Ping(nonce: 6)))
    #expect(
      world.player.pongs.last
        == Pong(nonce: 6, revision: world.daemon.state.revision, viewHash: 0, epoch: .init(rawValue: 1)))
    // A pong of another revision is ignored; another hash at this revision means divergence.
    let pong = world.reader.pongs[0]
    #expect(replica?.agrees(with: Pong(nonce: 1, revision: .zero, viewHash: 3, epoch: pong.epoch)) == nil)
    #expect(
      replica?.agrees(with: Pong(nonce: 1, revision: pong.revision, viewHash: pong.viewHash ^ 1, epoch: pong.epoch))
        == false)
  }
}
