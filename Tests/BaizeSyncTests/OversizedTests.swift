import BaizeTable
import BaizeWire
import TestSupport
import Testing

@testable import BaizeSync

/// What many large items bring about together is longer than a frame may be.
@Suite(.aside) struct OversizedTests {
  private static let list = CollectionHandle(rawValue: 1)
  /// Five of these are more than a frame of the daemon's holds.
  private static let large = NewItem(
    representations: [Representation(contentType: "text/plain", data: [UInt8](repeating: 1, count: 900_000))])

  private struct NotMade: Error {}

  /// A table on which five of them lie behind one another, each brought by a frame of its own.
  private static func prepare(_ peer: Peer) throws -> [ItemID] {
    for _ in 1...5 {
      guard case .accepted? = peer.ask(.insert([large], .end(of: list))) else { throw NotMade() }
    }
    return Array(peer.daemon.state.itemIDs(in: list).suffix(5))
  }

  /// I1, I3, I8: no frame is too long for a client; everyone has a snapshot instead, and the author its answer.
  @Test func aDiffThatFitsInNoFrameIsASnapshot() throws {
    let daemon = Daemon()
    let author = Peer(daemon)
    let other = Peer(daemon)
    let reader = Peer(daemon, role: .spectator)
    let large = try Self.prepare(author)
    for _ in 1...20 { daemon.endTurn() }
    for peer in [other, reader] { peer.hear() }
    let (diffs, parts) = (other.diffs.count, other.parts.count)
    let copies = TableOperation.Kind.reorder(
      ReorderDifference(sources: ItemList(large), destination: .end(of: Self.list)), suggested: [.copy])
    author.submit(copies)
    author.submit(author.move(1))
    author.send()
    for _ in 1...40 { daemon.endTurn() }
    for peer in [author, other, reader] {
      for message in peer.hear() { #expect(message.framed().count <= WireLimits.serverFrameBytesMax) }
      #expect(peer.isConverged && peer.replica?.state.itemCount == 15)
    }
    #expect(author.pending.isEmpty && other.parts.count > parts && other.diffs.count == diffs)
    author.ask(author.move(2))
    other.hear()
    #expect(other.isConverged && other.diffs.count == diffs + 1, "then diffs come again")
  }

  /// I1: nobody is brought over it by diffs, in its own turn or later; whoever comes from behind it is.
  @Test func whoComesBackFromBeforeItGetsASnapshot() throws {
    let daemon = Daemon()
    let author = Peer(daemon)
    let large = try Self.prepare(author)
    let (early, late) = (Host(daemon), Host(daemon))
    for _ in 1...40 { daemon.endTurn() }
    for host in [early, late] {
      host.hear()
      host.lose()
    }
    late.comeBack()
    late.lose()
    author.submit(
      .reorder(
        ReorderDifference(sources: ItemList(large), destination: .end(of: Self.list)), suggested: [.copy]))
    daemon.receive(.operation(author.outbox[0]), on: author.connection)
    early.comeBack()
    for _ in 1...40 { daemon.endTurn() }
    for host in [early, late] { host.hear() }
    #expect(early.heard.map(\.kind).contains("snapshot") && early.isConverged)
    early.lose()
    late.comeBack()
    for _ in 1...40 { daemon.endTurn() }
    late.hear()
    early.comeBack()
    #expect(late.heard.map(\.kind).contains("snapshot") && late.isConverged)
    #expect(!early.heard.map(\.kind).contains("snapshot") && early.isConverged)
  }
}
