import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// J15: a resumed session receives only the missed diffs, if the daemon still has them.
@Suite struct ResumeTests {
  private let daemon = Daemon()

  @Test func `I1, I2: the missed diffs, each once and in order, without a snapshot or the table type`() throws {
    let other = Peer(daemon)
    let host = Host(daemon)
    host.receive()
    let seen = host.machine.replica?.confirmedRevision
    host.lose()
    for number in 1...4 { other.ask(other.move(number)) }
    host.reconnect()
    #expect(host.received.kinds == ["welcome", "diff", "diff", "diff", "diff", "seats"])
    #expect(host.received.revisions.first == seen?.next.rawValue && host.isConverged)
    let welcome = try #require(host.received.first?.welcome)
    #expect(welcome.tableType.isEmpty && welcome.options.isEmpty && host.machine.welcome?.tableType.isEmpty == false)
    host.rejoin()
    #expect(host.received.kinds == ["welcome", "seats"] && host.isConverged, "nothing was missed")
  }

  @Test
  func `I3: operations whose answers got lost are answered in order, among the diffs; the others are sent again`() {
    let other = Peer(daemon)
    let host = Host(daemon)
    host.receive()
    host.submit(host.move(1))
    host.submit(.remove([ItemID(rawValue: 999)]), sendsRefused: true)
    host.submit(host.move(2))
    daemon.endTurn()
    host.lose()
    other.ask(other.move(3))
    host.submit(host.move(4))
    host.reconnect()
    #expect(
      host.received.kinds.prefix(5) == ["welcome", "diff", "outcome", "diff", "diff"],
      "one of them is the other's")
    #expect(host.answers.count == 4 && host.answers[1].reason == .unknownItem && host.isConverged)
    #expect(host.sent.suffix(1).count { if case .operation = $0 { true } else { false } } == 1, "only the last")
    #expect(daemon.state.revision.rawValue == 2 + 4)
  }

  @Test func `J15, A1: an operation whose answer stands behind the last revision is answered once`() {
    let other = Peer(daemon)
    let host = Host(daemon)
    host.receive()
    host.submit(host.move(1))
    host.submit(.remove([ItemID(rawValue: 999)]), sendsRefused: true)
    daemon.endTurn()
    host.lose()
    host.reconnect()
    #expect(host.received.kinds == ["welcome", "diff", "outcome", "seats"] && host.isConverged)
    host.submit(.remove([ItemID(rawValue: 998)]), sendsRefused: true)
    daemon.endTurn()
    host.lose()
    host.reconnect()
    #expect(host.received.kinds.filter { $0 == "outcome" }.count <= 2, "what it had may be repeated once")
    #expect(host.sentSequences == [1, 2, 3], "nothing is sent again")
    #expect(host.answers.count == 3 && other.session != host.machine.welcome?.session)
  }

  @Test func `J15: a client behind whose revision answers were dropped from the log gets a snapshot`() {
    var log = RecordLog(at: Revision(rawValue: 4))
    #expect(log.reaches(Revision(rawValue: 4)) && !log.reaches(Revision(rawValue: 3)))
    for (entry, revision) in [(1, 5), (2, 5), (3, 6), (4, 7)] as [(UInt8, UInt64)] {
      withUnsafeBytes(of: entry) { log.append($0) }
      log.closeTurn(at: Revision(rawValue: revision), revisionsMax: 100, bytesMax: 3)
    }
    // The first turn is gone, which led to revision 5; the second one had only an answer.
    #expect(!log.reaches(Revision(rawValue: 5)) && log.reaches(Revision(rawValue: 6)))
  }

  @Test(arguments: [false, true])
  func `the ids of items whose answer was lost are known to later operations, after a restart too`(restarts: Bool) {
    let host = Host(daemon)
    let first = CollectionHandle(rawValue: 1)
    host.submit(.insert([NewItem(attributes: [Attribute("number", 9)])], .end(of: first)))
    daemon.endTurn()
    if restarts { daemon.restart() }
    host.lose()
    let made = ItemID.provisional(operation: SequenceNumber(rawValue: 1), number: 0)
    host.submit(.move([made], to: .before(host.item(1), in: first)))
    host.reconnect()
    #expect(host.answers.count == 2 && host.order() == [9, 1, 2, 3, 4, 5] && host.isConverged)
  }

  @Test func `a resume sends a snapshot if the log is too short, the seat is another or the replica was wrong`() {
    let daemon = Daemon {
      $0.tables.logBytesMax = 100
      $0.sessions.graceSeconds = 5
    }
    let player = Peer(daemon)
    let host = Host(daemon)
    host.receive()
    host.lose()
    for number in 1...5 { player.ask(player.move(number)) }
    host.reconnect()
    #expect(host.received.kinds.prefix(2) == ["welcome", "snapshot"], "the log is full")
    host.lose()
    daemon.sweep(afterSeconds: 6)
    let other = Peer(daemon)
    host.reconnect()
    #expect(host.received.kinds.prefix(2) == ["welcome", "snapshot"], "the seat was freed and taken again")
    var isFirst = true
    player.ask(player.move(3))
    player.ask(player.move(4))
    host.receive { message in
      defer { isFirst = false }
      if case .diff = message { return isFirst }
      return false
    }
    #expect(host.divergences == 1)
    host.rejoin()
    #expect(host.received.kinds.prefix(2) == ["welcome", "snapshot"], "the replica was wrong")
    #expect(host.isConverged && other.session != host.machine.welcome?.session)
  }

  @Test func `a resume is counted by the way in which it was done`() {
    let host = Host(daemon)
    host.rejoin()
    #expect(daemon.counts.resumedByDiffs == 1 && daemon.counts.resumedBySnapshot == 0)
    host.handle { $0.receivedMalformedFrame(.truncated, at: daemon.now, into: &$1) }
    #expect(daemon.counts.resynchronized == 0)
  }
}
