import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// J1–J14: joining, resuming a session, and freeing a seat.
@Suite struct SessionTests {
  private let daemon = Daemon()

  // MARK: Joining

  @Test func `a refused hello is answered with its reason, and no one else is affected`() {
    let other = Peer(daemon)
    let hellos: [(Hello, GoodbyeReason)] = [
      (Hello(version: 2, table: "t"), .unsupportedVersion), (Hello(table: "no/such"), .badTableID),
      (Hello(table: ""), .badTableID), (Hello(table: "other"), .unknownTable),
      (Hello(table: "other", tableType: "chess"), .unknownType),
      (Hello(table: "other", tableType: "klondike?draw=2"), .badOption),
      (Hello(table: "other", tableType: "list", credential: [1]), .badCredential),
      (Hello(table: "t", tableType: "grid"), .tableTypeMismatch),
      (Hello(table: "t", tableType: "list?items=6"), .tableTypeMismatch),
      (Hello(table: "t", credential: Array(repeating: 255, count: 31)), .badCredential),
      (Hello(table: "t", tableType: "list?items=5", seed: 3), .seedNotAllowed),
    ]
    for (hello, reason) in hellos {
      let connection = daemon.connect(hello)
      #expect(daemon.take(connection).goodbye?.reason == reason && daemon.closed.contains(connection), "\(hello)")
    }
    #expect(other.ask(other.move(3, before: 1))?.diff != nil && daemon.shard.tableCount == 1)
  }

  @Test func `I8: a first message that is no hello, invalid bytes, and a second hello close their connection`() {
    let connection = daemon.connect()
    daemon.receive(.ping(Ping(nonce: 1)), on: connection)
    daemon.receive(.hello(Hello(table: "t", tableType: "list")), on: connection)
    daemon.endTurn()
    #expect(daemon.take(connection) == [.goodbye(Goodbye(.expectedHello, detail: "the first message must be a hello"))])
    let silent = daemon.connect()
    daemon.receive(bytes: [], on: silent)
    daemon.endTurn()
    #expect(daemon.take(silent).goodbye?.reason == .expectedHello, "ignored only after the hello (F6)")
    let peer = Peer(daemon)
    peer.send(.hello(Hello(table: "t")))
    daemon.receive(bytes: [255, 255, 255], on: peer.connection)
    peer.receive()
    #expect(peer.goodbye?.reason == .malformed && daemon.state.seats.first?.name == "someone")
    let garbled = Peer(daemon)
    daemon.receive(bytes: [255, 255, 255], on: garbled.connection)
    daemon.endTurn()
    garbled.receive()
    #expect(garbled.goodbye?.reason == .malformed)
  }

  @Test func `a full table refuses players; none becomes a spectator without asking`() {
    let players = (0..<4).map { _ in Peer(daemon, type: "klondike") }
    #expect(players.map { $0.welcome?.seat.rawValue } == [1, 2, 3, 4])
    let fifth = Peer(daemon, type: "klondike")
    #expect(fifth.goodbye?.reason == .tableFull && fifth.welcome == nil)
    let spectator = Peer(daemon, type: "klondike", role: .spectator)
    #expect(spectator.welcome?.seat == .spectator && spectator.isConverged)
    #expect(spectator.ask(.perform(action: "draw", items: [], nil))?.reason == .permissionDenied)
  }

  // MARK: Resuming

  @Test
  func
    `I3: a hello that is repeated resumes the session with its seat and outcomes; pending operations are judged once`()
  {
    let peer = Peer(daemon)
    peer.submit(peer.move(3, before: 1))
    peer.submit(peer.move(4, before: 1))
    peer.send(1)
    daemon.lose(peer.connection)
    let session = peer.session
    peer.reconnect()
    #expect(peer.session == session && peer.welcome?.seat.rawValue == 1 && peer.welcome?.lastSequence.rawValue == 1)
    #expect(peer.pending.map(\.isInState) == [true, false])
    peer.sendAgain()
    peer.receive()
    #expect(peer.answer(1) == .acceptedBefore(Revision(rawValue: 2)) && peer.answer(2)?.diff != nil)
    #expect(peer.order() == [3, 4, 1, 2, 5] && peer.isConverged)
  }

  @Test func `a second connection of the same session displaces the first, whose later messages are ignored`() {
    let peer = Peer(daemon)
    let watcher = Peer(daemon)
    let old = peer.connection
    peer.reconnect()
    #expect(daemon.closed.contains(old))
    let goodbye = daemon.take(old).goodbye
    #expect(goodbye?.reason == .displaced && goodbye?.isResumable == false)
    daemon.receive(peer.forged(1, peer.move(5, before: 1)), on: old)
    daemon.endTurn()
    #expect(peer.ask(peer.move(3, before: 1))?.diff != nil)
    watcher.receive()
    #expect(watcher.order() == [3, 1, 2, 4, 5] && watcher.isConverged && peer.isConverged)
  }

