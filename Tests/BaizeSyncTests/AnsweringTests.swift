import BaizeWire
import TestSupport
import Testing

@testable import BaizeSync
@testable import BaizeTable

/// A1–A9: each operation is answered once and in order, whatever fails.
@Suite struct AnsweringTests {
  private let daemon = Daemon()

  // MARK: Identity

  @Test func `I3: a judged operation that is sent again gets the same answer, and has no second effect`() {
    let peer = Peer(Daemon())
    peer.ask(peer.move(3, before: 1))
    peer.ask(.remove([ItemID(rawValue: 999)]))
    peer.ask(peer.move(3, before: 1))
    let revision = peer.daemon.state.revision
    for sequence in 1...3 as ClosedRange<UInt64> { peer.send(peer.forged(sequence, peer.move(5, before: 1))) }
    peer.receive()
    let again = Array(peer.outcomes.suffix(3))
    #expect(again.map(\.verdict) == [.duplicate, .refused, .unchanged])
    #expect(again.map(\.refusal.reason) == [Reason(rawValue: ""), .unknownItem, Reason(rawValue: "")])
    #expect(again[0].revision == peer.answer(1)?.diff?.revision)
    #expect(peer.daemon.state.revision == revision && peer.order() == [3, 1, 2, 4, 5])
  }

  @Test func `I3, I8: operations older than the recorded outcomes count as accepted; none is judged again`() {
    let peer = Peer(Daemon { $0.sessions.pendingOperationsMax = 4 })
    for number in 1...7 { peer.ask(number % 2 == 0 ? .remove([ItemID(rawValue: 999)]) : peer.move(number % 5 + 1)) }
    let revision = peer.daemon.state.revision
    for sequence in 1...7 as ClosedRange<UInt64> { peer.send(peer.forged(sequence, peer.move(5, before: 1))) }
    peer.receive()
    let again = Array(peer.outcomes.suffix(7))
    #expect(again.map(\.sequence.rawValue) == Array(1...7))
    #expect(again.prefix(3).allSatisfy { $0.verdict == .duplicate && $0.revision == .zero })
    #expect(again.dropFirst(3).map(\.verdict) == [.refused, .duplicate, .refused, .duplicate])
    #expect(again.dropFirst(3).allSatisfy { $0.revision > .zero })
    #expect(peer.daemon.state.revision == revision)
  }

  @Test(arguments: [0, 2, 3, 1_000, UInt64.max])
  func `I8: a gap closes its sender's connection and no other`(sequence: UInt64) {
    let peer = Peer(daemon)
    let other = Peer(daemon)
    peer.exchange(peer.forged(sequence, peer.move(3, before: 1)))
    #expect(peer.goodbye?.reason == .sequenceGap && daemon.closed.contains(peer.connection))
    #expect(other.ask(other.move(3, before: 1))?.diff != nil && other.goodbye == nil)
  }

  @Test(arguments: [0, 1, UInt64.max], [0, UInt32.max])
  func `I8: every number, however large, is answered`(number: UInt64, unanswered: UInt32) {
    let peer = Peer(Daemon())
    let collections = [CollectionHandle(rawValue: UInt32(truncatingIfNeeded: number)), CollectionHandle(rawValue: 1)]
    var sequence: UInt64 = 0
    for collection in collections {
      for item in [ItemID(rawValue: number), .provisional(operation: SequenceNumber(rawValue: number), number: 4_095)] {
        let destination = Destination(collection: collection, position: .before(item))
        let kinds: [TableOperation.Kind] = [
          .move([item], to: destination, suggested: .init(rawValue: .max)),
          .move([peer.item(1)], to: destination),
          .insert([NewItem()], destination), .remove([item]), .update(item, attributes: [], representations: []),
          .perform(action: "pin", items: [item], destination), .undo(SequenceNumber(rawValue: number)), .unknown,
        ]
        for kind in kinds {
          sequence += 1
          peer.exchange(peer.forged(sequence, unanswered: unanswered, kind))
          let isAnswered =
            peer.outcomes.last?.sequence.rawValue == sequence
            || peer.diffs.last?.sequence.rawValue == sequence
          #expect(isAnswered, "\(kind)")
        }
      }
    }
    // Operations that are not judged use up no number, whatever their base and epoch.
    peer.exchange(peer.forged(sequence + 1, base: number, epoch: number, peer.move(2, before: 1)))
    #expect(peer.outcomes.last?.sequence.rawValue == sequence + 1 || number == 1)
    #expect(peer.isConverged)
  }

