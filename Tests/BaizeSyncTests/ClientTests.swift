import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// The client's machine with a daemon: every submitted operation is sent and answered.
@Suite struct ClientTests {
  private let daemon = Daemon()

  @Test func `I3: operations that are submitted while a snapshot is on its way are sent at once, and accepted`() {
    let daemon = Daemon {
      $0.tables.snapshotPartItemsMax = 10
      $0.connections.outboxResumeBytes = 100
      $0.connections.outboxHardBytes = 200
    }
    let host = Host(daemon, type: "list?items=50")
    for _ in 1...10 { host.receive() }
    #expect(host.isConverged)
    guard let connection = host.connection else { return }
    daemon.backlog(of: connection, 300)
    daemon.backlog(of: connection, 0)
    host.receive()
    daemon.backlog(of: connection, 150)
    #expect(host.machine.phase == .loading)
    host.submit(host.move(3))
    host.submit(host.move(4))
    daemon.backlog(of: connection, 0)
    for _ in 1...10 { host.receive() }
    #expect(host.answers.count == 2 && host.isConverged)
    host.ask(host.move(5))
    #expect(host.answers.count == 3 && host.isConverged && host.sentSequences == [1, 2, 3], "each once")
  }

  @Test func `I3: after a reconnect pending operations are sent first, when the snapshot is there`() {
    let daemon = Daemon { $0.tables.logBytesMax = 0 }
    let other = Peer(daemon)
    let host = Host(daemon)
    host.lose()
    host.submit(host.move(1))
    other.ask(other.move(3))
    host.tick(afterMilliseconds: 10_000)
    daemon.endTurn()
    for message in host.connection.map(daemon.take) ?? [] {
      if case .snapshot = message {
        host.submit(host.move(2))
        #expect(host.sentSequences.isEmpty)
      }
      host.handle { $0.receive(message, at: daemon.now, into: &$1) }
    }
    #expect(host.sentSequences == [1, 2])
  }

  @Test func `I2, I3, I12: a client that missed a diff requests a snapshot, and its operations are answered`() {
    let other = Peer(daemon)
    let host = Host(daemon, type: "list?items=5")
    host.receive()
    other.ask(other.move(1))
    host.submit(host.move(2))
    host.submit(host.move(3))
    var isFirst = true
    host.receive { message in
      guard isFirst, case .diff = message else { return false }
      isFirst = false
      return true
    }
    #expect(host.divergences == 1 && host.answers.count == 2 && host.machine.phase == .loading)
    let shown = host.order()
    host.submit(host.move(3))
    #expect(host.order() == shown, "what is answered stays until the snapshot")
    host.receive()
    #expect(host.answers.count == 2 && host.isConverged)
    host.ask(host.move(4))
    #expect(host.answers.count == 3 && host.isConverged && host.divergences == 1)
  }

  /// Its first change fits and its second does not: what the first had done to the order's history would be left when it is gone.
  @Test func `I2, I12: a diff that does not fit changes nothing`() throws {
    let host = Host(daemon, type: "list?items=5")
    host.receive()
    var replica = try #require(host.machine.replica)
    _ = replica.submit(host.move(2))
    let (shown, hash) = (replica.state.itemIDs(in: .first), replica.confirmedHash())
    for _ in 1...3 {
      let diff = Diff(
        revision: replica.confirmedRevision.next, author: SessionID(rawValue: 9), sequence: SequenceNumber(rawValue: 1),
        changes: [.moved([host.item(1)], .end(of: .first)), .moved([ItemID(rawValue: 999)], .end(of: .first))])
      #expect(throws: DiffMismatch.self) { try replica.receive(diff) }
      #expect(replica.state.itemIDs(in: .first) == shown && replica.confirmedHash() == hash)
      #expect(replica.state.brokenInvariant(isJudged: false) == nil)
      // Names of a gap are looked up in the history, whose records of an item must end.
      _ = replica.submit(.move([host.item(3)], to: .before(host.item(1), in: .first)))
      _ = replica.submit(.move([host.item(4)], to: .before(host.item(3), in: .first)))
      for number in replica.pending.dropFirst().map(\.operation.sequence) {
        _ = replica.receive(Outcome(sequence: number, verdict: .refused, revision: replica.confirmedRevision))
      }
    }
  }

  @Test func `C3: a pong between a request for a snapshot and its first part is not compared`() throws {
    let host = Host(daemon)
    host.receive()
    let replica = try #require(host.machine.replica)
    let wrong = Pong(nonce: 0, revision: replica.confirmedRevision, viewHash: 1, epoch: replica.epoch)
    for count in [1, 1, 1] {
      host.handle { $0.receive(.pong(wrong), at: daemon.now, into: &$1) }
      #expect(host.divergences == count && host.machine.phase == .loading)
    }
    #expect(host.sent.count { if case .snapshotRequest = $0 { true } else { false } } == 1)
    #expect(host.catchUp())
  }

