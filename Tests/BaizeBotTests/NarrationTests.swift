import BaizeBot
import BaizeSync
import BaizeTable
import BaizeTableTypes
import Testing

/// Tests of the descriptions for people, including what they must not reveal.
@Suite struct NarrationTests {
  /// A small table: 7♠ on pile/3, 6♦ on the waste, a card face down in the stock.
  static func table() throws -> TableState {
    let type = try TableTypeLibrary.bundled.tableType("klondike")
    func item(_ id: UInt64, _ collection: String, _ rank: Int64, _ suit: String, up: Bool = true) throws -> Item {
      Item(
        id: ItemID(rawValue: id), collection: try #require(type.handle(of: collection)),
        face: Face(attributes: [Attribute("rank", rank), Attribute("suit", suit)]), visibility: up ? .everyone : .nobody
      )
    }
    var loader = StateLoader(type: type)
    try loader.add([
      item(1, "pile/3", 7, "spades"), item(4, "pile/4", 10, "hearts", up: false), item(5, "pile/4", 9, "clubs"),
      item(6, "pile/4", 8, "hearts"), item(3, "stock", 1, "hearts", up: false), item(2, "waste", 6, "diamonds"),
    ])
    return loader.finish(revision: .zero, status: TableState.open, variables: type.variables, seats: [])
  }

  private func move(_ items: [UInt64], to collection: String, _ state: TableState) throws -> TableOperation.Kind {
    let handle = try #require(state.type.handle(of: collection))
    let sources = items.map { ItemID(rawValue: $0) }
    return .move(sources, to: .end(of: handle))
  }

  @Test func `a line names cards and collections`() throws {
    let state = try Self.table()
    #expect(try Narration.line(for: move([2], to: "pile/3", state), at: state) == "6♦ from waste to pile/3 on 7♠")
    #expect(try Narration.line(for: move([5, 6], to: "pile/0", state), at: state) == "9♣ 8♥ from pile/4 to pile/0")
    #expect(Narration.line(for: .perform(action: "draw", items: [], nil), at: state) == "draw")
  }

  @Test func `I6: a line shows no hidden face, even of a state that contains all faces`() throws {
    let state = try Self.table()
    let line = try Narration.line(for: move([3], to: "foundation/hearts", state), at: state)
    #expect(line == "a hidden item from stock to foundation/hearts")
    let face = Face(attributes: [Attribute("rank", 1), Attribute("suit", "hearts")])
    let item = Item(
      id: ItemID(rawValue: 3), collection: CollectionHandle(rawValue: 8), face: face, visibility: .nobody)
    let diff = Diff(
      revision: .zero, author: .daemon, sequence: .zero,
      changes: [.faced([item]), .moved([ItemID(rawValue: 3)], .end(of: item.collection))])
    #expect(Narration.line(for: diff, at: state) == "shows a hidden item, a hidden item to stock")
  }

  @Test func `a refusal is described with its rule and detail`() {
    let refusal = Refusal(
      Reason(rawValue: "COLOR_MISMATCH"), rule: "checks.alternatingDown[0]", detail: "Red goes on black.")
    #expect(
      Narration.line(for: refusal) == "refused: COLOR_MISMATCH by checks.alternatingDown[0]: Red goes on black.")
    #expect(Narration.line(for: Refusal(.contended)) == "refused: CONTENDED")
  }

  @Test func `a diff is described change by change`() throws {
    let state = try Self.table()
    let seven = try #require(state.item(ItemID(rawValue: 1)))
    let diff = Diff(
      revision: .zero, author: .daemon, sequence: .zero,
      changes: [.moved([ItemID(rawValue: 2)], .end(of: seven.collection)), .faced([seven]), .status("won")],
      operation: .move, isRebased: true)
    #expect(Narration.line(for: diff, at: state) == "6♦ to pile/3, shows 7♠, won, rebased")
  }

  @Test func `text from participants is safe to print on a terminal`() throws {
    let state = try Self.table()
    let item = NewItem(attributes: [Attribute("title", "\u{1B}[2Jboo\u{202E}\n" + String(repeating: "x", count: 99))])
    let line = Narration.line(for: .insert([item], .end(of: CollectionHandle(rawValue: 1))), at: state)
    #expect(line.hasPrefix(#"new: \u{1b}[2Jboo\u{202e}\u{a}xxx"#) && line.count < 100)
    #expect(!line.unicodeScalars.contains { $0.value < 32 })
  }
}
