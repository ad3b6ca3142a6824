import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// K6: a disk that accepts no writes for a while.
@Suite struct StorageTests {
  private static let full = JournalError(.storage, "no space left on device")

  /// I3, I7: turns that cannot be committed are never visible; their operations wait, and take effect when there is room.
  @Test func operationsGetRetryWhileTheDiskIsFull() {
    let daemon = Daemon()
    let host = Host(daemon)
    let other = Peer(daemon)
    host.receive()
    daemon.journal.failure = Self.full
    host.submit(host.move(1))
    host.submit(host.move(2))
    for _ in 1...5 { host.receive() }
    other.receive()
    #expect(host.answers.isEmpty && other.diffs.isEmpty && host.machine.replica?.pending.count == 2)
    #expect(daemon.state.itemIDs(in: CollectionHandle(rawValue: 1)).map(\.rawValue).count == 5)
    #expect(host.machine.replica?.retryReason?.reason == .storage && host.order() == [3, 4, 5, 1, 2])
    daemon.pass(milliseconds: 200)
    host.handle { $0.tick(at: daemon.now, into: &$1) }
    for _ in 1...5 { host.receive() }
    #expect(host.answers.isEmpty, "requested again, without an answer")
    daemon.journal.failure = nil
    daemon.recover()
    daemon.pass(milliseconds: 200)
    host.handle { $0.tick(at: daemon.now, into: &$1) }
    for _ in 1...3 { host.receive() }
    other.receive()
    #expect(host.answers.count == 2 && host.isConverged && host.order() == [3, 4, 5, 1, 2])
    #expect(other.replica?.state.revision == daemon.state.revision && other.isConverged)
    daemon.restart()
    host.rejoin()
    #expect(host.isConverged && host.order() == [3, 4, 5, 1, 2])
  }

  /// Reading continues: existing sessions may resume and receive pongs; new sessions and operations are not accepted.
  @Test func readingContinuesWhileTheDiskIsFull() {
    let daemon = Daemon()
    let host = Host(daemon)
    let other = Peer(daemon)
    host.receive()
    daemon.journal.failure = Self.full
    other.ask(other.move(1))
    for _ in 1...3 { host.receive() }
    other.send(.ping(Ping(nonce: 5, wantsHash: true)))
    other.receive()
    #expect(other.pongs.count == 1 && host.machine.isLive)
    let token = host.machine.welcome?.resumeToken
    host.rejoin()
    #expect(host.machine.isLive && host.machine.welcome?.resumeToken == token, "a new token could not be kept")
    #expect(Peer(daemon, type: "").goodbye?.reason == .storage)
    let maker = daemon.connect()
    daemon.receive(.hello(Hello(table: "new", tableType: "list")), on: maker)
    daemon.endTurn()
    guard case .goodbye(let goodbye)? = daemon.take(maker).last else {
      Issue.record("a table was made")
      return
    }
    #expect(goodbye.reason == .storage && goodbye.isResumable && goodbye.retryAfterMilliseconds > 0)
    daemon.journal.failure = nil
    daemon.recover()
    #expect(Peer(daemon, type: "").session != nil)
  }

  /// I7: a welcome that cannot be committed is not sent; its client reconnects and is admitted when there is room.
  @Test func welcomesOfVoidTurnsAreNotSent() {
    let daemon = Daemon()
    let other = Peer(daemon)
    daemon.journal.failure = Self.full
    let host = Host(daemon)
    #expect(!host.received.contains { if case .welcome = $0 { true } else { false } })
    host.lose()
    daemon.journal.failure = nil
    daemon.recover()
    host.reconnect()
    other.receive()
    #expect(host.isConverged && other.ask(other.move(1))?.diff != nil)
  }

  /// Under `relaxed`, visible turns stay, and are committed when there is room.
  @Test func relaxedKeepsWhatClientsReceived() {
    let daemon = Daemon(durability: .relaxed)
    let host = Host(daemon)
    daemon.journal.failure = Self.full
    host.submit(host.move(1))
    host.receive()
    #expect(host.answers.count == 1, "it was seen before anyone knew")
    host.submit(host.move(2))
    host.receive()
    #expect(host.answers.count == 1 && host.machine.replica?.retryReason?.reason == .storage)
    daemon.journal.failure = nil
    daemon.recover()
    daemon.pass(milliseconds: 200)
    host.handle { $0.tick(at: daemon.now, into: &$1) }
    for _ in 1...3 { host.receive() }
    #expect(host.answers.count == 2 && host.isConverged && host.machine.replica?.epoch.rawValue == 1)
    daemon.restart()
    host.rejoin()
    #expect(host.isConverged && host.order() == [3, 4, 5, 1, 2])
  }

