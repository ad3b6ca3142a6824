import BaizeClient
import BaizeDriver
import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import Testing

extension ServerTests {
  /// The ids of items that a client has created, while its daemon restarts.
  @Suite struct ItemIdentity {
    @Test func `I3: what was inserted without a connection keeps its id under a new epoch, and has its key once`()
      async throws
    {
      let directory = try TemporaryFolder()
      let first = try await startServer(in: directory)
      let address = first.address
      let client = try await first.joinAsApp("board", "kanban?columns=fixed")
      let early = client.insert(Self.cards("a", "b"), in: "todo")
      _ = try await early.outcome
      await first.stop()
      #expect(try await eventually { !client.connection.isLive })
      let late = client.insert(Self.cards("c", "d"), in: "todo")
      let moved = client.move([late.createdItems[1]], to: "todo", before: late.createdItems[0])
      let shown = client.itemIDs(in: "todo")
      #expect(shown == early.createdItems + late.createdItems.reversed())

      let second = try await startServer(in: directory, at: address)
      #expect(try await late.outcome.isAccepted)
      #expect(try await moved.outcome.isAccepted)
      #expect(client.itemIDs(in: "todo") == shown)
      #expect(try await late.acceptedItems == late.createdItems)
      let updated = client.update(late.createdItems[0], attributes: [Attribute("title", "C")])
      #expect(try await updated.outcome.isAccepted)
      #expect(client.item(forKey: .text("c"))?.id == late.createdItems[0])
      // The keys of restored items are taken.
      let refused = client.submit(
        .insert(Self.cards("a"), .end(of: try #require(client.handle(of: "todo")))), sendsRefused: true)
      #expect(try await refused.outcome.reason == .duplicateKey)
      #expect(client.itemIDs(in: "todo") == shown)
      await client.leave()
      await second.stop()
    }

    private static func cards(_ keys: String...) -> [NewItem] {
      keys.map { NewItem(attributes: [Attribute("id", $0)]) }
    }
  }
}
