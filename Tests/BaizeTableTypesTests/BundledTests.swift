import BaizeTable
import BaizeTableTypes
import TestSupport
import Testing

/// The bundled types compile to what their documents say.
@Suite struct BundledTests {
  @Test func `messages are on unless the document says no`() throws {
    for (member, isOn) in [("", true), (#""chat": true,"#, true), (#""chat": false,"#, false)] {
      let text = #"{ "baize": 1, "name": "t", \#(member) "collections": [{ "kind": "a" }] }"#
      #expect(try TableTypeDocument(parsing: text).makeTableType(options: "").allowsChat == isOn)
    }
  }

  @Test func `every file is bundled and has no mistakes`() throws {
    let files = try Repository.names(in: "Protocol/table-types").filter { $0.hasSuffix(".json") }
    #expect(files == TableTypeLibrary.bundled.documents.map { $0.name + ".json" })
    for file in files {
      #expect(try Checker.mistakes(in: Repository.bytes("Protocol/table-types/\(file)")) == [], "\(file)")
    }
  }

  @Test func `klondike has its collections in order`() throws {
    let klondike = try TableTypeLibrary.bundled.tableType("klondike")
    let piles = (0...6).map { "pile/\($0)" }
    let foundations = ["clubs", "diamonds", "hearts", "spades"].map { "foundation/\($0)" }
    #expect(klondike.collections.map(\.id) == piles + ["stock", "waste"] + foundations)
    #expect(klondike.collections.map(\.kind) == Array(repeating: 0, count: 7) + [1, 2, 3, 3, 3, 3])
    #expect(klondike.kinds.map(\.name) == ["pile", "stock", "waste", "foundation"])
    #expect(klondike.handle(of: "pile/0") == CollectionHandle(rawValue: 1))
    #expect(klondike.handle(of: "foundation/spades") == CollectionHandle(rawValue: 13))
    #expect(klondike.collections[4].attributes == [Attribute("index", 4)])
    #expect(klondike.collections[10].attributes == [Attribute("suit", "diamonds")])
  }

  @Test func `klondike deals 28 cards and leaves 24`() throws {
    let klondike = try TableTypeLibrary.bundled.tableType("klondike")
    let deck = try #require(klondike.setUp.decks.first)
    #expect(klondike.setUp.decks.count == 1 && deck.isShuffled)
    let cards = deck.makeItems()
    #expect(Set(cards).count == 52)
    #expect(cards.first?.face["suit"] == .text("clubs") && cards.first?.face["rank"] == .number(1))
    #expect(cards.last?.face["suit"] == .text("spades") && cards.last?.face["rank"] == .number(13))
    let stock = CollectionHandle(rawValue: 8)
    let piles = (1...7).map { Deck.Deal(to: CollectionHandle(rawValue: $0), count: Int($0), up: .last) }
    #expect(deck.deals == piles + [Deck.Deal(to: stock, up: .none)])
    #expect(piles.compactMap(\.count).reduce(0, +) == 28)
  }

  @Test func `grid has four times thirteen items`() throws {
    let grid = try TableTypeLibrary.bundled.tableType("grid")
    #expect(grid.collections.map(\.id) == (0...12).map { "c/\($0)" })
    #expect(grid.setUp.decks.first?.deals.map(\.count) == Array(repeating: 4, count: 13))
    #expect(grid.setUp.decks.first?.makeItems().count == 52)
    #expect(grid.contention == .last && grid.seatsMax == 64)
  }

  @Test func `rules depend on seats in games with hands or turns, and on a board with roles`() throws {
    let dependent = try TableTypeLibrary.bundled.documents.map(\.name).filter {
      try TableTypeLibrary.bundled.tableType($0).dependsOnSeats
    }
    #expect(Set(dependent) == ["board", "hand", "hearts", "nerts", "speed"])
  }

  @Test(
    arguments: [
      ("", nil), (#", "keep": "always""#, nil), (#", "keep": "grace""#, 0), (#", "keep": 90"#, 90),
    ] as [(String, UInt64?)])
  func `a type says for how long seats are kept`(keep: String, expected: UInt64?) throws {
    #expect(try Self.type(seats: #"{ "max": 2\#(keep) }"#).seatKeptSeconds == expected)
  }

  @Test(arguments: [#""soon""#, "-1", "31536001", "null"])
  func `another time for seats is a mistake`(keep: String) {
    #expect(throws: (any Error).self) { try Self.type(seats: #"{ "max": 2, "keep": \#(keep) }"#) }
  }

  private static func type(seats: String) throws -> TableType {
    let text = #"{ "baize": 1, "name": "t", "seats": \#(seats), "collections": [{ "kind": "a" }] }"#
    return try TableTypeDocument(parsing: text).makeTableType(options: "")
  }
}
