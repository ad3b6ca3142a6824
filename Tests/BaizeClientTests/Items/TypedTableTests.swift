import BaizeClient
import BaizeSync
import BaizeTable
import BaizeWire
import Foundation
import TestSupport
import Testing

/// Tables and models whose items are values.
@Suite(.hangGuard)
struct TypedTableTests {
  private let daemon: TestDaemon

  init() throws { daemon = try TestDaemon() }

  struct Card: Codable, Hashable {
    var title: String
    var points = 1
    var owner: String?
  }

  /// The same card as a later version of the app has it.
  struct LaterCard: Codable { var title: String, points: Int, color: String }

  @Test func `values are inserted, read and updated`() async throws {
    let board = TypedTable<Card>(try await daemon.join("t", as: "kanban?columns=fixed"))
    let other = try await daemon.join("t")
    let made = try board.insert(Card(title: "Write"), Card(title: "Ship", points: 3), in: "todo").createdItems
    #expect(board["todo"].map(\.value) == [Card(title: "Write"), Card(title: "Ship", points: 3)])
    #expect(board.item(made[1])?.value?.points == 3)
    #expect(board.items(in: "todo", 1..<5).map(\.id) == [made[1]])
    #expect(board.collections.map(\.count) == [2, 0, 0])
    #expect(board.collections[0].map(\.id) == made && board.collections[0].id == "todo")
    #expect(board["nowhere"].isEmpty)

    let update = try board.update(made[0]) { card in
      card.points += 1
      card.owner = "Ada"
    }
    guard case .update(_, let attributes, let representations)? = update.operation?.kind else {
      Issue.record("nothing was sent")
      return
    }
    #expect(attributes == [Attribute("owner", "Ada"), Attribute("points", 2)], "only what changed")
    #expect(representations.isEmpty)
    #expect(try await update.outcome.isAccepted)
    let cleared = try board.update(made[0]) { $0.owner = nil }
    guard case .update(_, [Attribute(name: "owner", value: nil)], _)? = cleared.operation?.kind else {
      Issue.record("\(cleared)")
      return
    }
    #expect(try await cleared.outcome.isAccepted)
    let nothing = try board.update(made[0], to: Card(title: "Write", points: 2))
    #expect(nothing.operation == nil)
    #expect(try await nothing.outcome == .unchanged)
    #expect(await other.reaches(board.client.revision))
    #expect(try other.items(in: "todo")[0].face.decoded() == Card(title: "Write", points: 2))
  }

  @Test func `attributes of a later version stay`() async throws {
    let later = TypedTable<LaterCard>(try await daemon.join("t", as: "kanban?columns=fixed"))
    let made = try later.insert(LaterCard(title: "Write", points: 1, color: "red"), in: "todo")
    _ = try await made.outcome
    let board = TypedTable<Card>(later.client)
    try board.update(made.createdItems[0], to: Card(title: "Done", points: 5))
    #expect(later["todo"][0].value?.color == "red" && later["todo"][0].value?.points == 5)
  }

  @Test func `an item whose face is no value is still there, with the error`() async throws {
    let client = try await daemon.join("t", as: "kanban?columns=fixed")
    client.insert([NewItem(attributes: [Attribute("title", 7)]), NewItem()], in: "todo")
    let board = TypedTable<Card>(client)
    #expect(board["todo"].count == 2)
    #expect(board["todo"][0].error?.field == "points" || board["todo"][0].error?.field == "title")
    #expect(board["todo"][1].error?.problem == .missing)
    #expect(board["todo"].allSatisfy { $0.value == nil && !$0.isHidden })
    #expect(throws: ItemCodingError.self) { try board.update(board["todo"][0].id) { $0.points = 2 } }
    // It can be given a value.
    let repaired = try board.update(board["todo"][0].id, to: Card(title: "Write"))
    #expect(try await repaired.outcome.isAccepted)
    #expect(board["todo"][0].value == Card(title: "Write"))
  }

