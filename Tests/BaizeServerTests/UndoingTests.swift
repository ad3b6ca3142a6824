import BaizeClient
import BaizeDriver
import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import Testing

extension ServerTests {
  /// Undo as an app asks for it, over loopback.
  @Suite struct Undoing {
    @Test func `an operation and its undo are undone before and after their answers`() async throws {
      try await withServer { server in
        let one = try await server.joinAsApp("undo", "list?items=3")
        let other = try await server.joinAsApp("undo", "list?items=3")
        let items = one.itemIDs(in: "items")
        let moved = one.move(fromOffsets: [0], toOffset: 3, in: "items")
        let undone = one.undo(moved)
        #expect(one.itemIDs(in: "items") == items, "it shows at once")
        #expect(try await moved.outcome.isAccepted)
        #expect(try await undone.outcome.isAccepted)
        let redone = one.undo(undone)
        #expect(one.itemIDs(in: "items") == Array(items[1...] + items[...0]))
        #expect(try await redone.outcome.isAccepted)
        #expect(try await one.undo(redone).outcome.isAccepted)
        #expect(try await eventually { other.revision == one.revision })
        #expect(other.itemIDs(in: "items") == items && one.itemIDs(in: "items") == items)

        let removed = other.remove([items[1]])
        #expect(try await removed.outcome.isAccepted)
        #expect(try await other.undo(removed).outcome.isAccepted)
        let made = other.insert([NewItem(attributes: [Attribute("number", 9)])], in: "items")
        #expect(try await made.outcome.isAccepted)
        #expect(try await other.undo(made).outcome.isAccepted)
        #expect(try await eventually { other.revision == one.revision })
        #expect(one.itemIDs(in: "items") == items && other.itemIDs(in: "items") == items)

        let refused = one.move(fromOffsets: [7], toOffset: 0, in: "items")
        let undo = one.undo(refused)
        #expect(undo.operation == nil && undo.refusal == refused.refusal, "it was never sent")
      }
    }
  }
}
