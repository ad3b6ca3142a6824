import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// I6, L6: the size and the number of what is private change nothing for others: neither whether the table has room, nor
/// what they can undo, nor how old the bases of their operations may be, nor how they catch up. Each bound is reached in the
/// course of a test.
@Suite struct SecretSizeTests {
  private final class Bench: HandsTable {
    static let (hand, discard) = (CollectionHandle(rawValue: 1), CollectionHandle(rawValue: 10))
    static let faceBytes = 17 << 10

    /// Changes a private text of the owner's.
    func write(_ bytes: Int, _ number: Int) {
      let text = Attribute("text", String(repeating: number.isMultiple(of: 2) ? "a" : "b", count: bytes))
      owner.ask(.update(daemon.state.itemIDs(in: Self.hand)[0], attributes: [text], representations: []))
    }

    func insert(_ bytes: Int, _ collection: CollectionHandle, by peer: Peer) -> String? {
      let text = Attribute("text", String(repeating: "c", count: bytes))
      peer.receive()
      return peer.ask(.insert([NewItem(attributes: [text])], .end(of: collection)))?.title
    }

    /// Whether a peer that was away since a revision catches up by diffs.
    func catchesUpByDiffs(_ peer: Peer, since revision: Revision) -> Bool {
      let role: Role = peer === spectator ? .spectator : .player
      return daemon.resume(peer.welcome, of: peer.identity, as: role, holding: revision).first?.welcome?.tableType
        .isEmpty == true
    }
  }

  private static let sizes = (small: 10, large: 16_000)

  /// Expects the same answers for small and for large private things, and more than one answer.
  private func compare<Size, Result: Hashable>(
    _ small: Size, _ large: Size, _ results: (Size) -> [Result], _ location: SourceLocation = #_sourceLocation
  ) {
    let found = results(small)
    #expect(found == results(large), sourceLocation: location)
    #expect(Set(found).count > 1, "the bound is not reached", sourceLocation: location)
  }

  @Test func `whether a table has room does not depend on private texts`() {
    let room = Bench().daemon.state.contentBytes + 4 * (Bench.faceBytes + TableLimits.itemContentBytes)
    compare(Self.sizes.small, Self.sizes.large) { bytes in
      let bench = Bench { $0.tables.contentBytesPerTableMax = room }
      var answers = (1...2).map { _ in bench.insert(bytes, Bench.hand, by: bench.owner) }
      bench.write(bytes, 1)
      answers += (1...4).map { _ in bench.insert(500, Bench.discard, by: bench.other) }
      return answers
    }
  }

  @Test func `what can be undone does not depend on private texts`() {
    compare(Self.sizes.small, Self.sizes.large) { bytes in
      stride(from: 0, to: 24, by: 4).map { count in
        let bench = Bench {
          $0.tables.history.undoNotesMax = 12 * TableLimits.changesPerRevision
          // Counts nothing here.
          $0.tables.history.undoBytesMax = 6 * Self.sizes.large
        }
        let inserted = bench.insert(10, Bench.discard, by: bench.other)
        #expect(inserted == "accepted")
        for number in 0..<count { bench.write(bytes, number) }
        bench.other.receive()
        return bench.other.ask(.undo(SequenceNumber(rawValue: 1)))?.title
      }
    }
  }

  @Test(arguments: [false, true], [false, true])
  func `who gets a seat back learns nothing of what its holder in between did`(isSameCard: Bool, isRestarted: Bool) {
    let bench = Bench()
    let hand = CollectionHandle(rawValue: 2)
    let cards = bench.daemon.state.itemIDs(in: hand)
    func moveAway(_ card: Int, by peer: Peer) {
      peer.ask(.move([cards[card]], to: .before(cards[0], in: hand)))
      let next: Destination = card + 1 < cards.count ? .before(cards[card + 1], in: hand) : .end(of: hand)
      peer.ask(.move([cards[card]], to: next))
      #expect(bench.daemon.state.itemIDs(in: hand) == cards)
    }
    func give(to peer: Peer) {
      bench.owner.receive()
      let action = HostAction.give(SeatNumber(rawValue: 2), to: peer.session ?? .daemon)
      #expect(bench.owner.ask(action.operation)?.diff != nil)
      for peer in [bench.other, bench.spectator] {
        peer.receive()
        peer.reconnect(role: peer === bench.other ? .player : .spectator)
      }
      #expect(peer.welcome?.seat == SeatNumber(rawValue: 2))
    }
    moveAway(cards.count - 1, by: bench.other)
    give(to: bench.spectator)
    moveAway(isSameCard ? cards.count - 1 : 1, by: bench.spectator)
    give(to: bench.other)
    #expect(bench.other.ask(.undo(SequenceNumber(rawValue: 2)))?.reason == .undoTooLate)
    if isRestarted {
      bench.daemon.restart()
      for peer in [bench.owner, bench.other] { peer.reconnect() }
    }
    // Whether the last card is its own would decide where what is dropped behind that lands.
    let base = bench.daemon.state.revision
    bench.owner.receive()
    let card = bench.daemon.state.itemIDs(in: Bench.discard)[0]
    #expect(bench.owner.ask(.move([card], to: .end(of: hand)))?.diff != nil)
    var end = Destination.end(of: hand)
    end.after = .item(cards[cards.count - 1])
    let epoch = bench.daemon.table.epoch.rawValue
    bench.other.exchange(bench.other.forged(4, base: base.rawValue, epoch: epoch, .move([cards[0]], to: end)))
    #expect(bench.daemon.state.itemIDs(in: hand).last == cards[0])
  }