  @Test func `a hello that arrives late, on a connection that its client has given up, displaces nobody`() {
    var hello = Hello(table: "t", tableType: "list?items=5", credential: daemon.newCredential(), sessionName: [7])
    hello.attempt = 1_000
    let first = daemon.connect(hello)
    hello.attempt = 1_002
    let present = daemon.connect(hello)
    #expect(daemon.take(first).goodbye?.reason == .displaced)
    hello.attempt = 1_001
    let goodbye = daemon.take(daemon.connect(hello)).goodbye
    #expect(goodbye?.reason == .staleHello && goodbye?.isResumable == true && goodbye?.retryAfterMilliseconds ?? 0 > 0)
    #expect(!daemon.closed.contains(present) && daemon.table.sessions.count == 1)
    // A client whose clock was set back comes in when the end of its earlier connection is noticed.
    daemon.lose(present)
    let back = daemon.connect(hello)
    #expect(daemon.take(back).goodbye == nil && !daemon.closed.contains(back))
    hello.attempt = 1_002
    #expect(daemon.take(daemon.connect(hello)).goodbye == nil && daemon.closed.contains(back))
  }

  @Test func `a hello may be repeated, however many welcomes are lost, the first one too`() {
    let hello = Hello(table: "t", tableType: "list?items=5", credential: daemon.newCredential(), sessionName: [7])
    for _ in 1...3 { daemon.lose(daemon.connect(hello)) }
    let peer = Peer(daemon, credential: hello.credential, sessionName: hello.sessionName)
    let ticket = peer.welcome?.ticket
    #expect(peer.welcome?.session.rawValue == 1 && peer.welcome?.seat.rawValue == 1)
    #expect(peer.ask(peer.move(3, before: 1))?.diff != nil)
    for _ in 1...3 {
      peer.reconnect(receives: false)
      daemon.lose(peer.connection)
    }
    peer.reconnect()
    #expect(peer.goodbye == nil && peer.welcome?.session.rawValue == 1 && peer.welcome?.ticket == ticket)
    #expect(daemon.table.sessions.count == 1 && daemon.state.seats.count == 1)
  }

