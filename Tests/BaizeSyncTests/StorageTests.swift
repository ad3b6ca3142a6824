import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// K6: a disk that accepts no writes for a while.
@Suite struct StorageTests {
  private let daemon = Daemon()

  @Test func `I3, I7: turns that cannot be committed are never visible, and their operations wait for room`() {
    let host = Host(daemon)
    let other = Peer(daemon)
    host.receive()
    daemon.fillDisk()
    host.submit(host.move(1))
    host.submit(host.move(2))
    for _ in 1...5 { host.receive() }
    other.receive()
    #expect(host.answers.isEmpty && other.diffs.isEmpty && host.machine.replica?.pending.count == 2)
    #expect(daemon.state.itemIDs(in: .first).map(\.rawValue).count == 5)
    #expect(host.machine.replica?.retryReason?.reason == .storage && host.order() == [3, 4, 5, 1, 2])
    host.tick(afterMilliseconds: 200)
    for _ in 1...5 { host.receive() }
    #expect(host.answers.isEmpty, "requested again, without an answer")
    daemon.recover()
    host.tick(afterMilliseconds: 200)
    for _ in 1...3 { host.receive() }
    other.receive()
    #expect(host.answers.count == 2 && host.isConverged && host.order() == [3, 4, 5, 1, 2])
    #expect(other.replica?.state.revision == daemon.state.revision && other.isConverged)
    daemon.restart()
    host.rejoin()
    #expect(host.isConverged && host.order() == [3, 4, 5, 1, 2])
  }

  @Test func `while the disk is full, sessions resume and get pongs, but none is new`() {
    let host = Host(daemon)
    let other = Peer(daemon)
    host.receive()
    daemon.fillDisk()
    other.ask(other.move(1))
    for _ in 1...3 { host.receive() }
    other.exchange(.ping(Ping(nonce: 5, wantsHash: true)))
    #expect(other.pongs.count == 1 && host.machine.isLive)
    host.rejoin()
    #expect(host.machine.isLive)
    #expect(Peer(daemon, type: "").goodbye?.reason == .storage)
    let maker = daemon.connect(Hello(table: "new", tableType: "list"))
    let goodbye = daemon.take(maker).goodbye
    #expect(goodbye?.reason == .storage && goodbye?.isResumable == true && goodbye?.retryAfterMilliseconds != 0)
    daemon.recover()
    #expect(Peer(daemon, type: "").session != nil)
  }

  @Test func `I7: a welcome that cannot be committed is not sent, and its client is admitted later`() {
    let other = Peer(daemon)
    daemon.fillDisk()
    let host = Host(daemon)
    #expect(!host.received.contains { $0.welcome != nil })
    host.lose()
    daemon.recover()
    host.reconnect()
    other.receive()
    #expect(host.isConverged && other.ask(other.move(1))?.diff != nil)
  }

  @Test func `under relaxed, visible turns stay, and are committed when there is room`() {
    let daemon = Daemon(durability: .relaxed)
    let host = Host(daemon)
    daemon.fillDisk()
    host.ask(host.move(1))
    #expect(host.answers.count == 1, "it was seen before anyone knew")
    host.ask(host.move(2))
    #expect(host.answers.count == 1 && host.machine.replica?.retryReason?.reason == .storage)
    daemon.recover()
    host.tick(afterMilliseconds: 200)
    for _ in 1...3 { host.receive() }
    #expect(host.answers.count == 2 && host.isConverged && host.machine.replica?.epoch.rawValue == 1)
    daemon.restart()
    host.rejoin()
    #expect(host.isConverged && host.order() == [3, 4, 5, 1, 2])
  }

  @Test func `under relaxed, a welcome that cannot be committed is not sent, and nobody else waits for it`() {
    let daemon = Daemon(durability: .relaxed)
    let host = Host(daemon)
    let other = Host(daemon, table: "u")
    daemon.fillDisk()
    let late = Host(daemon)
    #expect(!late.received.contains { $0.welcome != nil })
    for host in [host, other] {
      host.handle { $1.append(.send(.ping(Ping(nonce: 5)))) }
      host.receive()
      #expect(host.received.contains { $0.pong != nil })
    }
    #expect(daemon.shard.heldBytes == 0)
    late.lose()
    daemon.recover()
    late.reconnect()
    #expect(late.isConverged)
  }

