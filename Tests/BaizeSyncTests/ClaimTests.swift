import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// A drag claims its items for a while: all or none, against everyone else.
@Suite struct ClaimTests {
  private let daemon: Daemon
  private let one: Peer
  private let two: Peer

  private init(type: String) {
    daemon = Daemon()
    one = Peer(daemon, type: type, name: "one")
    two = Peer(daemon, type: type, name: "two")
    one.receive()
  }

  init() { self.init(type: "list?items=5") }

  private func begin(_ peer: Peer, _ items: ItemID...) -> Bool { begin(peer, ItemList(items)) }

  /// - Returns: Whether only the other participant received the begin.
  private func begin(_ peer: Peer, _ items: ItemList) -> Bool {
    receiveAll()
    peer.send(.drag(Drag(phase: .began, items: items, x: 5)))
    let session = peer.session ?? .daemon
    let own = peer.receive().drags
    let begins = (peer === one ? two : one).receive().drags.filter { $0.phase == .began }
    let refused = Drag(session: session, phase: .began, items: items, isRefused: true)
    #expect(own.isEmpty ? begins.count == 1 : own == [refused] && begins.isEmpty)
    return own.isEmpty
  }

  private func receiveAll() { for peer in [one, two] { peer.receive() } }

  private func end(_ peer: Peer) { peer.send(.drag(Drag(phase: .ended))) }

  @Test func `two drags cannot claim one item, and all items are free after the drag`() {
    #expect(begin(one, one.item(1), one.item(2)))
    #expect(!begin(two, one.item(2)) && !begin(two, one.item(3), one.item(2)), "all or nothing")
    #expect(begin(two, one.item(3)))
    end(one)
    #expect(begin(two, one.item(2), one.item(1)))
    daemon.lose(two.connection)
    #expect(daemon.table.room.claims.isEmpty, "nothing is held without a connection")
  }

  @Test func `items that cannot be lifted are refused like claimed ones, and the previous drag ends all the same`() {
    let first = CollectionHandle(rawValue: 1)
    #expect(one.ask(.perform(action: "pin", items: [one.item(5)], nil))?.diff != nil)
    #expect(begin(one, one.item(1)))
    for items: ItemList in [
      [], [ItemID(rawValue: 999)], [one.item(2), one.item(2)], [one.item(2), one.item(5)], [.none],
    ] { #expect(!begin(one, items), "\(items.map(\.rawValue))") }
    #expect(two.drags.map(\.phase) == [.began, .cancelled], "the refused one has ended it")
    #expect(begin(one, one.item(1)))
    end(one)
    #expect(one.ask(HostAction.freeze(first).operation)?.diff != nil)
    #expect(!begin(one, one.item(1)), "its collection is out of use")
    let spectator = Peer(daemon, role: .spectator)
    #expect(one.ask(HostAction.thaw(first).operation)?.diff != nil)
    spectator.exchange(.drag(Drag(phase: .began, items: [one.item(1)])))
    #expect(spectator.drags.map(\.isRefused) == [true])
    #expect(one.goodbye == nil && spectator.goodbye == nil)
  }

  @Test
  func `a claim ends after ten seconds, the drag does not; the drag's end later does not end another's claim`() {
    #expect(begin(one, one.item(1)))
    daemon.pass(milliseconds: 9_999)
    #expect(!begin(two, one.item(1)))
    daemon.pass(milliseconds: 1)
    #expect(begin(two, one.item(1)))
    one.send(.drag(Drag(phase: .moved, x: 9)))
    end(one)
    #expect(two.receive().drags.map(\.phase) == [.moved, .ended])
    #expect(!begin(one, one.item(1)))
  }

  @Test
  func `a move of a claimed item, by its holder or another, ends the claim`() {
    #expect(begin(one, one.item(1), one.item(2)))
    #expect(two.ask(two.move(1))?.diff != nil, "in a list, claimed items may be moved by others")
    #expect(two.ask(.remove([two.item(3)]))?.diff != nil)
    #expect(begin(two, two.item(1)) && !begin(two, two.item(2)))
    #expect(one.ask(one.move(2))?.diff != nil)
    #expect(begin(two, two.item(2)))
  }

  @Test func `a new member receives the present drags, without removed items`() {
    #expect(begin(one, one.item(1), one.item(2)))
    #expect(two.ask(.remove([two.item(1)]))?.diff != nil)
    #expect(Peer(daemon).drags == [Drag(session: one.session ?? .daemon, phase: .began, items: [one.item(2)], x: 5)])
    end(one)
    #expect(Peer(daemon).drags.isEmpty)
  }

  @Test func `I8: a client that is refused again and again and reads nothing does not fill the daemon's memory`() {
    daemon.backlog(of: one.connection, SyncLimits().connections.outboxHardBytes + 1)
    for _ in 1...5 { one.send(.drag(Drag(phase: .began))) }
    one.receive()
    #expect(one.drags.isEmpty)
  }
}

/// Claims at a table where claimed items are protected, hands are private, and players take turns.
@Suite struct RummyClaimTests {
  private let daemon = Daemon()
  private let one: Peer
  private let two: Peer

