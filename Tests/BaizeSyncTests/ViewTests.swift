import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// I6, D13: each seat's view of private collections.
@Suite final class ViewTests: HandsTable {
  private func view(_ item: ItemID, _ seat: SeatNumber) throws -> Item {
    try #require(daemon.state.item(item)).view(for: seat)
  }

  /// Performs an operation of the owner, and returns the messages to owner, other and spectator.
  private func perform(_ kind: TableOperation.Kind) throws -> [Diff] {
    let revision = daemon.state.revision
    owner.ask(kind)
    receive()
    try #require(daemon.state.revision == revision.next)
    for peer in all { #expect(peer.isConverged) }
    return try all.map { try #require($0.diffs.last { $0.revision == revision.next }) }
  }

  private func changes(_ diff: Diff) -> [Change] { Array(diff.changes) }

  // MARK: The table in D13

  @Test(arguments: [true, false])
  func `others receive an empty diff when a hand is rearranged or left unchanged`(isChanged: Bool) throws {
    let hand = items("hand/1")
    let diffs = try perform(move([hand[0]], to: "hand/1", before: isChanged ? .none : hand[1]))
    #expect(changes(diffs[0]).count == 1 && diffs[0].operation == .move && diffs[0].sequence.rawValue == 1)
    for diff in diffs[1...] {
      #expect(diff == Diff(revision: diffs[0].revision, author: diffs[0].author, sequence: .zero))
    }
    #expect(items("hand/1") == (isChanged ? hand[1...] + hand[...0] : hand[...]).map { $0 })
  }

  @Test func `an item moved into a hand is removed for others and gets a new id`() throws {
    let card = items("discard")[1]
    let diffs = try perform(move([card], to: "hand/1"))
    let new = try #require(items("hand/1").last)
    #expect(new != card)
    let shown = try view(new, SeatNumber(rawValue: 1))
    #expect(changes(diffs[0]) == [.removed([card]), .inserted([shown], .end(of: handle("hand/1")))])
    #expect(shown.face["number"] != nil)
    for diff in diffs[1...] { #expect(changes(diff) == [.removed([card]), .counted(handle("hand/1"), 5)]) }
  }

  @Test func `a block goes into a hand without its order`() throws {
    let cards = items("discard").sorted { $0.rawValue > $1.rawValue }
    let diffs = try perform(move(cards, to: "hand/1"))
    for diff in diffs { #expect(changes(diff)[0] == .removed(ItemList(cards.reversed()))) }
  }

  @Test func `an item moved out of a hand is inserted for others`() throws {
    let card = items("hand/1")[2]
    let diffs = try perform(move([card], to: "discard"))
    #expect(changes(diffs[0]) == [.moved([card], .end(of: handle("discard")))])
    for diff in diffs[1...] {
      #expect(
        Set(changes(diff)) == [
          .inserted([try view(card, .spectator)], .end(of: handle("discard"))), .counted(handle("hand/1"), 3),
        ])
    }
    #expect(try view(card, .spectator).visibility == .everyone)
  }

  /// The items that others see already move first, so that every viewer records the same successors, and then carries gaps to the
  /// same place (I10).
  @Test func `a block out of a hand and of the discard pile moves for others as one block`() throws {
    let (hand, pile) = (items("hand/1"), items("discard"))
    let diffs = try perform(move([pile[0], hand[1], pile[1], hand[0]], to: "discard"))
    let end = Placement.end(of: handle("discard"))
    #expect(changes(diffs[0]) == [.moved([pile[0], hand[1], pile[1], hand[0]], end)])
    for diff in diffs[1...] {
      #expect(
        changes(diff) == [
          .moved([pile[0], pile[1]], end),
          .inserted([try view(hand[1], .spectator)], .before(pile[1], in: handle("discard"))),
          .inserted([try view(hand[0], .spectator)], end), .counted(handle("hand/1"), 2),
        ])
    }
  }

  @Test func `an item moved between hands changes only the counts for others`() throws {
    let card = items("hand/1")[0]
    let diffs = try perform(move([card], to: "hand/2"))
    let new = try #require(items("hand/2").last)
    #expect(new != card)
    let (own, theirs) = (Change.counted(handle("hand/1"), 3), Change.counted(handle("hand/2"), 5))
    #expect(changes(diffs[0]) == [.removed([card]), theirs])
    #expect(
      changes(diffs[1]) == [own, .inserted([try view(new, SeatNumber(rawValue: 2))], .end(of: handle("hand/2")))])
    #expect(changes(diffs[2]) == [own, theirs])
  }

  @Test func `a tray shows its cards to everyone and their faces to the owner`() throws {
    let diffs = try perform(.perform(action: "show/1", items: [], nil))
    let card = try #require(items("tray/1").last)
    #expect(try view(card, SeatNumber(rawValue: 1)).face != Face())
    for (diff, seat) in zip(diffs, [1, 2, 0] as [UInt32]) {
      let isOwner = seat == 1
      #expect(changes(diff).contains(.moved([card], .end(of: handle("tray/1")))))
      let faces = changes(diff).compactMap { if case .faced(let items) = $0 { items } else { nil } }.joined()
      #expect(faces.allSatisfy { isOwner || $0.face == Face() })
      #expect(faces.contains { $0.face != Face() } == isOwner)
    }
  }

  @Test func `an update of a face that is hidden makes a diff even if it changes nothing`() throws {
    let card = items("tray/1")[0]
    let note = TableOperation.Kind.update(card, attributes: [Attribute("note", 1)], representations: [])
    let diffs = [try perform(note), try perform(note)]
    #expect(diffs[0][2].changes == diffs[1][2].changes)
    #expect(diffs[0][1].changes == diffs[1][1].changes)
  }

  @Test func `sequence numbers and new ids are sent to the author only`() throws {
    owner.ask(.perform(action: "no such action", items: [], nil))
    let copied = items("discard")[0]
    let diffs = try perform(.move([copied], to: .end(of: handle("discard")), suggested: .copy))
    #expect(diffs[0].sequence.rawValue == 2 && diffs[0].minted.count == 1)
    for diff in diffs[1...] { #expect(diff.sequence == .zero && diff.minted == []) }
  }

  // MARK: Counting, hashing, loading

  @Test func `a diff is encoded once for each distinct view`() throws {
    let more = (0..<3).map { _ in Peer(daemon, type: "hands", role: .spectator) }
    defer { for peer in more { peer.receive() } }
    // The author, and all others.
    let hand = items("hand/1")
    var (encoded, delivered) = (daemon.framesEncoded, daemon.framesDelivered)
    _ = try perform(move([hand[0]], to: "hand/1"))
    #expect(daemon.framesEncoded - encoded == 2 && daemon.framesDelivered - delivered == 6)
    // The author, who receives a card, and spectators.
    (encoded, delivered) = (daemon.framesEncoded, daemon.framesDelivered)
    _ = try perform(move([hand[0]], to: "hand/2"))
    #expect(daemon.framesEncoded - encoded == 3 && daemon.framesDelivered - delivered == 6)
  }

  @Test func `a pong has the hash of the receiver's view`() {
    for peer in all {
      peer.exchange(.ping(Ping(nonce: 1, wantsHash: true)))
    }
    var state = daemon.state
    #expect(all.map { $0.pongs.last?.viewHash } == [1, 2, 0].map { state.viewHash(for: SeatNumber(rawValue: $0)) })
    #expect(Set(all.map { $0.pongs.last?.viewHash }).count == 3)
  }

  @Test func `a snapshot has the own cards and only the number of others' cards`() throws {
    for (peer, seat) in zip(all, [1, 2, 0] as [UInt32]) {
      peer.exchange(.snapshotRequest(why: "a test"))
      let items = try #require(peer.parts.last).items
      let hands = Set(items.filter { $0.collection.rawValue <= 3 }.map(\.collection.rawValue))
      #expect(hands == (seat == 0 ? [] : [seat]))
      for item in items where (4...6).contains(item.collection.rawValue) && item.collection.rawValue != 3 + seat {
        #expect(item.face == Face() && item.visibility == .nobody)
      }
      let state = try #require(peer.replica?.state)
      #expect((1...3).map { state.count(in: CollectionHandle(rawValue: $0)) } == [4, 4, 4])
      #expect(peer.isConverged)
    }
  }

  @Test func `hidden faces do not affect how a snapshot is split`() throws {
    func parts(_ seat: UInt32) -> Int {
      let limits = SyncLimits { $0.tables.snapshotPartBytesMax = 300 }
      return Snapshot.parts(of: daemon.state, for: SeatNumber(rawValue: seat), limits: limits).count
    }
    let before = (0...2).map { parts($0) }
    let text = Attribute("text", String(repeating: "x", count: 1_000))
    for item in items("tray/1") { _ = try perform(.update(item, attributes: [text], representations: [])) }
    let after = (0...2).map { parts($0) }
    #expect(after[0] == before[0] && after[1] > before[1] && after[2] == before[2])
  }

  @Test func `a new member receives the present number of others' cards`() throws {
    _ = try perform(.perform(action: "draw/1", items: [], nil))
    #expect(other.changes.contains(.counted(handle("hand/1"), 5)))
    #expect(other.replica?.state.count(in: handle("hand/1")) == 5)
    #expect(!owner.changes.contains(.counted(handle("hand/1"), 5)))
  }

  // MARK: Hidden items

  private enum Field: CaseIterable { case source, amongSources, anchor, after, removed, updated, turned }

  private func naming(_ item: ItemID, _ field: Field) -> TableOperation.Kind {
    switch field {
    case .source: return move([item], to: "discard")
    case .amongSources: return move([items("discard")[0], item], to: "hand/2")
    case .anchor: return move([items("discard")[0]], to: "hand/1", before: item)
    case .after:
      var difference = ReorderDifference(
        sources: [items("discard")[0]], destination: .before(ItemID(rawValue: 1 << 50), in: handle("hand/1")))
      difference.destination.after = .item(item)
      return .reorder(difference, suggested: [])
    case .removed: return .remove([item])
    case .updated: return .update(item, attributes: [], representations: [])
    case .turned: return .perform(action: "up", items: [item], nil)
    }
  }

  @Test(arguments: Field.allCases)
  private func `an item in another's hand is answered like one that never existed`(field: Field) throws {
    let unknown = ItemID(rawValue: (1 << 51) + 12_345)
    let hidden = items("hand/1")[0]
    var outcomes: [Outcome] = []
    for (number, item) in [hidden, unknown].enumerated() {
      other.exchange(other.forged(UInt64(number) + 1, naming(item, field)))
      var outcome = try #require(other.outcomes.last)
      outcome.sequence = .zero
      outcome.refusal.detail = outcome.refusal.detail.split(separator: "\(item.rawValue)").joined(separator: "#")
      outcomes.append(outcome)
    }
    #expect(outcomes[0] == outcomes[1] && outcomes[0].verdict == .refused)
    #expect(outcomes[0].refusal.reason == .unknownItem)
  }

  @Test func `a rule that would read a hidden face is not evaluated`() throws {
    // Both could be moved, and one would fit on the ladder: the refusals are equal.
    for (number, card) in items("tray/1").enumerated() {
      other.send(other.forged(UInt64(number) + 1, move([card], to: "ladder")))
    }
    other.receive()
    #expect(other.outcomes.map(\.refusal.reason) == [.faceHidden, .faceHidden])
    #expect(Set(other.outcomes.map(\.refusal)).count == 1)
  }

  // MARK: Drags

  @Test func `a drag is sent without items hidden from its receiver`() throws {
    let (hand, open) = (items("hand/1"), items("discard"))
    owner.send(.drag(Drag(phase: .began, items: [hand[0], open[0]])))
    owner.send(.drag(Drag(phase: .moved, over: .before(hand[1], in: handle("hand/1")))))
    receive()
    for peer in [other, spectator] {
      #expect(peer.drags.map(\.items) == [[open[0]], []], "a movement names no items")
      #expect(peer.drags.last?.over == .end(of: handle("hand/1")))
    }
    let late = Peer(daemon, type: "hands", role: .spectator)
    #expect(late.drags.map(\.items) == [[open[0]]] && late.drags.last?.over == .end(of: handle("hand/1")))
  }

  @Test func `a drag of items hidden from the dragger is refused like one of items that never existed`() throws {
    let unknown = [try #require(items("hand/1").first), ItemID(rawValue: (1 << 51) + 12_345)]
    for item in unknown { other.send(.drag(Drag(phase: .began, items: [item]))) }
    receive()
    #expect(owner.drags.isEmpty && spectator.drags.isEmpty)
    #expect(other.drags.map(\.isRefused) == [true, true])
    #expect(other.drags.map(\.items) == unknown.map { [$0] })
  }

  // MARK: Seats that change hands

  @Test func `a session that takes a free seat cannot request the view of the session before`() throws {
    let before = try #require(owner.replica?.confirmedRevision)
    owner.ask(.perform(action: "draw/1", items: [], nil))
    owner.send(.goodbye(Goodbye(.leaving)))
    freeFirstSeat()
    let guest = Peer(daemon, type: "hands", name: "guest")
    let welcome = try #require(guest.welcome)
    #expect(welcome.seat == SeatNumber(rawValue: 1))
    guest.send(.ping(Ping(nonce: 1)))
    daemon.lose(guest.connection)
    // It claims a revision that it never received.
    let received = try reconnect(guest, holding: before)
    #expect(!received.contains { $0.diff != nil })
  }

  /// Has the host free the first seat, in which a hand was left.
  private func freeFirstSeat() {
    other.receive()
    other.ask(HostAction.kick(SeatNumber(rawValue: 1)).operation)
  }

  /// Returns the messages to a session that resumes with a claimed revision.
  private func reconnect(_ peer: Peer, holding revision: Revision) throws -> [ServerMessage] {
    let received = daemon.resume(peer.welcome, of: peer.identity, holding: revision)
    let back = try #require(received.first?.welcome)
    #expect(back.seat == peer.welcome?.seat && !back.tableType.isEmpty)
    return received
  }

  @Test func `diffs of a seat's former session are not sent to the next`() throws {
    let welcome = try #require(owner.welcome)
    let revision = try #require(owner.replica?.confirmedRevision)
    daemon.lose(owner.connection)
    daemon.pass(seconds: 61)
    for peer in [other, spectator] { peer.send(.ping(Ping(nonce: 1))) }
    daemon.sweep()
    freeFirstSeat()
    let guest = Peer(daemon, type: "hands", name: "guest")
    #expect(guest.welcome?.seat == welcome.seat)
    guest.ask(.perform(action: "draw/1", items: [], nil))
    guest.send(.goodbye(Goodbye(.leaving)))
    freeFirstSeat()
    let received = try reconnect(owner, holding: revision)
    #expect(!received.contains { $0.diff != nil })
  }
}
