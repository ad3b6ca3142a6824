import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// Undo across sessions, seats, restarts and limits: it undoes the intended operation, or nothing.
@Suite struct SharedUndoTests {
  private func undo(_ number: UInt64) -> TableOperation.Kind { .undo(SequenceNumber(rawValue: number)) }

  /// Loses a client's connection until the daemon forgets its session; another session is at the table.
  private func lose(_ host: Host, besides other: Peer) {
    host.lose()
    host.daemon.pass(seconds: 6)
    other.send(.ping(Ping(nonce: 1)))
    host.daemon.tick()
    host.daemon.endTurn()
  }

  /// A daemon that forgets a session with its seat, after five seconds.
  private func forgetfulDaemon() -> Daemon {
    return Daemon {
      $0.sessions.graceSeconds = 5
      $0.sessions.sessionSeconds = 5
    }
  }

  // MARK: Sessions

  @Test func `I3: a session undoes neither a lost session's operation nor one with its number`() throws {
    let daemon = forgetfulDaemon()
    let other = Peer(daemon)
    let host = Host(daemon)
    let before = try #require(host.ask(host.move(1)))
    lose(host, besides: other)
    for _ in 1...2 { host.reconnect() }
    #expect(host.isConverged && host.machine.welcome?.session == SessionID(rawValue: 3))
    let after = try #require(host.ask(host.move(2)))
    #expect(before.operation?.sequence == after.operation?.sequence)
    let sent = host.sent.count
    #expect(host.undo(before) == nil && host.sent.count == sent)
    #expect(host.undo(after) != nil)
    host.receive()
    #expect(host.order() == [2, 3, 4, 5, 1] && host.isConverged)
  }

  @Test
  func `I3: an undo that was not sent before its session was lost is never sent, and its answer is unknown`() throws {
    let daemon = forgetfulDaemon()
    let other = Peer(daemon)
    let host = Host(daemon)
    let move = try #require(host.ask(host.move(1)))
    lose(host, besides: other)
    #expect(host.undo(move)?.changes.isEmpty == false && host.order() == [1, 2, 3, 4, 5])
    for _ in 1...2 { host.reconnect() }
    #expect(host.answers.count == 2 && host.answers.last == .unknown)
    let undos = host.sent.filter {
      if case .operation(let operation) = $0, case .undo = operation.kind { true } else { false }
    }
    #expect(undos.isEmpty)
    #expect(host.order() == [2, 3, 4, 5, 1] && host.isConverged)
  }

  @Test(arguments: [0, SyncLimits().tables.logBytesMax])
  func `I3: an undo whose answer was lost is done once, among diffs and after a snapshot`(logBytesMax: Int) throws {
    let daemon = Daemon { $0.tables.logBytesMax = logBytesMax }
    let host = Host(daemon)
    let move = try #require(host.ask(host.move(1)))
    _ = host.undo(move)
    daemon.endTurn()
    host.rejoin()
    #expect(host.answers.count == 2 && host.order() == [1, 2, 3, 4, 5] && host.isConverged)
    #expect(host.undo(move) != nil)
    host.receive()
    #expect(host.answers.last?.reason == .undoTooLate && daemon.state.revision.rawValue == 3)
  }

