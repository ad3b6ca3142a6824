import BaizeTable
import BaizeWire
import TestSupport
import Testing

@testable import BaizeSync

/// Diffs of many large items may exceed the maximum frame.
@Suite(.dedicatedThreads) struct OversizedTests {
  private static let list = CollectionHandle(rawValue: 1)
  /// Five of these exceed a frame of the daemon.
  private static let large = NewItem(
    representations: [Representation(contentType: "text/plain", data: [UInt8](repeating: 1, count: 900_000))])

  /// Inserts all five at once: these tests do not bound clients' frames, as nothing bounds the faces that a deal reveals.
  private static let bringsFive = TableOperation.Kind.insert([NewItem](repeating: large, count: 5), .end(of: list))

  @Test func `I1, I3, I8: a diff that fits in no frame is a snapshot for all, and an answer for its author`() {
    let daemon = Daemon()
    let author = Peer(daemon)
    let other = Peer(daemon)
    let reader = Peer(daemon, role: .spectator)
    let (diffs, parts) = (other.diffs.count, other.parts.count)
    author.submit(Self.bringsFive)
    author.submit(author.move(1))
    author.send()
    for _ in 1...40 { daemon.endTurn() }
    for peer in [author, other, reader] {
      for message in peer.receive() { #expect(message.framed().count <= WireLimits.serverFrameBytesMax) }
      #expect(peer.isConverged && peer.replica?.state.itemCount == 10)
    }
    #expect(author.pending.isEmpty && other.parts.count > parts && other.diffs.count == diffs)
    author.ask(author.move(2))
    other.receive()
    #expect(other.isConverged && other.diffs.count == diffs + 1, "then diffs come again")
  }

  @Test func `I1: only a client that resumes from after an oversized diff catches up by diffs`() {
    let daemon = Daemon()
    let author = Peer(daemon)
    let (early, late) = (Host(daemon), Host(daemon))
    for _ in 1...40 { daemon.endTurn() }
    for host in [early, late] {
      host.receive()
      host.lose()
    }
    late.reconnect()
    late.lose()
    author.submit(Self.bringsFive)
    daemon.receive(.operation(author.outbox[0]), on: author.connection)
    early.reconnect()
    for _ in 1...40 { daemon.endTurn() }
    for host in [early, late] { host.receive() }
    #expect(early.received.map(\.kind).contains("snapshot") && early.isConverged)
    early.lose()
    late.reconnect()
    for _ in 1...40 { daemon.endTurn() }
    late.receive()
    early.reconnect()
    #expect(late.received.map(\.kind).contains("snapshot") && late.isConverged)
    #expect(!early.received.map(\.kind).contains("snapshot") && early.isConverged)
  }

  @Test func `I1, I8: a snapshot that has begun is finished, and another follows`() {
    let daemon = Daemon(limits: SyncLimits { $0.tables.snapshotPartItemsMax = 2 })
    let author = Peer(daemon)
    for _ in 1...20 { daemon.endTurn() }
    author.receive()
    let loading = Peer(daemon, role: .spectator)
    #expect(loading.parts.count == 1 && loading.replica == nil)
    author.submit(Self.bringsFive)
    author.send()
    for _ in 1...40 { daemon.endTurn() }
    loading.receive()
    #expect(loading.parts.map(\.isFirst).prefix(4) == [true, false, false, true] && loading.isConverged)
    #expect(loading.diffs.isEmpty && loading.replica?.state.itemCount == 10)
  }

  @Test func `I8: a few bytes of an author do not cause megabytes for everyone else`() {
    let author = Peer(Daemon())
    for _ in 1...4 { author.ask(.insert([Self.large], .end(of: Self.list))) }
    let large = ItemList(author.daemon.state.itemIDs(in: Self.list).suffix(4))
    let copy = ReorderDifference(sources: large, destination: .end(of: Self.list))
    for kind in [.reorder(copy, suggested: [.copy]), .perform(action: "pin", items: large, nil)]
      as [TableOperation.Kind]
    {
      guard case .refused(let refusal)? = author.ask(kind) else {
        Issue.record("\(kind) was not refused")
        continue
      }
      #expect(refusal.reason == .tooManyItems)
    }
    let few = ItemList(large.prefix(3))
    for kind in [.reorder(copy, suggested: [.move]), .perform(action: "pin", items: few, nil)] as [TableOperation.Kind]
    {
      author.ask(kind)
      #expect(
        author.isConverged && author.answers.values.filter { if case .refused = $0 { true } else { false } }.count == 2)
    }
  }
}
