import BaizeTable
import Testing

@testable import BaizeSync

/// The names that a replica gives the neighbors of a drop (N2).
@Suite struct NamingTests {
  /// If others come first, the second drop moves the item after all.
  @Test func `a drop that leaves its item where an earlier one has put it is named by those behind it`() throws {
    var replica = try #require(Peer(Daemon(), type: "list?items=4").replica)
    let list = CollectionHandle(rawValue: 1)
    let items = replica.state.itemIDs(in: list)
    for item in [items[0], items[0], items[1]] {
      _ = replica.submit(.move([item], to: Destination(collection: list, position: .before(items[3]))))
    }
    #expect(replica.state.itemIDs(in: list) == [items[2], items[0], items[1], items[3]])
    #expect(replica.pending[1].prediction == .unchanged)
    let gap = replica.pending.last?.operation.kind.gap
    #expect(gap?.after == .item(items[0]) && gap?.afterBy == SequenceNumber(rawValue: 2))
  }
}