  // MARK: Retries

  @Test func `an operation with another epoch or a base that is not known gets RETRY and uses up no number`() {
    let peer = Peer(Daemon())
    for message in [
      peer.forged(1, epoch: 2, peer.move(3, before: 1)), peer.forged(1, base: 99, peer.move(3, before: 1)),
      peer.forged(1, base: .max, peer.move(3, before: 1)), peer.forged(1, epoch: 0, peer.move(3, before: 1)),
    ] {
      peer.send(message)
      peer.receive()
      #expect(peer.outcomes.last?.verdict == .retry && peer.outcomes.last?.refusal.reason == .staleBase)
    }
    #expect(peer.outcomes.count == 4 && peer.daemon.table.sessions[0].answers.last == .zero)
    #expect(peer.ask(peer.move(3, before: 1))?.diff != nil)
  }

  @Test func `I8: no answer has a number that a client does not read, even after RETRY`() {
    for (sequence, isAnswered) in [(1 << 53 - 1, true), (1 << 53, false), (UInt64.max, false)] as [(UInt64, Bool)] {
      let peer = Peer(Daemon())
      peer.send(peer.forged(1, base: 99, peer.move(3, before: 1)))
      peer.exchange(peer.forged(sequence, peer.move(3, before: 1)))
      #expect(peer.outcomes.map(\.sequence.rawValue) == (isAnswered ? [1, sequence] : [1]))
      #expect(peer.goodbye?.reason == (isAnswered ? nil : .sequenceGap))
    }
  }

  @Test func `I3: an operation whose base has left the window is not judged; it is sent again with a fresh base`() {
    let late = Peer(daemon)
    let busy = Peer(daemon)
    late.submit(late.move(3, before: 1))
    for _ in 0...TableLimits.historyRevisionsMax { busy.ask(busy.move(busy.order()[0])) }
    late.exchange()
    #expect(late.replica?.retryReason?.reason == .staleBase)
    late.reexpress()
    late.exchange()
    #expect(late.answer(1)?.diff != nil && late.isConverged)
    #expect(busy.catchUp())
  }

  @Test func `I3: after an operation that was not judged, every later one waits until it is sent again`() {
    let peer = Peer(daemon)
    for number in 3...5 { peer.submit(peer.move(number, before: 1)) }
    // The first has a base that the daemon does not have; the others are valid.
    daemon.receive(peer.forged(1, base: 0, epoch: 7, peer.move(3, before: 1)), on: peer.connection)
    let others = peer.outbox.dropFirst()
    for operation in others { daemon.receive(.operation(operation), on: peer.connection) }
    daemon.endTurn()
    peer.receive()
    #expect(peer.outcomes.map(\.sequence.rawValue) == [1, 2, 3])
    #expect(peer.outcomes.allSatisfy { $0.verdict == .retry && $0.refusal.reason == .staleBase })
    #expect(peer.replica?.retryReason != nil && peer.order() == [3, 4, 5, 1, 2])
    // The second still waits, since the first was not sent again.
    peer.exchange(.operation(others[1]))
    #expect(peer.outcomes.last?.verdict == .retry && peer.goodbye == nil)
    peer.reexpress()
    peer.exchange()
    #expect((1...3).allSatisfy { peer.answer($0)?.diff != nil })
    #expect(peer.order() == [3, 4, 5, 1, 2] && peer.isConverged)
  }