  @Test
  func `I8: a session that reconnects for a seat at a full table is refused, and its present connection stays`() {
    let daemon = Daemon { $0.sessions.graceSeconds = 10 }
    let peer = Peer(daemon, type: "klondike", role: .spectator)
    let players = (0..<4).map { _ in Peer(daemon, type: "klondike") }
    let late = Peer(daemon, type: "klondike", credential: peer.credential)
    #expect(late.goodbye?.reason == .tableFull)
    // The spectator has its session still, and so has everyone else.
    peer.exchange(.ping(Ping(nonce: 7, wantsHash: true)))
    #expect(peer.goodbye == nil && peer.pongs.last?.nonce == 7)
    for player in players { #expect(player.catchUp()) }
    daemon.lose(peer.connection)
    daemon.endTurn()
    #expect(players[0].ask(.perform(action: "draw", items: [], nil))?.diff != nil)
  }

  // MARK: Leaving

  @Test func `a lost connection keeps the seat for the grace time, then a diff frees it, and the session stays`() {
    let daemon = Daemon {
      $0.sessions.graceSeconds = 20
      $0.sessions.seatKeptSecondsMax = 0
      $0.connections.heartbeatSeconds = 1_000_000
    }
    let peer = Peer(daemon)
    let other = Peer(daemon)
    daemon.lose(peer.connection)
    daemon.sweep(afterSeconds: 19)
    other.receive()
    #expect(other.replica?.state.seats.count == 2)
    daemon.sweep(afterSeconds: 1)
    let messages = other.receive()
    #expect(messages.contains { if case .diff(let diff) = $0 { diff.author == .daemon } else { false } })
    #expect(other.replica?.state.seats.map(\.number.rawValue) == [2] && other.isConverged)
    peer.reconnect()
    #expect(peer.session?.rawValue == 1 && peer.welcome?.seat.rawValue == 1 && peer.isConverged)
    #expect(other.catchUp())
  }

  @Test func `J14: where the seat does not matter, a session with another seat loses nothing that waited`() {
    let daemon = Daemon {
      $0.sessions.graceSeconds = 20
      $0.sessions.seatKeptSecondsMax = 0
      $0.connections.heartbeatSeconds = 1_000_000
    }
    let host = Host(daemon)
    let other = Peer(daemon)
    host.ask(host.move(1))
    host.lose()
    for number in [2, 3] { host.submit(host.move(number)) }
    daemon.sweep(afterSeconds: 20)
    #expect(Peer(daemon).welcome?.seat.rawValue == 1)
    host.reconnect()
    #expect(host.machine.replica?.author.seat.rawValue == 3 && host.answers.count == 3)
    host.ask(host.move(4))
    #expect(host.sentSequences == [1, 2, 3, 4] && host.answers.count == 4 && host.isConverged)
    #expect(host.answers.allSatisfy { $0.diff != nil })
    other.receive()
    #expect(other.order() == [5, 1, 2, 3, 4])
  }

  @Test
  func `J14: where the seat matters, what waited under another seat is refused, and what was judged has its answer`() {
    let daemon = Daemon {
      $0.sessions.graceSeconds = 20
      $0.sessions.seatKeptSecondsMax = 0
      $0.connections.heartbeatSeconds = 1_000_000
    }
    let type = "strict"
    let host = Host(daemon, type: type)
    let other = Peer(daemon, type: type)
    func take() -> TableOperation.Kind {
      .reorder(host.drop(host.state?.itemIDs(in: .first).suffix(1) ?? [], to: 2), suggested: [])
    }
    host.submit(take())
    daemon.endTurn()
    host.lose()
    host.submit(take())
    daemon.sweep(afterSeconds: 20)
    #expect(Peer(daemon, type: type).welcome?.seat.rawValue == 1 && host.answers.isEmpty)
    host.reconnect()
    #expect(host.machine.replica?.author.seat.rawValue == 3)
    guard host.answers.count == 2 else { return #expect(Bool(false), "\(host.answers)") }
    guard case .acceptedBefore = host.answers[0], case .refused(let refusal) = host.answers[1] else {
      return #expect(Bool(false), "\(host.answers)")
    }
    #expect(refusal.reason == .seatLost && host.isConverged)
    host.ask(take())
    other.receive()
    #expect(host.sentSequences == [1, 1, 2, 3] && host.answers.last?.diff != nil && other.isConverged)
  }

  @Test func `a forgotten session is not resumed; its slot is reused, its id is not`() {
    let daemon = Daemon {
      $0.sessions.graceSeconds = 20
      $0.sessions.sessionSeconds = 60
      $0.connections.heartbeatSeconds = 1_000_000
    }
    let peer = Peer(daemon)
    let other = Peer(daemon)
    peer.ask(peer.move(3, before: 1))
    daemon.lose(peer.connection)
    daemon.sweep(afterSeconds: 60)
    let ticket = peer.welcome?.ticket
    let new = Peer(daemon, credential: peer.credential)
    #expect(new.welcome?.ticket != ticket && new.session?.rawValue == 3 && daemon.table.sessions.indices.count == 2)
    #expect(new.welcome?.lastSequence == .zero && new.ask(new.move(4, before: 1))?.diff != nil)
    other.receive()
    #expect(other.isConverged && new.isConverged)
  }

  @Test func `a client that leaves for good frees its seat at once and comes back as another`() {
    let peers = (0..<3).map { _ in Peer(daemon) }
    peers[0].exchange(.goodbye(Goodbye(.leaving)))
    #expect(peers[0].goodbye?.reason == .leaving && daemon.closed.contains(peers[0].connection))
    #expect(daemon.state.seats.map(\.number.rawValue) == [2, 3])
    peers[0].reconnect(role: .spectator)
    #expect(peers[0].session?.rawValue == 4)
    // The last member has moved to the first one's index in the daemon's list, and keeps its identity.
    #expect(peers[2].ask(peers[2].move(3, before: 1))?.diff?.author.rawValue == 3)
    #expect(peers[1].ask(peers[1].move(4, before: 1))?.diff?.author.rawValue == 2)
    for peer in peers.dropFirst() { #expect(peer.catchUp()) }
  }

  @Test(arguments: 0..<4)
  func `I8: silent connections are closed, resumably, and no others, however many are at the table`(talker: Int) {
    let daemon = Daemon { $0.connections.heartbeatSeconds = 10 }
    let peers = (0..<4).map { _ in Peer(daemon) }
    daemon.pass(seconds: 29)
    daemon.tick()
    peers[talker].send(.ping(Ping(nonce: 1)))
    let visitor = daemon.connect()
    daemon.sweep(afterSeconds: 2)
    for (number, peer) in peers.enumerated() {
      peer.receive()
      #expect(peer.goodbye?.reason == (number == talker ? nil : .timeout))
      #expect(peer.goodbye?.isResumable ?? true)
    }
    #expect(peers[talker].ask(peers[talker].move(3, before: 1))?.diff != nil && peers[talker].isConverged)
    daemon.sweep(afterSeconds: 9)
    #expect(daemon.take(visitor).last?.goodbye?.reason == .timeout, "a connection without a hello is closed")
  }

  @Test func `a daemon that stops sends everyone the time to reconnect at`() {
    let peers = (0..<3).map { _ in Peer(daemon) }
    daemon.shutDown()
    daemon.endTurn()
    for peer in peers {
      peer.receive()
      #expect(peer.goodbye?.reason == .shutdown && peer.goodbye?.retryAfterMilliseconds == 1_000)
    }
    #expect(peers.allSatisfy { daemon.closed.contains($0.connection) })
  }
}