  @Test func `nothing is undone from another seat if only the former one could see the items`() throws {
    let daemon = Daemon { $0.sessions.seatKeptSecondsMax = 0 }
    let owner = Host(daemon, type: "rummy")
    let host = Peer(daemon, type: "rummy")
    let hand = daemon.state.itemIDs(in: CollectionHandle(rawValue: 2))
    let move = try #require(owner.ask(.reorder(owner.drop([hand[0]], to: 2), suggested: [])))
    #expect(owner.answers.last?.diff != nil)
    owner.lose()
    daemon.pass(seconds: SyncLimits().sessions.graceSeconds + 1)
    host.send(.ping(Ping(nonce: 1)))
    daemon.sweep()
    host.receive()
    host.ask(HostAction.kick(SeatNumber(rawValue: 1)).operation)
    let guest = Peer(daemon, type: "rummy")
    owner.reconnect()
    #expect(guest.welcome?.seat.rawValue == 1 && owner.machine.welcome?.seat.rawValue == 3)
    #expect(owner.machine.welcome?.session.rawValue == 1 && owner.undo(move) == nil)
    owner.ask(undo(1), sendsRefused: true)
    #expect(owner.answers.last?.reason == .undoTooLate)
    #expect(daemon.state.itemIDs(in: CollectionHandle(rawValue: 2)) == Array(hand[1...] + hand[...0]))
  }

  // MARK: Restarts

  @Test func `a daemon that was restarted undoes no earlier operation`() throws {
    let daemon = Daemon()
    let host = Host(daemon)
    let move = try #require(host.ask(host.move(1)))
    daemon.restart()
    host.rejoin()
    #expect(host.machine.replica?.epoch.rawValue == 2 && host.undo(move) == nil)
    host.ask(undo(1), sendsRefused: true)
    #expect(host.answers.last?.reason == .undoTooLate && host.order() == [2, 3, 4, 5, 1] && host.isConverged)
  }

  @Test
  func `I3: an undo of an operation that a crash has lost does not undo the one that has its number now`() throws {
    let daemon = Daemon(durability: .relaxed)
    let host = Host(daemon)
    daemon.commitsAtOnce = false
    let lost = try #require(host.ask(host.move(1)))
    #expect(host.answers.count == 1)
    daemon.restart()
    host.lose()
    host.submit(host.move(2))
    #expect(host.undo(lost) != nil)
    host.reconnect()
    #expect(host.answers.count == 3 && host.answers[2].reason == .undoTooLate)
    #expect(host.order() == [1, 3, 4, 5, 2] && host.isConverged)
  }

  @Test
  func `I3: an operation and its undo that are both judged after a restart match under their new numbers`() throws {
    let daemon = Daemon(durability: .relaxed)
    let host = Host(daemon)
    daemon.commitsAtOnce = false
    host.ask(host.move(4))
    daemon.restart()
    host.lose()
    host.submit(host.move(1))
    let move = try #require(host.submit(host.move(2)))
    #expect(host.undo(move) != nil)
    host.reconnect()
    #expect(host.answers.count == 4 && host.answers.allSatisfy { $0.diff != nil })
    #expect(host.order() == [2, 3, 4, 5, 1] && host.isConverged)
  }

  // MARK: Limits

  @Test func `a predicted operation that a lower limit refuses after its undo leaves no trace`() throws {
    let daemon = Daemon { $0.tables.itemsPerOperationMax = 2 }
    let host = Host(daemon)
    let difference = host.drop([1, 2, 3].map(host.item))
    let tooMany = try #require(host.submit(.reorder(difference, suggested: [])))
    #expect(host.order() == [4, 5, 1, 2, 3] && host.undo(tooMany) != nil && host.order() == [1, 2, 3, 4, 5])
    host.receive()
    #expect(host.answers.map(\.reason) == [.tooManyItems, .dependsOnRefused])
    #expect(host.order() == [1, 2, 3, 4, 5] && host.isConverged)
    let taken = try #require(host.ask(.reorder(host.drop([1, 2].map(host.item)), suggested: [])))
    #expect(host.order() == [3, 4, 5, 1, 2] && host.undo(taken) != nil)
    host.receive()
    #expect(host.answers.last?.diff != nil && host.order() == [1, 2, 3, 4, 5] && host.isConverged)
  }
}