  /// Under `relaxed`, a welcome that cannot be committed is not sent, and nobody else waits for it.
  @Test func underRelaxedOnlyNewWelcomesWait() {
    let daemon = Daemon(durability: .relaxed)
    let host = Host(daemon)
    let other = Host(daemon, table: "u")
    daemon.journal.failure = Self.full
    let late = Host(daemon)
    #expect(!late.received.contains { if case .welcome = $0 { true } else { false } })
    for host in [host, other] {
      host.handle { $1.append(.send(.ping(Ping(nonce: 5)))) }
      host.receive()
      #expect(host.received.contains { if case .pong = $0 { true } else { false } })
    }
    #expect(daemon.shard.heldBytes == 0)
    late.lose()
    daemon.journal.failure = nil
    daemon.recover()
    late.reconnect()
    #expect(late.isConverged)
  }

  /// I8: the memory that waits for a slow disk is counted, so that a host can bound it; and many requests make one
  /// snapshot a turn.
  @Test func waitingFramesAreCounted() {
    let daemon = Daemon()
    let peer = Peer(daemon, type: "list?items=50")
    peer.receive()
    daemon.commitsAtOnce = false
    peer.submit(peer.move(1))
    peer.send()
    let held = daemon.shard.heldBytes
    #expect(held > 0)
    for _ in 1...100 { daemon.receive(.snapshotRequest(why: ""), on: peer.connection) }
    daemon.endTurn()
    #expect(daemon.shard.heldBytes > held)
    daemon.commit()
    #expect(daemon.shard.heldBytes == 0 && peer.receive().count { if case .snapshot = $0 { true } else { false } } == 1)
  }

  /// I2: drags end with a void turn's table. Members that received a begin receive the end, even if they were not live
  /// then, and though the table is loaded twice before that is sent; no member receives its own drag.
  @Test func dragsEndWithTheirTable() {
    let daemon = Daemon()
    let dragger = Peer(daemon)
    let other = Peer(daemon)
    let lagging = Peer(daemon)
    let item = dragger.item(1)
    dragger.send(.drag(Drag(phase: .began, items: [item])))
    for peer in [other, lagging] {
      peer.receive()
      #expect(peer.drags.map(\.phase) == [.began])
    }
    daemon.backlog(of: lagging.connection, SyncLimits().outboxHardBytes + 1)
    daemon.journal.failure = Self.full
    for number in 2...3 {
      other.submit(other.move(number))
      other.send()
      daemon.endTurn()
      daemon.journal.failure = nil
      daemon.recover()
      daemon.journal.failure = Self.full
    }
    daemon.journal.failure = nil
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

  /// I2: the end of a drag is void with its turn, and is sent all the same.
  @Test(arguments: [Drag.Phase.ended, .cancelled, .began])
  func theEndOfADragIsVoidToo(phase: Drag.Phase) {
    let daemon = Daemon()
    let dragger = Peer(daemon)
    let other = Peer(daemon)
    dragger.receive()
    dragger.send(.drag(Drag(phase: .began, items: [dragger.item(1)])))
    other.receive()
    daemon.journal.failure = Self.full
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

  /// A table that cannot be read is closed to everyone, and other tables are not affected.
  @Test func aTableThatCannotBeRead() {
    let daemon = Daemon()
    let host = Host(daemon)
    let other = Host(daemon, table: "u")
    daemon.restart()
    daemon.unreadable = ["t"]
    host.lose()
    other.lose()
    host.reconnect()
    other.reconnect()
    #expect(!host.machine.isLive && other.machine.isLive)
    guard case .goodbye(let goodbye)? = host.received.last else {
      Issue.record("no reason was given")
      return
    }
    #expect(goodbye.reason == .storage && goodbye.isResumable)
    daemon.unreadable = []
    host.reconnect()
    #expect(host.machine.isLive)
  }
}