  @Test func `how others catch up does not depend on private texts`() {
    compare(Self.sizes.small, Self.sizes.large) { bytes in
      stride(from: 0, to: 60, by: 4).flatMap { count in
        let bench = Bench { $0.tables.logBytesMax = 600 }
        let revision = bench.daemon.state.revision
        for number in 0..<count { bench.write(bytes, number) }
        return [bench.spectator, bench.other].map { bench.catchesUpByDiffs($0, since: revision) }
      }
    }
  }

  @Test func `how others catch up does not depend on refusals`() {
    compare(0, 50) { refusals in
      stride(from: 0, to: 60, by: 4).flatMap { count in
        let bench = Bench { $0.tables.logBytesMax = 600 }
        let revision = bench.daemon.state.revision
        for number in 0..<count { bench.write(10, number) }
        for _ in 0..<refusals { bench.owner.ask(.perform(action: "none", items: [], nil)) }
        return [bench.spectator, bench.other].map { bench.catchesUpByDiffs($0, since: revision) }
      }
    }
  }

  @Test func `how old a base may be does not depend on how many items moved within a hand`() {
    compare(1, 4) { moved in
      stride(from: 0, to: 24, by: 2).map { count in
        let bench = Bench { $0.tables.history.takeOutsMax = 5 * TableLimits.changesPerRevision }
        let base = bench.daemon.state.revision
        for _ in 0..<count {
          bench.owner.ask(.move(bench.daemon.state.itemIDs(in: Bench.hand).prefix(moved), to: .end(of: Bench.hand)))
        }
        let item = bench.daemon.state.itemIDs(in: Bench.discard)[0]
        bench.other.exchange(bench.other.forged(1, base: base.rawValue, .move([item], to: .end(of: Bench.discard))))
        return bench.other.outcomes.last?.verdict == .retry
      }
    }
  }

  @Test func `what can be undone does not depend on how many items moved within a hand`() {
    compare(0, 4) { moved in
      stride(from: 0, to: 24, by: 2).map { count in
        let bench = Bench { $0.tables.history.undoTakeOutsMax = 12 * TableLimits.changesPerRevision }
        #expect(bench.insert(10, Bench.discard, by: bench.other) == "accepted")
        for number in 0..<count {
          let items = bench.daemon.state.itemIDs(in: Bench.hand).prefix(moved)
          if moved > 0 { bench.owner.ask(.move(items, to: .end(of: Bench.hand))) } else { bench.write(10, number) }
        }
        bench.other.receive()
        return bench.other.ask(.undo(SequenceNumber(rawValue: 1)))?.title
      }
    }
  }

  @Test func `the owner's log is bounded by what the owner received`() {
    let caught = (0..<10).map { count in
      let bench = Bench { $0.tables.logBytesMax = 60_000 }
      let revision = bench.daemon.state.revision
      for number in 0..<count { bench.write(16_000, number) }
      return bench.catchesUpByDiffs(bench.owner, since: revision)
    }
    #expect(caught.first == true && caught.last == false)
  }

  @Test func `a face has at most so many bytes where some are hidden, wherever it lies`() {
    let bench = Bench()
    let fitting = Bench.faceBytes - "text".utf8.count - TableLimits.partContentBytes
    func face(_ bytes: Int) -> NewItem {
      NewItem(representations: [Representation(contentType: "text", data: [UInt8](repeating: 1, count: bytes))])
    }
    let hand = Destination.end(of: Bench.hand)
    #expect(bench.owner.ask(.insert([face(fitting)], hand))?.title == "accepted")
    for destination in [hand, .end(of: Bench.discard)] {
      #expect(bench.owner.ask(.insert([face(fitting + 1)], destination))?.title == "TEXT_TOO_LONG")
    }
    let own = bench.daemon.state.itemIDs(in: Bench.hand)[0]
    let representations = face(fitting + 1).face.representations
    #expect(bench.owner.ask(.update(own, attributes: [], representations: representations))?.title == "TEXT_TOO_LONG")
    #expect(bench.owner.isConverged)
  }
}

extension Answer {
  /// What the answer is, or the reason of a refusal.
  fileprivate var title: String {
    switch self {
    case .accepted: "accepted"
    case .refused(let refusal): refusal.reason.rawValue
    case .acceptedBefore, .unchanged, .invited, .unknown: "other"
    }
  }
}
