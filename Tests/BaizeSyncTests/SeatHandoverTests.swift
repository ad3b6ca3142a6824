import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// I6: a seat that the host hands over, and the messages to its holders when they resume. At the table `hands` anyone puts
/// cards into anyone's hand, so that something happens there while its holder is away.
@Suite struct SeatHandoverTests {
  /// The way in which the holders reconnect.
  enum Way: CaseIterable { case diffs, snapshot }

  private static let seat = SeatNumber(rawValue: 2)
  private static let (hand, discard) = (CollectionHandle(rawValue: 2), CollectionHandle(rawValue: 10))

  /// The host gives seat 2 to a spectator, and both holders come back.
  private func handOver(
    _ daemon: Daemon, isHolderThere: Bool = true
  ) throws -> (host: Host, holder: Host, receiver: Host) {
    let host = Host(daemon, type: "hands")
    let holder = Host(daemon, type: "hands")
    let receiver = Host(daemon, type: "hands", role: .spectator)
    for client in [host, holder] { client.receive() }
    if !isHolderThere { holder.lose() }
    let session = try #require(receiver.machine.welcome?.session)
    host.submit(HostAction.give(Self.seat, to: session).operation)
    for client in [host, holder, receiver] { client.receive() }
    for client in [holder, receiver] { client.reconnect() }
    for (client, seat) in [(holder, .spectator), (receiver, Self.seat)] as [(Host, SeatNumber)] {
      #expect(client.machine.welcome?.seat == seat && client.isConverged)
      #expect(client.received.kinds.prefix(2) == ["welcome", "snapshot"], "another view")
    }
    host.receive()
    return (host, holder, receiver)
  }

  /// Puts the first of the discarded cards into the hand.
  private func dealIn(_ host: Host) throws {
    let card = try #require(host.daemon.state.itemIDs(in: Self.discard).first)
    host.ask(.reorder(host.drop([card], to: Self.hand.rawValue), suggested: .move))
    #expect(host.answers.last?.diff != nil)
  }

  /// Returns whether any of the items is named in a message that a client received since it reconnected.
  private func knows(_ client: Host, of items: [ItemID]) -> Bool {
    let words = "\(client.received)"
    return items.contains { words.contains("\($0.rawValue)") }
  }

  @Test(arguments: Way.allCases, [true, false])
  func `after a handover each holder resumes with its new view alone`(_ way: Way, isHolderThere: Bool) throws {
    let daemon = Daemon { if way == .snapshot { $0.tables.logBytesMax = 0 } }
    let (host, holder, receiver) = try handOver(daemon, isHolderThere: isHolderThere)
    for client in [holder, receiver] {
      // From now on the daemon knows that the client received the new view.
      client.handle { $1.append(.send(.ping(Ping(nonce: 1)))) }
      client.receive()
      client.lose()
    }
    try dealIn(host)
    for client in [holder, receiver] {
      client.reconnect()
      let kinds = client.received.kinds
      #expect(kinds.prefix(2) == ["welcome", way == .diffs ? "diff" : "snapshot"], "\(kinds)")
      #expect(client.isConverged)
    }
    #expect(receiver.machine.replica?.author.seat == Self.seat && holder.machine.replica?.author.seat == .spectator)
    let cards = daemon.state.itemIDs(in: Self.hand)
    let news = way == .diffs ? [cards[cards.count - 1]] : cards
    #expect(news.allSatisfy { knows(receiver, of: [$0]) } && !knows(holder, of: cards))
    let state = try #require(receiver.state)
    #expect(state.itemIDs(in: Self.hand) == cards && cards.allSatisfy { state.face(of: $0) != nil })
    // Only the receiver can play from the seat.
    receiver.ask(.reorder(receiver.drop([cards[0]], to: Self.hand.rawValue), suggested: []))
    #expect(receiver.answers.last?.diff != nil)
    holder.ask(.reorder(holder.drop([cards[0]], to: Self.hand.rawValue), suggested: []), sendsRefused: true)
    #expect(holder.answers.last?.reason == .unknownItem)
  }

  @Test func `a resume from a later revision than the client has reveals no view of another seat`() throws {
    let daemon = Daemon()
    let before = Revision(rawValue: 2)
    let (host, holder, receiver) = try handOver(daemon)
    try dealIn(host)
    for client in [holder, receiver] {
      client.receive()
      client.handle { $1.append(.send(.ping(Ping(nonce: 1)))) }
      let welcome = try #require(client.machine.welcome)
      client.lose()
      let received = daemon.resume(welcome, of: client.machine.identity, as: .spectator, holding: before)
      #expect(received.kinds.prefix(2) == ["welcome", "snapshot"] && !received.contains { $0.kind == "diff" })
    }
  }

  @Test func `a client that still has its former seat's view gets a snapshot, however often`() throws {
    let daemon = Daemon()
    let host = Peer(daemon, type: "hands")
    let holder = Peer(daemon, type: "hands")
    let receiver = Peer(daemon, type: "hands", role: .spectator)
    host.receive()
    #expect(host.ask(HostAction.give(Self.seat, to: receiver.session ?? .daemon).operation)?.diff != nil)
    for peer in [holder, receiver] {
      peer.receive()
      let held = peer.replica?.confirmedRevision ?? .zero
      #expect(held == daemon.state.revision)
      for _ in 1...2 {
        let received = daemon.resume(peer.welcome, of: peer.identity, as: .spectator, holding: held)
        #expect(received.kinds.prefix(2) == ["welcome", "snapshot"])
      }
    }
  }
}
