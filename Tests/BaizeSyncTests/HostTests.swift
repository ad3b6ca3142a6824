import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// Host actions: only the host may perform them, each once, answered and in the journal.
@Suite struct HostTests {
  private let daemon = Daemon()

  private let first = CollectionHandle(rawValue: 1)

  private func seat(_ number: UInt32) -> SeatNumber { SeatNumber(rawValue: number) }

  private func isAccepted(_ peer: Peer, _ action: HostAction) -> Bool { peer.ask(action.operation)?.diff != nil }

  private func reason(_ peer: Peer, _ action: HostAction) -> Reason? { peer.ask(action.operation)?.reason }

  @Test func `the seated session that joined first is host`() {
    let watcher = Peer(daemon, role: .spectator)
    #expect(daemon.state.hostPerson == nil && reason(watcher, .freeze(first)) == .permissionDenied)
    let one = Peer(daemon)
    let two = Peer(daemon)
    #expect(daemon.state.hostPerson == one.session && two.replica?.state.hostPerson == one.session)
    #expect(reason(two, .freeze(first)) == .permissionDenied)
    daemon.lose(one.connection)
    #expect(reason(two, .freeze(first)) == .permissionDenied, "its seat is kept for it")
    daemon.pass(seconds: SyncLimits().sessions.graceSeconds)
    two.send(.ping(Ping(nonce: 1)))
    daemon.sweep()
    two.receive()
    #expect(isAccepted(two, .freeze(first)) && daemon.state.hostPerson == two.session)
  }

  @Test func `I5: a frozen collection is neither source nor destination, until it is thawed`() {
    let (host, other) = Peer.pair(daemon, type: "strict")
    let submission = host.submit(HostAction.freeze(first).operation)
    #expect(submission?.prediction == .unknown && submission?.changes.isEmpty == true)
    host.exchange()
    other.receive()
    #expect(host.answer(1)?.diff?.changes.first == .enabled(first, false) && !daemon.state.isEnabled(first))
    #expect(other.ask(other.move(1, in: 2))?.reason == .containerDisabled)
    #expect(other.ask(other.move(5))?.reason == .containerDisabled)
    #expect(other.ask(other.move(5, in: 3))?.diff != nil)
    #expect(host.ask(HostAction.freeze(first).operation) == .unchanged)
    #expect(host.ask(.undo(SequenceNumber(rawValue: 1)))?.reason == .undoTooLate, "it is thawed, not undone")
    #expect(reason(host, .thaw(CollectionHandle(rawValue: 9))) == .unknownCollection)
    #expect(host.ask(.perform(action: "host/thaw", items: [], nil))?.reason == .unknownCollection)
    #expect(isAccepted(host, .thaw(first)))
    other.receive()
    #expect(other.ask(other.move(1, in: 2))?.diff != nil && other.isConverged)
  }

  @Test(arguments: [
    "host/", "host/dance", "host/kick", "host/kick/x", "host/kick/1/2", "host/give/1", "host/invite/me",
  ])
  func `unknown host actions are refused`(action: String) {
    let host = Peer(daemon)
    #expect(host.ask(.perform(action: action, items: [], nil))?.reason == .unknownAction)
  }

  @Test
  func `a kicked session is forgotten at once, its seat and its claims are free, and the others are not affected`() {
    let host = Peer(daemon)
    let kicked = Peer(daemon)
    let other = Peer(daemon)
    kicked.send(.drag(Drag(phase: .began, items: [kicked.item(1)])))
    #expect(reason(other, .kick(seat(2))) == .permissionDenied)
    #expect(reason(host, .kick(seat(1))) == .permissionDenied, "a host leaves")
    #expect(reason(host, .kick(seat(7))) == .unknownSeat)
    host.receive()
    let diff = host.ask(HostAction.kick(seat(2)).operation)?.diff
    #expect(diff?.author == host.session && daemon.state.seats.map(\.number) == [seat(1), seat(3)])
    kicked.receive()
    #expect(kicked.diffs.last == diff.map(\.withoutMinted) && kicked.goodbye?.reason == .kicked)
    #expect(kicked.goodbye?.isResumable == false && daemon.closed.contains(kicked.connection))
    other.receive()
    #expect(other.drags.map(\.phase) == [.began, .cancelled] && daemon.table.room.claims.isEmpty)
    #expect(other.ask(other.move(1))?.diff != nil && host.ask(host.move(2))?.diff != nil)
    let again = Peer(daemon, credential: kicked.credential)
    #expect(again.session != kicked.session && again.welcome?.seat == seat(2))
    #expect(other.catchUp())
  }

  @Test func `a session without a connection can be kicked, too`() {
    let host = Peer(daemon)
    let away = Peer(daemon)
    daemon.lose(away.connection)
    host.receive()
    #expect(isAccepted(host, .kick(seat(2))))
    let session = away.session
    away.reconnect()
    #expect(away.session != session)
  }