  @Test func `I7: under relaxed, a welcome waits for what a failure has kept from being durable`() {
    let daemon = Daemon(durability: .relaxed)
    daemon.commitsAtOnce = false
    let late = Host(daemon)
    daemon.fillDisk()
    daemon.commit()
    late.lose()
    daemon.recover(commitsAtOnce: false)
    late.reconnect()
    #expect(!late.received.contains { $0.welcome != nil })
    daemon.commit()
    late.receive()
    #expect(late.received.contains { $0.welcome != nil } && late.isConverged)
    late.rejoin()
    #expect(
      late.received.contains { $0.welcome != nil }, "nothing is written or waits when somebody comes back otherwise")
  }

  @Test func `I8: the frames that wait for a slow disk are counted, and many requests make one snapshot a turn`() {
    let peer = Peer(daemon, type: "list?items=50")
    peer.receive()
    daemon.commitsAtOnce = false
    peer.submit(peer.move(1))
    peer.send()
    let held = daemon.shard.heldBytes
    #expect(held > 0)
    for _ in 1...100 { daemon.receive(.snapshotRequest(why: ""), on: peer.connection) }
    daemon.endTurn()
    #expect(daemon.shard.heldBytes > held && daemon.shard.memoryUse.frames >= daemon.shard.heldBytes)
    daemon.commit()
    #expect(daemon.shard.heldBytes == 0 && peer.receive().count { $0.part != nil } == 1)
  }

  /// Even if the member was not live then, and though the table is loaded twice before the end is sent.
  @Test func `I2: the drags of a void turn's table end once for each member that received their begin`() {
    let dragger = Peer(daemon)
    let other = Peer(daemon)
    let lagging = Peer(daemon)
    let item = dragger.item(1)
    dragger.send(.drag(Drag(phase: .began, items: [item])))
    for peer in [other, lagging] {
      peer.receive()
      #expect(peer.drags.map(\.phase) == [.began])
    }
    daemon.backlog(of: lagging.connection, SyncLimits().connections.outboxHardBytes + 1)
    daemon.fillDisk()
    for number in 2...3 {
      other.submit(other.move(number))
      other.send()
      daemon.endTurn()
      daemon.recover()
      daemon.fillDisk()
    }
    daemon.recover()
    daemon.backlog(of: lagging.connection, 0)
    for _ in 1...3 {
      daemon.endTurn()
      for peer in [dragger, other, lagging] { peer.receive() }
    }
    #expect(daemon.table.epoch.rawValue > 2 && daemon.table.room.claims.isEmpty)
    for peer in [other, lagging] {
      #expect(peer.drags.map(\.phase) == [.began, .cancelled])
      #expect(peer.drags.last?.session == dragger.session)
    }
    #expect(dragger.drags.isEmpty)
    other.send(.drag(Drag(phase: .began, items: [item])))
    dragger.receive()
    #expect(dragger.drags.map(\.session) == [other.session], "nobody holds the item any more")
  }

  @Test(arguments: [Drag.Phase.ended, .cancelled, .began])
  func `I2: the end of a drag is void with its turn, and is sent all the same`(phase: Drag.Phase) {
    let (dragger, other) = Peer.pair(daemon)
    dragger.send(.drag(Drag(phase: .began, items: [dragger.item(1)])))
    other.receive()
    daemon.fillDisk()
    other.submit(other.move(5))
    daemon.receive(.operation(other.outbox[0]), on: other.connection)
    daemon.receive(.drag(Drag(phase: phase, items: [dragger.item(2)])), on: dragger.connection)
    for _ in 1...3 {
      daemon.endTurn()
      for peer in [dragger, other] { peer.receive() }
    }
    #expect(daemon.table.epoch.rawValue == 2 && other.replica?.epoch == daemon.table.epoch)
    #expect(other.drags.map(\.phase) == [.began, .cancelled] && dragger.drags.isEmpty)
  }

  @Test func `a table that cannot be read is closed to everyone, and other tables are not affected`() {
    let host = Host(daemon)
    let other = Host(daemon, table: "u")
    daemon.restart()
    daemon.unreadable = ["t"]
    host.lose()
    other.lose()
    host.reconnect()
    other.reconnect()
    #expect(!host.machine.isLive && other.machine.isLive)
    #expect(host.received.goodbye?.reason == .storage && host.received.goodbye?.isResumable == true)
    daemon.unreadable = []
    host.reconnect()
    #expect(host.machine.isLive)
  }

  @Test func `a table that there is no room for is not loaded until there is`() {
    _ = Peer(daemon)
    daemon.restart()
    daemon.tooLarge = ["t"]
    let goodbye = Peer(daemon, type: "").goodbye
    #expect(goodbye?.reason == .tooManyTables && goodbye?.isResumable == false)
    daemon.tooLarge = []
    #expect(Peer(daemon, type: "").replica != nil)
  }
}