  // MARK: After a refusal

  @Test
  func `I9: if the move of a provisional anchor was refused, the drop is sent again with the gap where it is shown`() {
    let author = Peer(daemon, type: "strict")
    let other = Peer(daemon, type: "strict")
    // 20 is new, and is moved before 4 together with 5, which another moves first; 12 is moved before 20.
    other.ask(other.move(5, in: 3))
    author.submit(author.insert(20, before: 2))
    author.submit(author.move(20, 5, before: 4))
    author.submit(author.move(12, before: 20))
    #expect(author.order() == [1, 2, 3, 12, 20, 5, 4])
    author.exchange()
    #expect(author.replica?.retryReason?.reason == .notPlaced)
    author.reexpress()
    author.exchange()
    #expect(author.answer(2)?.reason == .contended && author.answer(3)?.diff != nil)
    #expect(author.order() == [1, 20, 2, 3, 12, 4] && author.isConverged)
  }

  @Test func `I9: an item that the rules redirected into the collection of a gap is named where it stands`() {
    let peer = Peer(daemon, type: "sorter")
    // Dropped on `redirect`, 3 goes to the end of `any`, which a client without the rules does not predict.
    let (any, redirect) = (CollectionHandle(rawValue: 1), CollectionHandle(rawValue: 5))
    peer.send(peer.forged(1, .move([peer.item(3)], to: .end(of: redirect))))
    let destination = Destination(collection: any, position: .before(peer.item(3)))
    peer.exchange(
      peer.forged(
        2, base: peer.replica?.confirmedRevision.rawValue, unanswered: 1,
        .move([peer.item(5)], to: destination)))
    #expect(peer.diffs.suffix(2).map(\.isRedirected) == [true, false])
    #expect(peer.order() == [1, 2, 4, 6, 5, 3] && peer.isConverged)
  }

  @Test func `I10: a position before no item is the end, for the prediction as for the judge`() {
    let peer = Peer(Daemon())
    let destination = Destination.before(.none, in: CollectionHandle(rawValue: 1))
    let kind = TableOperation.Kind.move([peer.item(2)], to: destination)
    let submission = peer.submit(kind)
    #expect(submission?.prediction == .shown(.move, isRebased: false, isRedirected: false))
    peer.exchange()
    #expect(peer.answer(1)?.diff?.isRebased == false && peer.order() == [1, 3, 4, 5, 2] && peer.isConverged)
  }

  @Test func `I8: predictions must not displace confirmed revisions from the window`() throws {
    var table = Table(replicaOf: try Snapshot.carried(Peer(Daemon()).daemon.state, epoch: Epoch(rawValue: 1)))
    let base = table.oldestBase
    // A full window of a few revisions.
    let revisions = 8
    for _ in 1...revisions {
      try table.apply(
        Diff(revision: table.state.revision.next, author: .daemon, sequence: .zero, changes: [.seats([])]))
      for number in 1...TableLimits.historyTakeOutsMax / revisions {
        _ = table.history.append(
          History.TakeOut(
            revision: table.state.revision, item: ItemID(rawValue: UInt64(number)), author: .daemon, placed: .zero,
            placedBy: .daemon, previous: History.none, run: .none, collection: 0))
      }
    }
    #expect(table.oldestBase == base)
    var author = TestAuthor()
    let items = table.state.itemIDs(in: .first)
    let revision = table.state.revision
    table.beginPrediction()
    for number in 1...4 {
      let difference = ReorderDifference(
        sources: [items[0], items[number]], destination: .end(of: .init(rawValue: 1)))
      author.ask(.reorder(difference, suggested: []), of: &table, base: revision)
    }
    #expect(table.state.revision.rawValue == revision.rawValue + 4)
    table.rollBackPrediction(to: revision)
    #expect(table.oldestBase == base && table.state.revision == revision)
  }
}