  @Test func `I3: on a new connection, all pending operations are sent again, in order and once`() {
    let daemon = Daemon {
      $0.sessions.operationsPerSecondMax = 1
      $0.sessions.operationsBurstMax = 1
    }
    let host = Host(daemon, type: "list?items=5")
    for number in 1...4 { host.submit(host.move(number)) }
    host.receive()
    #expect(host.answers.count == 2 && host.machine.replica?.retryReason != nil)
    if let connection = host.connection { daemon.lose(connection) }
    daemon.pass(seconds: 10)
    host.handle { $0.closed(at: daemon.now, into: &$1) }
    host.tick(afterMilliseconds: 1)
    let count = host.sentSequences.count
    host.receive()
    #expect(host.machine.replica?.retryReason == nil)
    host.receive()
    #expect(host.sentSequences.count == count + 2)
    #expect(host.answers.count == 4 && host.isConverged)
  }

  @Test func `after a tick the next deadline is in the future, also while a snapshot loads`() {
    let daemon = Daemon {
      $0.sessions.operationsPerSecondMax = 1
      $0.sessions.operationsBurstMax = 1
      $0.tables.logBytesMax = 0
    }
    let host = Host(daemon, type: "list?items=5")
    let other = Peer(daemon)
    for number in 1...4 { host.submit(host.move(number)) }
    host.receive()
    #expect(host.machine.nextDeadline.map { $0 > daemon.now } == true, "it waits to send again")
    if let connection = host.connection { daemon.lose(connection) }
    host.handle { $0.closed(at: daemon.now, into: &$1) }
    other.ask(other.move(1))
    host.tick(afterMilliseconds: 1_000)
    host.receive { $0.part != nil }
    #expect(host.machine.phase == .loading)
    host.tick()
    #expect(host.machine.nextDeadline.map { $0 > daemon.now } == true)
  }

  @Test func `I3: under another epoch, operations that were not judged and their items get new numbers`() {
    let peer = Peer(Daemon())
    for _ in 1...5 { peer.ask(peer.move(5)) }
    peer.submit(peer.move(1))
    peer.submit(peer.insert(9, before: 2))
    peer.submit(peer.move(9, before: 4))
    let made = peer.item(9)
    peer.submit(peer.move(3, before: 9))
    peer.submit(.remove([made]))
    guard let old = peer.replica else { return }
    #expect(old.pending.map(\.operation.sequence.rawValue) == [6, 7, 8, 9, 10])
    for (last, numbers) in [3: [4, 5, 6, 7, 8], 6: [6, 7, 8, 9, 10], 7: [6, 7, 8, 9, 10]] as [UInt64: [UInt64]] {
      guard let state = try? Snapshot.carried(peer.daemon.state, epoch: Epoch(rawValue: 2)) else { return }
      var new = Replica(
        state: state, epoch: Epoch(rawValue: 2), author: old.author, lastSequence: SequenceNumber(rawValue: last))
      new.adopt(pendingOf: old)
      #expect(new.pending.map(\.operation.sequence.rawValue) == numbers)
      #expect(new.pending.map(\.isInState) == numbers.map { $0 <= last })
      let maker = SequenceNumber(rawValue: numbers[1])
      #expect(new.pending[4].operation.kind == .remove([.provisional(operation: maker, number: 0)]))
      #expect(new.pending.allSatisfy { $0.isInState || $0.operation.epoch.rawValue == 2 })
    }
  }

  /// The replica of the pending operations after a snapshot of another epoch.
  private static func replica(
    of peer: Peer, after last: UInt64, in state: TableState
  ) throws -> (old: [TableOperation], new: [TableOperation]) {
    let old = try #require(peer.replica)
    let epoch = Epoch(rawValue: 2)
    var new = Replica(
      state: try Snapshot.carried(state, epoch: epoch), epoch: epoch, author: old.author,
      lastSequence: SequenceNumber(rawValue: last))
    new.adopt(pendingOf: old)
    return (old.pending.map(\.operation), new.pending.map(\.operation))
  }

  @Test func `I3: under another epoch, a gap beside an item whose answer is outstanding stays as it was`() throws {
    let peer = Peer(Daemon())
    peer.submit(peer.insert(9, before: 2))
    peer.submit(peer.move(3, before: 9))
    let (old, new) = try Self.replica(of: peer, after: 1, in: peer.daemon.state)
    #expect(new[1].kind == old[1].kind && new[1].epoch.rawValue == 2 && new[1].sequence.rawValue == 2)
  }

  @Test func `I3: under another epoch, what was answered and is lost is forgotten`() throws {
    let peer = Peer(Daemon())
    let before = peer.daemon.state
    peer.submit(peer.insert(9, before: 2))
    peer.submit(peer.move(9))
    peer.send(1)
    peer.receive()
    let (_, new) = try Self.replica(of: peer, after: 0, in: before)
    #expect(new.count == 1 && new[0].sequence.rawValue == 1)
    #expect(new.first?.sources == [.provisional(operation: .zero, number: 0)])
  }

  @Test func `I3: under another epoch, items that are gone are left out as long as one remains`() throws {
    let peer = Peer(Daemon())
    let other = Peer(peer.daemon)
    peer.submit(peer.move(2, 3, before: 1))
    let stays = peer.item(2)
    other.ask(.remove([other.item(3)]))
    let (_, new) = try Self.replica(of: peer, after: 0, in: peer.daemon.state)
    #expect(new.first?.sources == [stays])
  }
}

extension TableOperation {
  fileprivate var sources: ItemList? { if case .reorder(let difference, _) = kind { difference.sources } else { nil } }
}