  @Test
  func `I6: a seat is given to a spectator with its whole view, and its former holder loses all of that view`() {
    let host = Peer(daemon, type: "rummy", name: "host")
    let holder = Peer(daemon, type: "rummy", name: "holder")
    let receiver = Peer(daemon, type: "rummy", name: "receiver", role: .spectator)
    host.receive()
    let give = HostAction.give(seat(2), to: receiver.session ?? .daemon)
    #expect(holder.ask(give.operation)?.reason == .permissionDenied)
    #expect(reason(host, .give(seat(9), to: receiver.session ?? .daemon)) == .unknownSeat)
    #expect(reason(host, .give(seat(0), to: receiver.session ?? .daemon)) == .unknownSeat)
    #expect(reason(host, .give(seat(2), to: SessionID(rawValue: 9))) == .unknownSession)
    #expect(host.ask(HostAction.give(seat(2), to: holder.session ?? .daemon).operation) == .unchanged)
    #expect(isAccepted(host, give))
    for peer in [holder, receiver] {
      // Messages that are sent from the old seat meanwhile reach nobody.
      peer.exchange(.ping(Ping(nonce: 7)))
      #expect(peer.goodbye?.reason == .reseated && peer.goodbye?.isResumable == true && peer.pongs.isEmpty)
      peer.reconnect(role: peer === holder ? .player : .spectator)
    }
    let hand = daemon.state.itemIDs(in: CollectionHandle(rawValue: 3))
    #expect(
      holder.welcome?.seat == .spectator && receiver.welcome?.seat == seat(2), "it watches, though a seat is free")
    #expect(receiver.parts.last?.items.map(\.id).suffix(3) == hand[...])
    #expect(holder.parts.last?.items.contains { hand.contains($0.id) } == false)
    var truth = daemon.state
    for (peer, seat) in [(host, seat(1)), (holder, .spectator), (receiver, seat(2))] {
      peer.receive()
      var replica = peer.replica
      #expect(replica?.confirmedHash() == truth.viewHash(for: seat))
    }
    #expect(receiver.ask(.move([hand[0]], to: .end(of: .init(rawValue: 3))))?.diff != nil)
  }

  @Test
  func `the host can give its own seat away, and the session that joined first becomes host`() {
    let host = Peer(daemon)
    let other = Peer(daemon)
    let watcher = Peer(daemon, role: .spectator)
    host.receive()
    let give = HostAction.give(seat(1), to: watcher.session ?? .daemon)
    #expect(host.ask(give.operation)?.diff != nil, "its answer comes before the goodbye")
    #expect(host.goodbye?.reason == .reseated && daemon.state.hostPerson == other.session)
    other.receive()
    #expect(isAccepted(other, .freeze(first)))
    host.reconnect()
    #expect(host.welcome?.seat == .spectator && reason(host, .thaw(first)) == .permissionDenied)
    watcher.reconnect(role: .spectator)
    // From one seat to another: the former seat is free.
    #expect(isAccepted(other, .give(seat(5), to: watcher.session ?? .daemon)))
    #expect(daemon.state.seats.map(\.number) == [seat(2), seat(5)])
  }

  @Test
  func `a client reconnects by itself to its new seat; where seats do not matter, what was pending is done`() {
    let host = Host(daemon)
    let other = Host(daemon)
    host.receive()
    host.submit(HostAction.give(seat(4), to: other.machine.welcome?.session ?? .daemon).operation)
    other.submit(other.move(1))
    for _ in 1...3 { for client in [host, other] { client.receive() } }
    other.reconnect()
    host.receive()
    #expect(other.machine.welcome?.seat == seat(4) && other.isConverged && host.isConverged)
    #expect(other.answers.count == 1 && other.answers.first?.diff != nil)
    #expect(daemon.state.seats.map(\.number) == [seat(1), seat(4)])
  }

  @Test(arguments: [true, false])
  func `I3, I7: a host action is done once, whatever was lost, and gets the same answer again`(isCommitted: Bool) {
    let host = Host(daemon)
    let kicked = Peer(daemon)
    let other = Peer(daemon, role: .spectator)
    host.receive()
    daemon.commitsAtOnce = isCommitted
    let asked: [HostAction] = [
      .freeze(first), .kick(seat(2)), .give(seat(3), to: other.session ?? .daemon), .invitePlayers,
    ]
    for action in asked { host.submit(action.operation, sendsRefused: true) }
    daemon.endTurn()
    let invite = daemon.table.invites[.player]?.text
    daemon.restart()
    host.rejoin()
    #expect(host.answers.count == 4 && host.isConverged && !daemon.state.isEnabled(first))
    let text = host.answers.last?.invite
    #expect(text == daemon.table.invites[.player]?.text && (text == invite) == isCommitted)
    #expect(host.machine.invite == text)
    if isCommitted {
      #expect(daemon.state.seats.map(\.person) == [host.machine.welcome?.session, other.session])
      let back = Peer(daemon, role: .spectator, credential: kicked.credential)
      #expect(back.session != nil && back.session != kicked.session && back.welcome?.ticket != kicked.welcome?.ticket)
    } else {
      #expect(host.answers[2].reason == .unknownSession, "nobody else is back when it is judged")
    }
    let diffs = daemon.committedEntries.compactMap(\.diff).filter { $0.author == host.machine.welcome?.session }
    #expect(diffs.count == (isCommitted ? 3 : 2))
  }

  @Test func `a session that lost its seat stays a spectator after a restart`() {
    let daemon = Daemon { $0.tables.snapshotAfterBytes = 1 }
    let host = Peer(daemon)
    let holder = Peer(daemon)
    let receiver = Peer(daemon, role: .spectator)
    host.receive()
    #expect(isAccepted(host, .give(seat(2), to: receiver.session ?? .daemon)))
    for round in 1...2 {
      daemon.restart()
      holder.reconnect()
      receiver.reconnect(role: .spectator)
      #expect(holder.welcome?.seat == .spectator && receiver.welcome?.seat == seat(2), "round \(round)")
    }
  }
}

extension Diff {
  /// The diff as others than its author receive it.
  fileprivate var withoutMinted: Diff {
    var comparable = self
    comparable.minted = []
    return comparable
  }
}
