import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// P14: the members are told how many people watch, at most once per sweep, and that is not part of the state.
@Suite struct WatchingTests {
  private let daemon = Daemon {
    $0.connections.outboxHardBytes = 10_000
    $0.connections.outboxResumeBytes = 1_000
  }
  private let ada: Peer
  private let bo: Peer

  init() {
    ada = Peer(daemon)
    bo = Peer(daemon)
    ada.receive()
  }

  private func join(sessionName: [UInt8] = [], credential: [UInt8]? = nil) -> Peer {
    Peer(daemon, role: .spectator, credential: credential, sessionName: sessionName)
  }

  private func leave(_ peer: Peer) {
    daemon.lose(peer.connection)
    daemon.endTurn()
  }

  @Test func `who watches is told with the next sweep, to all, and changes nothing`() {
    let (revision, entries) = (daemon.state.revision, daemon.committedEntries.filter { $0.diff != nil }.count)
    let watcher = join()
    #expect(ada.receive().isEmpty && watcher.receive().watching.isEmpty)
    daemon.sweep(afterSeconds: 1)
    for peer in [ada, bo, watcher] { #expect(peer.receive() == [.watching(Watching(count: 1))]) }
    leave(watcher)
    daemon.sweep(afterSeconds: 1)
    #expect(ada.receive() == [.watching(Watching())] && bo.receive() == [.watching(Watching())])
    #expect(daemon.state.revision == revision && ada.isConverged)
    #expect(daemon.committedEntries.filter { $0.diff != nil }.count == entries)
  }

  @Test func `a table that nobody watches sends nothing and has no turn for it`() {
    let encoded = daemon.framesEncoded
    for _ in 1...5 { daemon.sweep(afterSeconds: 1) }
    leave(bo)
    bo.reconnect()
    daemon.sweep(afterSeconds: 1)
    #expect(ada.receive().watching.isEmpty && bo.receive().watching.isEmpty && daemon.framesEncoded > encoded)
    let alone = daemon.framesEncoded
    leave(ada)
    leave(bo)
    leave(join())
    daemon.sweep(afterSeconds: 1)
    #expect(daemon.framesEncoded - alone < 10, "nobody is there to be told")
  }

  @Test func `I8: however many come and go, each member receives one number per sweep`() {
    var watchers: [Peer] = []
    for second in 1...3 {
      for _ in 1...40 { watchers.append(join()) }
      for watcher in watchers.prefix(15) { leave(watcher) }
      watchers.removeFirst(15)
      let delivered = daemon.framesDelivered
      daemon.sweep(afterSeconds: 1)
      #expect(daemon.framesDelivered - delivered == watchers.count + 2)
      #expect(ada.receive().watching.map(\.count) == [UInt32(25 * second)])
    }
  }

  @Test func `who comes as another goes costs nothing`() {
    let watcher = join()
    daemon.sweep(afterSeconds: 1)
    ada.receive()
    leave(watcher)
    let other = join()
    #expect(other.receive().watching.isEmpty, "it was told when it was live")
    daemon.sweep(afterSeconds: 1)
    #expect(ada.receive().isEmpty)
  }

  @Test func `who joins, resumes or has read too little is told when it is live`() {
    let watcher = join()
    daemon.sweep(afterSeconds: 1)
    ada.receive()
    #expect(
      daemon.take(daemon.connect(Hello(table: "t", credential: daemon.newCredential()))).watching.map(\.count) == [1])
    leave(bo)
    bo.reconnect(receives: false)
    #expect(bo.receive().watching.map(\.count) == [1])
    daemon.backlog(of: ada.connection, 10_001)
    leave(watcher)
    daemon.sweep(afterSeconds: 1)
    #expect(ada.receive().watching.isEmpty)
    daemon.backlog(of: ada.connection, 0)
    ada.receiveAll()
    #expect(ada.received.watching.map(\.count) == [1, 0])
  }

  @Test func `a person who watches on two devices is one`() {
    let credential = daemon.newCredential()
    let devices = [1, 2].map { join(sessionName: Array(repeating: $0, count: 16), credential: credential) }
    daemon.sweep(afterSeconds: 1)
    #expect(ada.receive().watching.map(\.count) == [1])
    leave(devices[0])
    daemon.sweep(afterSeconds: 1)
    #expect(ada.receive().isEmpty)
  }

  @Test func `one who watches and takes a seat does not watch any more`() {
    let watcher = join()
    daemon.sweep(afterSeconds: 1)
    leave(watcher)
    watcher.reconnect(role: .player)
    daemon.sweep(afterSeconds: 1)
    #expect(ada.receive().watching.map(\.count) == [1, 0])
  }
}

/// J6, P14: one who waits takes a seat, or watches a full table and asks for one.
@Suite struct SeatAskingTests {
  private let daemon = Daemon()
  private let host: Peer
  private let players: [Peer]

  init() {
    let daemon = daemon
    players = (1...4).map { _ in Peer(daemon, type: "klondike", role: .waiting) }
    host = players[0]
  }

  private func wait(invite: String = "") -> Peer { Peer(daemon, type: "klondike", role: .waiting, invite: invite) }

  /// Returns what the host is told at the next sweep.
  private func told() -> [Watching] {
    host.receive()
    daemon.sweep(afterSeconds: 1)
    return host.receive().watching
  }

  @Test func `one who waits takes a free seat, or watches and asks for one`() {
    #expect(players.map { $0.welcome?.seat.rawValue } == [1, 2, 3, 4])
    let late = wait()
    #expect(late.welcome?.seat == .spectator && late.goodbye == nil && late.isConverged)
    #expect(told() == [Watching(count: 1, asking: [late.session].compactMap(\.self))])
    let watcher = Peer(daemon, type: "klondike", role: .spectator)
    #expect(told().map { [$0.count, UInt32($0.asking.count)] } == [[2, 1]])
    // Who joins again as a spectator asks no more.
    daemon.lose(late.connection)
    late.reconnect(role: .spectator)
    #expect(told() == [Watching(count: 2)])
    players[1].send(.goodbye(Goodbye(.leaving)))
    daemon.lose(late.connection)
    late.reconnect(role: .waiting)
    #expect(late.welcome?.seat.rawValue == 2 && watcher.welcome?.seat == .spectator)
    #expect(told() == [Watching(count: 1)])
  }

  @Test func `the host gives a seat to one who asks, who has it after joining again`() {
    let late = wait()
    guard let asking = told().last?.asking.first else {
      Issue.record("nobody asks")
      return
    }
    #expect(host.ask(HostAction.give(SeatNumber(rawValue: 3), to: asking).operation)?.diff != nil)
    late.receive()
    #expect(late.goodbye?.reason == .reseated && late.goodbye?.isResumable == true)
    late.reconnect(role: .waiting)
    #expect(late.welcome?.seat.rawValue == 3)
    // Whose seat was given away takes none by joining, and asks for none.
    players[2].reconnect(role: .waiting)
    #expect(players[2].welcome?.seat == .spectator && told() == [Watching(count: 1)])
  }

  @Test func `I8: few of those who ask are named, those who have waited longest`() {
    let late = (1...TableLimits.askingSessionsMax + 3).map { _ in wait() }
    let watching = told().last
    #expect(watching?.count == UInt32(late.count))
    #expect(watching?.asking == late.prefix(TableLimits.askingSessionsMax).compactMap(\.session))
  }
}