/// Undo in private collections by seat 1, as seat 2 and a spectator receive it.
@Suite final class PrivateUndoTests: HandsTable {
  /// Performs an operation of the owner and undoes it.
  ///
  /// - Returns: The answer to the undo, and the messages to the others about both.
  private func undo(_ kind: TableOperation.Kind) throws -> (answer: Answer, received: [[ServerMessage]]) {
    try #require(owner.ask(kind)?.diff != nil)
    let last = try #require(owner.replica?.lastSequence)
    let answer = try #require(owner.ask(.undo(last)))
    let received = [other, spectator].map { $0.receive() }
    for peer in all { #expect(peer.isConverged) }
    return (answer, received)
  }

  @Test func `I6: a hand is sorted and restored: others receive two diffs without their contents`() throws {
    let hand = items("hand/1")
    let (answer, received) = try undo(move([hand[1], hand[0]], to: "hand/1", suggested: .move))
    #expect(answer.diff?.changes.isEmpty == false && items("hand/1") == hand)
    let revision = daemon.state.revision
    let author = try #require(owner.session)
    let nothing = [Revision(rawValue: revision.rawValue - 1), revision].map {
      ServerMessage.diff(Diff(revision: $0, author: author, sequence: .zero))
    }
    for messages in received { #expect(messages == nothing) }
  }

  @Test func `I6: an updated or removed card is restored for its owner, and others receive only counts`() throws {
    let hand = items("hand/1")
    let faces = hand.map { daemon.state.face(of: $0) }
    let update = TableOperation.Kind.update(hand[0], attributes: [Attribute("note", "mine")], representations: [])
    for kind in [update, .remove([hand[2]])] {
      let (answer, received) = try undo(kind)
      #expect(answer.diff != nil && items("hand/1") == hand)
      #expect(items("hand/1").map { daemon.state.face(of: $0) } == faces)
      for messages in received {
        for case .diff(let diff) in messages {
          #expect(diff.changes.allSatisfy { if case .counted(handle("hand/1"), _) = $0 { true } else { false } })
        }
        let words = "\(messages)"
        #expect(!words.contains("mine") && !hand.contains { words.contains("\($0.rawValue)") })
      }
    }
  }

  @Test(arguments: ["out", "in", "between", "own tray", "drawn", "laid"])
  func `I6: an operation that revealed or hid a face stays, and nobody learns of the undo`(_ case: String) throws {
    let kind: TableOperation.Kind =
      switch `case` {
      case "out": move([items("hand/1")[0]], to: "discard", suggested: .move)
      case "in": move([items("discard")[0]], to: "hand/1", suggested: .move)
      case "between": move([items("hand/1")[0]], to: "hand/2", suggested: .move)
      case "own tray": move([items("hand/1")[0]], to: "tray/1", suggested: .move)
      case "drawn": .perform(action: "draw/1", items: [], nil)
      default: .perform(action: "lay/1", items: [], nil)
      }
    let (answer, received) = try undo(kind)
    #expect(answer.reason == .undoTooLate)
    for messages in received { #expect(messages.kinds == ["diff"]) }
  }

  @Test func `I5: out of turn, a player can sort its own hand and undo that, and nothing else`() throws {
    let daemon = Daemon()
    let (one, two) = Peer.pair(daemon, type: "rummy")
    let hand = daemon.state.itemIDs(in: CollectionHandle(rawValue: 2))
    let own = ReorderDifference(sources: [hand[0]], destination: .end(of: CollectionHandle(rawValue: 2)))
    #expect(one.ask(one.move(1))?.diff != nil)
    #expect(one.ask(.perform(action: "pass", items: [], nil))?.diff != nil)
    #expect(one.ask(.reorder(own, suggested: []))?.diff != nil)
    #expect(one.ask(.undo(SequenceNumber(rawValue: 1)))?.reason == .notYourTurn)
    #expect(one.ask(.undo(SequenceNumber(rawValue: 3)))?.diff != nil)
    two.receive()
    #expect(daemon.state.itemIDs(in: CollectionHandle(rawValue: 2)) == hand && one.isConverged && two.isConverged)
  }
}
