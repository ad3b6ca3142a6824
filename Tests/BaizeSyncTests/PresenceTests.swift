import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// P1–P9: drags are relayed and bounded, end with their connection, and are not part of the state.
@Suite struct PresenceTests {
  private let daemon: Daemon
  private let dragger: Peer
  private let watcher: Peer

  init() {
    daemon = Daemon {
      $0.sessions.dragMovesPerSecondMax = 10
      $0.connections.outboxSoftBytes = 1_000
    }
    dragger = Peer(daemon)
    watcher = Peer(daemon)
    dragger.receive()
  }

  private func begin(_ numbers: Int...) {
    dragger.send(.drag(Drag(phase: .began, items: ItemList(numbers.map(dragger.item)), formation: .pile)))
  }

  @Test func `a drag is sent to the others with its author's session, and changes nothing`() {
    let revision = daemon.state.revision
    begin(2, 3)
    dragger.send(.drag(Drag(phase: .moved, over: .before(dragger.item(5), in: .init(rawValue: 1)), x: 500, y: -1)))
    dragger.send(.drag(Drag(session: SessionID(rawValue: 77), phase: .ended)))
    watcher.receive()
    #expect(watcher.drags.map(\.phase) == [.began, .moved, .ended])
    #expect(watcher.drags.allSatisfy { $0.session == dragger.session })
    let items: ItemList = [dragger.item(2), dragger.item(3)]
    #expect(watcher.drags.map(\.items) == [items, [], items], "a movement has the items that the drag began with")
    #expect(
      watcher.drags[0].formation == .pile && watcher.drags[1].x == 500
        && watcher.drags[1].over?.position == .before(dragger.item(5)))
    dragger.receive()
    #expect(dragger.drags.isEmpty && daemon.state.revision == revision)
  }

  @Test func `I8: invalid drags are dropped, and no connection is closed`() {
    for drag in [
      Drag(phase: .began), Drag(phase: .began, items: [ItemID(rawValue: 999)]), Drag(phase: .moved),
      Drag(phase: .ended),
      Drag(phase: .cancelled, items: [dragger.item(1)]),
    ] { dragger.send(.drag(drag)) }
    begin(1)
    dragger.send(.drag(Drag(phase: .moved, over: .end(of: CollectionHandle(rawValue: .max)))))
    let spectator = Peer(daemon, role: .spectator)
    spectator.send(.drag(Drag(phase: .began, items: [dragger.item(2)])))
    watcher.receive()
    #expect(watcher.drags.map(\.phase).prefix(2) == [.began])
    dragger.receive()
    #expect(dragger.goodbye == nil)
  }

  @Test func `I8: movements are rate-limited and dropped for slow readers; begins and ends are not`() {
    let slow = Peer(daemon)
    daemon.backlog(of: slow.connection, 1_001)
    begin(1)
    for _ in 1...10 { dragger.send(.drag(Drag(phase: .moved))) }
    daemon.pass(seconds: 1)
    dragger.send(.drag(Drag(phase: .moved)))
    dragger.send(.drag(Drag(phase: .cancelled)))
    watcher.receive()
    slow.receive()
    #expect(watcher.drags.count(where: { $0.phase == .moved }) == 4, "three at once, one later")
    #expect(slow.drags.map(\.phase) == [.began, .cancelled])
  }

  @Test func `a new member receives the present drags; a second begin or a lost connection ends a drag`() {
    begin(1)
    begin(2)
    watcher.receive()
    #expect(watcher.drags.map(\.phase) == [.began, .cancelled, .began])
    dragger.send(.drag(Drag(phase: .moved, x: 3)))
    let late = Peer(daemon)
    #expect(
      late.drags.map(\.phase) == [.began] && late.drags.first?.items == [dragger.item(2)] && late.drags.first?.x == 3)
    daemon.lose(dragger.connection)
    daemon.endTurn()
    late.receive()
    #expect(late.drags.last?.phase == .cancelled && late.drags.last?.session == dragger.session)
    let later = Peer(daemon)
    #expect(later.drags.isEmpty)
  }

  @Test func `no client receives its own drag, not even after a snapshot or a reconnect`() {
    begin(1)
    for peer in [dragger, watcher] {
      peer.exchange(.snapshotRequest(why: "a test"))
      #expect(peer.parts.count == 2)
    }
    #expect(dragger.drags.isEmpty && watcher.drags.map(\.phase) == [.began, .began])
    daemon.lose(dragger.connection)
    daemon.endTurn()
    dragger.reconnect()
    #expect(dragger.drags.isEmpty)
  }

  @Test func `being connected is presence: all members receive it, without a diff`() {
    func connected(_ messages: [ServerMessage]) -> [Bool]? {
      messages.compactMap { if case .seats(let seats) = $0 { seats.map(\.isConnected) } else { nil } }.last
    }
    let revision = daemon.state.revision
    daemon.lose(dragger.connection)
    daemon.endTurn()
    #expect(connected(watcher.receive()) == [false, true])
    dragger.reconnect()
    #expect(connected(watcher.receive()) == [true, true] && daemon.state.revision == revision && watcher.isConverged)
  }
}
