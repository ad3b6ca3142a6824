import BaizeClient
import BaizeSync
import BaizeTable
import BaizeWire
import TestSupport
import Testing

/// An item has one id for its client from the insertion on, before and after the answer.
@Suite(.hangGuard)
struct IdentityTests {
  private let daemon: TestDaemon

  init() throws { daemon = try TestDaemon() }

  private static func card(_ number: Int64) -> NewItem { NewItem(attributes: [Attribute("number", number)]) }

  @Test func `an inserted item keeps its id, and is found by either`() async throws {
    let client = try await daemon.join("t", as: "list?items=2")
    let other = try await daemon.join("t")
    let inserted = client.insert([Self.card(8), Self.card(9)], in: "items")
    let made = inserted.createdItems
    let before = client.itemIDs(in: "items")
    #expect(made.count == 2 && before.suffix(2) == made[...])
    let revision = try #require(try await inserted.outcome.diff?.revision)
    #expect(client.itemIDs(in: "items") == before)
    #expect(try await inserted.acceptedItems == made)
    #expect(await other.reaches(revision))
    let known = Array(other.itemIDs(in: "items").suffix(2))
    #expect(made.map(client.tableID) == known)
    #expect(client.item(known[0]) == client.item(made[0]))
    #expect(client.items(in: "items").map(\.id) == before)

    // Operations and hover verdicts take either id.
    let handle = try #require(client.handle(of: "items"))
    client.move([known[1]], to: "items", before: before[0])
    let moved = client.move([made[0]], to: "items", before: known[1])
    #expect(client.itemIDs(in: "items") == [made[0], made[1], before[0], before[1]])
    #expect(try await moved.outcome.isAccepted)
    #expect(try await moved.acceptedItems == [made[0]])
    let back = ReorderDifference(sources: [known[0]], destination: .before(made[1], in: handle))
    #expect(client.dropConfiguration(for: back).operation == .move)
    let updated = client.update(made[0], attributes: [Attribute("number", 7)])
    #expect(try await updated.outcome.isAccepted)
    let removed = client.remove([made[1]])
    #expect(try await removed.outcome.isAccepted)
    #expect(client.item(made[1]) == nil)
    // An undo brings the item back as the same one.
    #expect(try await client.undo(removed).outcome.isAccepted)
    #expect(client.itemIDs(in: "items") == [made[0], made[1], before[0], before[1]])
  }

  @Test func `I10: a refused insertion leaves no item, and its id means nothing else later`() async throws {
    let client = try await daemon.join("t", as: "kanban?columns=fixed")
    let refused = client.submit(
      .insert([Self.card(1)], .end(of: try #require(client.handle(of: "done")))), sendsRefused: true)
    #expect(try await refused.outcome.isAccepted == false)
    let made = client.insert([Self.card(2)], in: "todo").createdItems
    #expect(made.count == 1 && client.item(made[0]) != nil)
    #expect(client.itemIDs(in: "todo") == made)
  }

  @MainActor @Test func `a model's rows keep their ids while operations are answered and fail`() async throws {
    let model = TableModel(try await daemon.join("t", as: "kanban?columns=fixed&doing=1"))
    let made = model.insert([Self.card(1), Self.card(2), Self.card(3)], in: "todo").createdItems
    var seen: Set<[ItemID]> = [model["todo"].map(\.id)]
    let moved = model.move([made[0]], to: "doing")
    let refused = model.client.submit(
      .reorder(
        ReorderDifference(
          sources: [made[1]], destination: .end(of: try #require(model.collection("doing")?.handle))), suggested: []),
      sendsRefused: true)
    #expect(try await moved.outcome.isAccepted)
    #expect(try await refused.outcome.isAccepted == false)
    #expect(
      await eventually {
        seen.insert(model["todo"].map(\.id))
        return model.client.pendingCount == 0 && model["doing"].map(\.id) == [made[0]]
      })
    seen.insert(model["todo"].map(\.id))
    #expect(seen.isSubset(of: [made, Array(made.dropFirst())]))
    #expect(model["doing"][0].face["number"] == .number(1))
  }

  @Test func `events and drags name items as the app knows them`() async throws {
    let client = try await daemon.join("t", as: "list?items=1")
    let other = try await daemon.join("t")
    let inserted = client.insert([Self.card(5)], in: "items")
    let made = inserted.createdItems
    _ = try await inserted.outcome
    #expect(await other.reaches(client.revision))
    var changes = client.changes.makeAsyncIterator()
    #expect(try await changes.next() == [.reloaded])
    let known = try #require(other.itemIDs(in: "items").last)
    other.beginDrag([known])
    #expect(await eventually { client.drags.first?.items == .one(made[0]) })
    other.moveDrag(over: .before(known, in: try #require(other.handle(of: "items"))))
    #expect(await eventually { client.drags.first?.over != nil })
    #expect(client.drags.first?.over?.position == .before(made[0]))
    other.endDrag()
    other.update(known, attributes: [Attribute("number", 6)])
    #expect(try await changes.next() == [.updated(made[0])])
    other.remove([known])
    #expect(try await changes.next()?.first.map { if case .removed(made[0], _) = $0 { true } else { false } } == true)
  }

  @Test(arguments: [true, false])
  func `I3: an id survives a lost connection, whether the daemon had received the insertion`(
    wasReceived: Bool
  ) async throws {
    let client = try await daemon.join("t", as: "list?items=1")
    if wasReceived { await daemon.discardOutput(true) } else { await daemon.pauseReading(true) }
    let inserted = client.insert([Self.card(3)], in: "items")
    let ids = client.itemIDs(in: "items")
    if wasReceived { #expect(await eventually { daemon.discardedCount >= 1 }) }
    daemon.cutConnections()
    await daemon.discardOutput(false)
    await daemon.pauseReading(false)
    _ = try await inserted.outcome
    #expect(client.itemIDs(in: "items") == ids)
    let updated = client.update(inserted.createdItems[0], attributes: [Attribute("number", 4)])
    #expect(try await updated.outcome.isAccepted)
    #expect(client.numbers().last == 4)
  }

  @Test func `a partial acceptance says which items were taken`() async throws {
    let client = try await daemon.join("t", as: "kanban?columns=fixed&cards=2&doing=3")
    let cards = client.itemIDs(in: "todo")
    let made = client.insert([Self.card(7), Self.card(8)], in: "todo").createdItems
    let moved = client.move([made[1], cards[0], made[0], cards[1]], to: "doing")
    #expect(try await moved.acceptedItems == [made[1], cards[0], made[0]])
    let none = client.move([cards[1]], to: "doing")
    #expect(try await none.acceptedItems == [])
  }
}