  @Test func `a hidden face is no error`() async throws {
    struct Playing: Codable { var rank: Int, suit: String }
    let table = TypedTable<Playing>(try await daemon.join("t", as: "klondike", seed: 1))
    let pile = table["pile/6"]
    #expect(pile.dropLast().allSatisfy { $0.isHidden && $0.error == nil && $0.value == nil })
    #expect(pile.last?.value != nil)
    let refused = try table.update(pile[0].id) { $0.rank = 1 }
    #expect(refused.operation == nil && refused.refusal != nil)
    #expect(try table.update(ItemID(rawValue: 9_999)) { $0.rank = 1 }.refusal?.reason == .unknownItem)
  }

  @Test func `a value that is no face is refused before anything is shown`() async throws {
    let board = TypedTable<Card>(try await daemon.join("t", as: "kanban?columns=fixed"))
    let long = Card(title: String(repeating: "x", count: 16_385))
    let error = #expect(throws: ItemCodingError.self) { try board.insert(Card(title: "a"), long, in: "todo") }
    #expect(error?.field == "title")
    #expect(board["todo"].isEmpty && board.client.pendingCount == 0)
  }

  @MainActor @Test func `a typed model decodes what changed, and updates through the model`() async throws {
    let board = TypedModel<Card>(TableModel(try await daemon.join("t", as: "kanban?columns=fixed")))
    let made = try board.insert(Card(title: "a"), Card(title: "b"), in: "todo")
    #expect(board["todo"].map(\.value?.title) == ["a", "b"])
    _ = try await made.outcome
    let first = board["todo"][0]
    try board.update(first.id) { $0.points = 8 }
    #expect(board["todo"].map(\.value?.points) == [8, 1])
    #expect(board["todo"].map(\.id) == made.createdItems)
    try board.update(first.id, to: Card(title: "c", points: 8))
    #expect(board["todo"][0].value?.title == "c")
    #expect(board["nowhere"].isEmpty)
    _ = try board.update(ItemID(rawValue: 999)) { $0.points = 1 }
    #expect(board.model.lastRefusal?.reason == .unknownItem)
  }

  @Test func `items are found by keys of the app, and of two with one key the second is refused`() async throws {
    struct Entry: Codable, Hashable {
      var id = UUID()
      var title: String
    }
    let board = TypedTable<Entry>(try await daemon.join("t", as: "kanban?columns=fixed"))
    let other = TypedTable<Entry>(try await daemon.join("t"))
    let entry = Entry(title: "Write")
    let made = try board.insert(entry, in: "todo")
    #expect(board.item(forKey: entry.id)?.id == made.createdItems[0], "before the answer")
    #expect(try await made.outcome.isAccepted)
    #expect(board.item(forKey: entry.id)?.value == entry, "and after it")
    #expect(await other.client.reaches(board.client.revision))
    let found = try #require(other.item(forKey: entry.id))
    #expect(found.value == entry && found.id == board.client.tableID(of: made.createdItems[0]))
    #expect(other.item(forKey: UUID()) == nil && other.item(forKey: 7) == nil)
    #expect(try other.insert(entry, in: "todo").refusal?.reason == .duplicateKey)

    // At the same time: both are shown, and one is refused.
    let second = Entry(title: "Ship")
    await daemon.pauseReading(true)
    let mine = try board.insert(second, in: "todo")
    let theirs = try other.insert(Entry(id: second.id, title: "Ship, too"), in: "todo")
    #expect(board["todo"].count == 2 && other["todo"].count == 2)
    await daemon.pauseReading(false)
    let outcomes = [try await mine.outcome, try await theirs.outcome]
    #expect(outcomes.count(where: \.isAccepted) == 1)
    #expect(
      outcomes.contains { if case .refused(let refusal) = $0 { refusal.reason == .duplicateKey } else { false } })
    #expect(await eventually { board["todo"].count == 2 && other["todo"].count == 2 })
    #expect(board.item(forKey: second.id)?.value == other.item(forKey: second.id)?.value)
  }

  @Test func `collections have names and handles both ways`() async throws {
    let client = try await daemon.join("t", as: "kanban?columns=fixed")
    for collection in client.collections { #expect(client.name(of: collection.handle) == collection.id) }
    #expect(client.name(of: CollectionHandle(rawValue: 0)) == nil)
    #expect(client.name(of: CollectionHandle(rawValue: 4)) == nil)
    #expect(client.move([ItemID(rawValue: 1)], to: "nowhere").refusal?.reason == .unknownCollection)
  }
}
