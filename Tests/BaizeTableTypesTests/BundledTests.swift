import BaizeTable
import BaizeTableTypes
import Testing

/// The bundled types compile to what their documents say.
@Suite struct BundledTests {
  @Test(arguments: BundledTableTypes.documents.map(\.name))
  func equalsItsFile(name: String) throws {
    let bundled = try #require(BundledTableTypes.documents.first { $0.name == name })
    #expect(try bundled.text == Files.text("Protocol/table-types/\(name).json"))
    #expect(Checker.mistakes(in: Array(bundled.text.utf8)) == [])
    #expect(TableTypeLibrary.bundled[name]?.text == bundled.text)
  }

  @Test func everyFileIsBundled() throws {
    let files = try Files.names(in: "Protocol/table-types").filter { $0.hasSuffix(".json") }
    #expect(files == BundledTableTypes.documents.map { $0.name + ".json" })
  }

  @Test func klondikeHasItsCollectionsInOrder() throws {
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

  @Test func klondikeDealsTwentyEightAndLeavesTwentyFour() throws {
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

  @Test func klondikeHasItsReasonsInOrder() throws {
    let klondike = try TableTypeLibrary.bundled.tableType("klondike")
    let (pile, stock, waste, foundation) = (klondike.kinds[0], klondike.kinds[1], klondike.kinds[2], klondike.kinds[3])
    #expect(pile.lift.each.map(\.reason) == [.faceDown])
    #expect(pile.lift.pairs.map(\.reason) == [.notARun, .notARun])
    #expect(pile.accept.onEmpty.map(\.reason.rawValue) == ["KING_REQUIRED"])
    #expect(pile.accept.onItem.map(\.reason.rawValue) == ["COLOR_MISMATCH", "RANK_MISMATCH"])
    #expect(pile.accept.onItem.map(\.path) == ["checks.alternatingDown[0]", "checks.alternatingDown[1]"])
    #expect(pile.turnsExposed && pile.faces == .each)
    #expect(stock.lift.shape == .none && stock.lift.offers == [] && stock.accept.operations.isEmpty)
    #expect(stock.faces == .down)
    #expect(waste.lift.conditions.map(\.reason) == [.tooManyItems] && waste.accept.operations.isEmpty)
    #expect(foundation.lift.conditions.isEmpty && foundation.lift.shape == .top)
    #expect(foundation.accept.conditions.map(\.reason.rawValue) == ["TOO_MANY_ITEMS", "WRONG_SUIT"])
    #expect(foundation.accept.onEmpty.map(\.path) == ["collections[3].accept.onEmpty[0]"])
    #expect(foundation.accept.landing == .end)
    #expect(!klondike.allowsMixedSources && klondike.contention == .first && klondike.seatsMax == 4)
    #expect(klondike.endings.map(\.status) == ["won"])
  }

  @Test func klondikeFollowsItsOptions() throws {
    let library = TableTypeLibrary.bundled
    let open = try library.tableType("klondike?emptyPile=any&foundationToTableau=false&draw=3&redeals=2")
    #expect(open.kinds[0].accept.onEmpty.isEmpty)
    #expect(open.kinds[3].lift.conditions.map(\.reason) == [.notReorderable])
    #expect(open.variables == [Attribute("redeals", 2)])
    #expect(open.actions.first?.cases.map(\.steps.count) == [1, 2])
    #expect(
      open.options == [
        Attribute("draw", 3), Attribute("emptyPile", "any"), Attribute("foundationToTableau", "false"),
        Attribute("redeals", 2),
      ])
    guard case .deal(_, _, .constant(.number(3))?)? = open.actions.first?.cases.first?.steps.first else {
      Issue.record("draw=3 does not deal three")
      return
    }
    let closed = try library.tableType("klondike")
    #expect(closed.variables == [Attribute("redeals", -1)])
    #expect(closed.actions.first?.cases.map(\.steps.count) == [1, 1])
    #expect(closed.actions.first?.otherwise.reason.rawValue == "STOCK_EMPTY")
    #expect(closed.actions.first?.cases.last?.require.map(\.reason.rawValue) == ["NO_REDEAL"])
  }

  @Test func listAcceptsAnyItemAnywhere() throws {
    let list = try TableTypeLibrary.bundled.tableType("list?items=1000000")
    #expect(list.collections.map(\.id) == ["items"])
    let kind = try #require(list.kinds.first)
    #expect(kind.lift.offers == [.move, .copy, .delete] && kind.accept.operations == [.move, .copy])
    #expect(kind.accept.inserts && kind.allowsUpdate && kind.accept.landing == .anywhere)
    #expect(list.contention == .last && list.allowsPartialMoves && list.seatsMax == 64)
    #expect(list.actions.map(\.name) == ["pin", "unpin"] && list.actions.allSatisfy { $0.items == .subject })
    guard case .numbered(1_000_000, "number")? = list.setUp.decks.first?.contents else {
      Issue.record("not a million items")
      return
    }
  }

  @Test func gridHasFourTimesThirteenItems() throws {
    let grid = try TableTypeLibrary.bundled.tableType("grid")
    #expect(grid.collections.map(\.id) == (0...12).map { "c/\($0)" })
    #expect(grid.setUp.decks.first?.deals.map(\.count) == Array(repeating: 4, count: 13))
    #expect(grid.setUp.decks.first?.makeItems().count == 52)
    #expect(grid.contention == .last && grid.seatsMax == 64)
  }

  @Test func kanbanLimitsDoing() throws {
    let kanban = try TableTypeLibrary.bundled.tableType("kanban?doing=5")
    #expect(kanban.collections.map(\.id) == ["todo", "doing", "done"])
    let limit = Capacity(itemsMax: 5, acceptsPart: true, path: "collections[1].accept.capacity")
    #expect(kanban.kinds.map(\.accept.capacity) == [nil, limit, nil])
    #expect(kanban.kinds.map(\.accept.inserts) == [true, false, false])
  }

  @Test func playlistOffersOperationsAndContentTypes() throws {
    let playlist = try TableTypeLibrary.bundled.tableType("playlist")
    #expect(playlist.collections.map(\.id) == ["library", "queue", "bin"])
    #expect(playlist.kinds.map(\.lift.offers) == [.copy, [.move, .delete], []])
    #expect(playlist.kinds.map(\.accept.operations) == [[], [.move, .copy], [.delete]])
    #expect(playlist.kinds[1].accept.contentTypes == ["audio/x-song", "text/plain"])
    let song = try #require(playlist.setUp.decks.first?.makeItems().first)
    #expect(song.face["title"] == .text("Greensleeves"))
    #expect(song.face.representations.map(\.contentType) == ["audio/x-song", "text/plain"])
  }
}