  init() {
    one = Peer(daemon, type: "rummy", name: "one")
    two = Peer(daemon, type: "rummy", name: "two")
    one.receive()
  }

  private func begin(_ peer: Peer, _ items: ItemID...) -> Bool {
    peer.receive()
    peer.send(.drag(Drag(phase: .began, items: ItemList(items))))
    return !peer.receive().drags.contains(where: \.isRefused)
  }

  private func pass(_ peer: Peer) {
    #expect(peer.ask(.perform(action: "pass", items: [], nil))?.diff != nil)
    one.receive()
    two.receive()
  }

  private func hand(_ number: UInt32) -> [ItemID] { daemon.state.itemIDs(in: CollectionHandle(rawValue: 1 + number)) }

  @Test func `I5: items that another drags cannot be moved while the claim lasts, except by its holder`() {
    #expect(begin(one, one.item(1)))
    #expect(one.ask(one.move(2))?.diff != nil && one.ask(one.move(1))?.diff != nil, "one's own claim is no hindrance")
    #expect(begin(one, one.item(3), one.item(4)))
    pass(one)
    #expect(two.ask(two.move(2, 3))?.reason == .claimed && two.ask(.remove([two.item(4)]))?.reason == .claimed)
    #expect(two.ask(two.move(2))?.diff != nil, "nobody claims it any more")
    one.send(.drag(Drag(phase: .moved)))
    daemon.pass(seconds: SyncLimits().sessions.claimSeconds)
    #expect(two.ask(two.move(3))?.diff != nil)
    one.send(.drag(Drag(phase: .cancelled)))
    #expect(two.ask(.remove([two.item(4)]))?.diff != nil)
  }

  @Test func `I5: a claim is looked at last of what G5 asks, and before what others did and the rules`() {
    let row = CollectionHandle(rawValue: 1)
    #expect(begin(one, one.item(3), one.item(4)))
    let spectator = Peer(daemon, type: "rummy", role: .spectator)
    #expect(spectator.ask(spectator.move(3))?.reason == .permissionDenied)
    #expect(two.ask(two.move(3))?.reason == .notYourTurn)
    let (claimed, removed, before) = (two.item(3), two.item(2), daemon.state.revision)
    #expect(one.ask(.remove([removed]))?.diff != nil)
    pass(one)
    #expect(two.ask(.move([claimed], to: .before(two.item(4), in: row)))?.reason == .claimed, "and not unchanged (G8)")
    two.send(two.forged(3, base: before.rawValue, .remove([removed, claimed])))
    #expect(two.receive().refusals == [.claimed], "and not contended (G6)")
    #expect(one.ask(HostAction.freeze(row).operation)?.diff != nil)
    two.receive()
    two.send(two.forged(4, .remove([claimed])))
    #expect(two.receive().refusals == [.containerDisabled])
  }

  @Test func `a player lifts what it may move now, and hidden items are as if they did not exist`() {
    #expect(!begin(two, two.item(1)), "not the turn")
    #expect(begin(two, hand(2)[0], hand(2)[1]) && begin(one, one.item(1)))
    #expect(!begin(two, hand(2)[0], two.item(2)) && !begin(one, hand(2)[0]) && !begin(one, hand(1)[0], hand(2)[0]))
    pass(one)
    #expect(begin(two, two.item(2)) && !begin(one, one.item(3)) && begin(one, hand(1)[0]))
  }
}

extension [ServerMessage] {
  fileprivate var refusals: [Reason] { outcomes.map(\.refusal.reason) }
}
