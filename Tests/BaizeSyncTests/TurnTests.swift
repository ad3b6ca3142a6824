import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// K1: no frame that depends on a table's state is sent before its turn is durable.
@Suite struct TurnTests {
  private let daemon = Daemon()

  @Test func `I7: frames wait for their turn's commit, and those of later turns after them, even without entries`() {
    let (author, other) = Peer.pair(daemon)
    daemon.commitsAtOnce = false
    author.submit(author.move(3, before: 1))
    author.submit(author.move(4, before: 1))
    author.send(1)
    // A pong has nothing to commit, but stays in order with the diff.
    author.send(.ping(Ping(nonce: 1)))
    author.send()
    #expect(author.receive().isEmpty && other.receive().isEmpty)
    #expect(daemon.committedEntries.count { $0.diff != nil } == 2, "only the two seats")
    daemon.commit()
    #expect(
      author.receive().kinds == ["diff", "pong", "diff"] && other.receive().kinds == ["diff", "diff"])
    #expect(author.isConverged && other.isConverged)
  }

  @Test func `I7: a commit releases the frames that it made durable and no others`() throws {
    let author = Peer(daemon)
    daemon.commitsAtOnce = false
    author.submit(author.move(3, before: 1))
    author.submit(.remove([ItemID(rawValue: 999)]))
    daemon.receive(.operation(author.outbox[0]), on: author.connection)
    let first = try #require(daemon.endTurn())
    daemon.receive(.operation(author.outbox[1]), on: author.connection)
    let second = try #require(daemon.endTurn())
    #expect(first < second)
    daemon.commit(through: first)
    #expect(author.receive().kinds == ["diff"])
    daemon.commit(through: second)
    #expect(author.receive().kinds == ["outcome"])
  }

  @Test func `I7: uncommitted turns are lost in a crash, and no client has received them`() {
    let author = Peer(daemon)
    author.ask(author.move(3, before: 1))
    let seen = author.diffs.map(\.revision)
    daemon.commitsAtOnce = false
    author.submit(author.move(4, before: 1))
    author.send()
    daemon.restart()
    #expect(author.receive().isEmpty && author.diffs.map(\.revision) == seen)
    let kept = daemon.committedEntries.compactMap(\.diff)
    #expect(kept.map(\.revision.rawValue) == [1, 2] && kept[1].sequence.rawValue == 1)
  }

  @Test func `I7: a refusal is recorded with its turn like a diff; a retry is not`() throws {
    let peer = Peer(Daemon())
    peer.ask(.remove([ItemID(rawValue: 999)]))
    peer.ask(peer.move(4))
    peer.exchange(peer.forged(3, peer.move(4)))
    peer.send(peer.forged(4, epoch: 9, peer.move(1)))
    let outcomes = peer.daemon.committedEntries.compactMap { entry in
      if case .outcome(let session, let outcome) = entry {
        "\(session.rawValue) \(outcome.verdict)"
      } else {
        nil
      }
    }
    #expect(outcomes == ["1 refused", "1 unchanged"])
    let definition = try #require(peer.daemon.committed.first?.definition, "the table's creation is written first")
    #expect(definition.name == "t" && definition.typeText == "list?items=5" && !definition.document.isEmpty)
  }

  @Test func `a shard without a journal releases its frames with the turn, and an empty turn has no number`() {
    let daemon = Daemon(durability: .memory)
    let peer = Peer(daemon)
    #expect(peer.ask(peer.move(3, before: 1))?.diff != nil && daemon.committed.isEmpty)
    #expect(daemon.endTurn() == nil)
  }
}
