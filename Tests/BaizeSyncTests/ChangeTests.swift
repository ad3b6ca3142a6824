import BaizeSimulator
import BaizeTable
import BaizeWire
import BaizeWorkload
import Testing

@testable import BaizeSync

/// The changes for a user interface are complete and minimal. (The worlds of ``WorldTests`` apply every
/// change to a table of plain arrays.)
@Suite struct ChangeTests {
  private let daemon = Daemon()

  @Test func `every move of one of six items is one change, or none`() {
    let (mover, watcher) = Peer.pair(daemon, type: "list?items=6")
    for number in 1...6 {
      for anchor in Array(1...6) + [nil] {
        let before = mover.order()
        guard let submission = mover.submit(mover.move(number, before: anchor)) else { continue }
        let count = before == mover.order() ? 0 : 1
        #expect(submission.changes.count == count, "\(number) before \(anchor ?? 0) in \(before)")
        mover.send()
        let counts = (mover.changes.count, watcher.changes.count)
        mover.receive()
        watcher.receive()
        #expect(mover.changes.count == counts.0, "an own move that is confirmed is nothing new")
        #expect(watcher.changes.count == counts.1 + count)
        #expect(mover.isConverged && watcher.isConverged)
      }
    }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `a moved block makes at most as many changes as it has items`(seed: UInt64) {
    var random = RandomSource(seed: seed)
    let daemon = Daemon(seed: seed)
    let (mover, watcher) = Peer.pair(daemon, type: "grid")
    for _ in 1...10 {
      var numbers = Array(1...52)
      random.shuffle(&numbers)
      let sources = numbers.prefix(1 + random.below(6)).map(mover.item)
      let handle = CollectionHandle(rawValue: UInt32(1 + random.below(13)))
      let anchor = mover.replica?.state.firstItem(in: handle)
      let destination: Destination = anchor.map { .before($0, in: handle) } ?? .end(of: handle)
      let kind = TableOperation.Kind.move(sources, to: destination)
      let count = watcher.changes.count
      let submission = mover.submit(kind)
      mover.exchange()
      watcher.receive()
      #expect(submission?.changes.count ?? 0 <= sources.count, "seed \(seed)")
      #expect(watcher.changes.count - count <= sources.count, "seed \(seed)")
    }
  }

  @Test func `a new item is visible under a provisional id, and renamed when it has its final id`() {
    let peer = Peer(daemon)
    let submission = peer.submit(peer.insert(9, before: 3))
    let provisional = peer.item(9)
    let location = TableChange.Location(collection: CollectionHandle(rawValue: 1), offset: 2)
    #expect(submission?.changes == [.inserted(provisional, location)] && provisional.isProvisional)
    peer.exchange()
    #expect(peer.changes == [.renamed(provisional, to: peer.item(9))])
  }

  @Test func `I12: a wrong answer that names other items removes what was shown, and renames nothing`() throws {
    let peer = Peer(Daemon())
    var replica = try #require(peer.replica)
    let end = Destination.end(of: .first)
    for minted in [[peer.item(3), peer.item(3)], [peer.item(1), ItemID(rawValue: 1 << 30)]] {
      let shown = replica.submit(.insert([NewItem(), NewItem()], end)).changes
      let sequence = replica.lastSequence
      let update = replica.receive(
        Outcome(sequence: sequence, verdict: .duplicate, revision: replica.confirmedRevision, minted: ItemList(minted)))
      let removed: [TableChange] = shown.compactMap { change in
        if case .inserted(let item, let location) = change { .removed(item, location) } else { nil }
      }
      #expect(removed.count == 2 && update.changes == removed && update.answers.count == 1)
    }
  }

  @Test func `I12: two new items that a diff gives one id are one change each`() throws {
    let peer = Peer(Daemon())
    var replica = try #require(peer.replica)
    let end = Destination.end(of: .first)
    let shown = replica.submit(.insert([NewItem(), NewItem()], end)).changes
    let new = ItemID(rawValue: 1 << 30)
    let diff = Diff(
      revision: replica.confirmedRevision.next, author: replica.author.session, sequence: replica.lastSequence,
      changes: [.inserted([Item(id: new, collection: end.collection)], .end(of: end.collection))], minted: [new, new])
    let changes = try replica.receive(diff).changes
    guard case .inserted(let first, _) = shown[0], case .inserted(let second, let location) = shown[1] else {
      Issue.record("\(shown)")
      return
    }
    #expect(changes == [.renamed(first, to: new), .removed(second, location)])
  }

  @Test func `I10: a refused move is undone by one change`() {
    let (quick, slow) = Peer.pair(daemon, type: "strict")
    let item = slow.item(1)
    slow.submit(slow.move(1, in: 3))
    quick.ask(quick.move(1, in: 2))
    slow.exchange()
    let last = CollectionHandle(rawValue: 3)
    let now = CollectionHandle(rawValue: 2)
    #expect(
      slow.changes == [.moved(item, from: .init(collection: last, offset: 4), to: .init(collection: now, offset: 4))])
  }

  @Test func `a card that is turned up is reported with the move that exposed it`() {
    let (mover, watcher) = Peer.pair(daemon, type: "bag")
    let row = CollectionHandle(rawValue: 3)
    guard let top = mover.replica?.state.lastItem(in: row) else { return }
    let hidden = mover.replica?.state.itemIDs(in: row).dropLast().last ?? .none
    #expect(mover.replica?.state.face(of: hidden) == nil)
    mover.ask(.move([top], to: .end(of: .init(rawValue: 1))))
    watcher.receive()
    #expect(mover.changes.last == .updated(hidden) && mover.replica?.state.face(of: hidden) != nil)
    let location = TableChange.Location(collection: row, offset: 4)
    let end = TableChange.Location(collection: CollectionHandle(rawValue: 1), offset: 5)
    #expect(Set(watcher.changes) == [.updated(hidden), .moved(top, from: location, to: end)] && watcher.isConverged)
  }
  @Test func `I10: an item that is put where its author may not look is hidden before the daemon has answered`() {
    let mover = Peer(Daemon(), type: "bag")
    mover.receive()
    let (hand, bag) = (CollectionHandle(rawValue: 1), CollectionHandle(rawValue: 2))
    guard let card = mover.replica?.state.items(in: hand, from: 0, limit: 1).first else { return }
    #expect(card.face != Face())
    mover.submit(.move([card.id], to: .end(of: bag)))
    let shown = mover.replica?.state.items(in: bag, from: 0, limit: .max).last
    #expect(shown?.id.isProvisional == true && shown?.face == Face())
  }
}
