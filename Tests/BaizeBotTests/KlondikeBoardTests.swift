import BaizeSync
import BaizeTable
import BaizeTableTypes
import TestSupport
import Testing

@testable import BaizeBot

/// Tests of the search's board and of the stock memory.
@Suite struct KlondikeBoardTests {
  /// Returns a board dealt from a seed, with a known stock.
  static func board(seed: UInt64, drawn: Int = 0) -> KlondikeBoard {
    var random = RandomSource(seed: seed)
    var deck = (1...52).map { Card(code: $0) }
    random.shuffle(&deck)
    var board = KlondikeBoard()
    for pile in 0..<7 {
      let cards = Array(repeating: Card.unknown, count: pile) + [deck.removeLast()]
      let fits = board.setPile(pile, cards: cards, faceDown: pile)
      #expect(fits)
    }
    let fits = board.setCycle(Array(deck.prefix(24)), wasteCount: drawn, redeals: KlondikeBoard.unlimited)
    #expect(fits)
    return board
  }

  @Test(arguments: ["klondike", "klondike?draw=3&emptyPile=any"])
  func `the incremental key equals the key of the resulting board, over many random walks`(type: String) throws {
    let layout = try #require(KlondikeLayout(try TableTypeLibrary.bundled.tableType(type)))
    var kinds: Set<Int> = []
    for seed in 1...60 as ClosedRange<UInt64> {
      var random = RandomSource(seed: seed)
      var board = Self.board(seed: seed)
      for _ in 0..<60 {
        var moves: [KlondikeMove] = []
        board.moves(for: layout, into: &moves)
        guard !moves.isEmpty else { break }
        let move = moves[Int(random.next(below: UInt64(moves.count)))]
        let (key, stockKey, down) = (
          board.key(board.key, after: move), board.stockKey(after: move), board.faceDownTotal
        )
        board.make(move)
        #expect(board.key == key && board.stockKey == stockKey, "seed \(seed): \(move)")
        #expect(board.faceDownTotal == down - (move.reveals ? 1 : 0), "seed \(seed): \(move)")
        kinds.insert(Self.number(of: move.kind))
      }
    }
    #expect(kinds == [0, 1, 2, 3, 4])
  }

  private static func number(of kind: KlondikeMove.Kind) -> Int {
    switch kind {
    case .pileToPile: 0
    case .pileToFoundation: 1
    case .wasteToFoundation: 2
    case .wasteToPile: 3
    case .foundationToPile: 4
    }
  }

  @Test(arguments: [1, 3]) func `the computed reachable cards equal those of actual draws`(drawCount: Int) {
    for drawn in 0...24 {
      let board = Self.board(seed: 1, drawn: drawn)
      var expected: [Int: Int] = [:]
      var (waste, draws) = (drawn, 0)
      for _ in 0..<60 {
        if waste > 0, expected[waste - 1] == nil { expected[waste - 1] = draws }
        waste = waste == 24 ? 0 : min(24, waste + drawCount)
        draws += 1
      }
      let reachable = board.reachableCards(drawCount: drawCount)
      #expect(reachable.count == expected.count, "drawn \(drawn)")
      for card in reachable { #expect(expected[card.index] == card.draws, "drawn \(drawn): \(card)") }
    }
  }

  @Test func `a card's followers equal those that the rule of the piles gives`() {
    var wrong: [String] = []
    for below in (0...52).map({ Card(code: $0) }) {
      for card in (1...52).map({ Card(code: $0) }) {
        if card.fits(on: below) != (below.followers & card.bit != 0) { wrong.append("\(card) on \(below)") }
      }
    }
    #expect(wrong == [])
  }

  @Test(arguments: ["pile/6", "foundation/clubs", "waste", "stock"])
  func `a table with klondike's collections that is no game is ignored`(collection: String) throws {
    let type = try TableTypeLibrary.bundled.tableType("klondike")
    let handle = try #require(type.handle(of: collection))
    var loader = StateLoader(type: type)
    try loader.add(
      (1...300).map {
        Item(
          id: ItemID(rawValue: $0), collection: handle,
          face: Face(attributes: [Attribute("rank", 13), Attribute("suit", "hearts")]))
      })
    let state = loader.finish(revision: .zero, status: TableState.open, variables: [], seats: [])
    expectIgnored(state)
  }

  @Test func `a table of another type is ignored`() throws {
    expectIgnored(TableState(type: try TableTypeLibrary.bundled.tableType("kanban?columns=fixed")))
  }

  private func expectIgnored(_ state: TableState) {
    let replica = Replica(
      state: state, epoch: Epoch(rawValue: 1), author: TestAuthor().author, lastSequence: .zero)
    var (greedy, random) = (KlondikeStrategy(), RandomSource(seed: 1))
    let decision = greedy.next(at: replica, random: &random)
    #expect(decision == .done(.unknownGame))
  }

  @Test func `the stock is remembered through a recycle`() {
    let cards = (1...5).map { Card(code: $0) }
    var memory = StockMemory()
    memory.update(waste: [], stockCount: 5, elsewhere: 0)
    #expect(memory.cycle == Array(repeating: .unknown, count: 5))
    memory.update(waste: Array(cards[..<3]), stockCount: 2, elsewhere: 0)
    #expect(memory.cycle == Array(cards[..<3]) + [.unknown, .unknown])
    // One more pass, in which the second card is played.
    memory.update(waste: [cards[0]], stockCount: 3, elsewhere: 1 << 2)
    #expect(memory.cycle == [cards[0], cards[2], .unknown, .unknown])
    memory.update(waste: [], stockCount: 4, elsewhere: 1 << 2)
    #expect(memory.cycle == [cards[0], cards[2], .unknown, .unknown])
  }

  @Test func `the invariants can fail: each of these diffs violates a rule`() throws {
    let fresh = Table(type: try TableTypeLibrary.bundled.tableType("klondike"), random: RandomSource(seed: 1))
    let type = fresh.state.type
    #expect(KlondikeInvariants.broken(fresh.state) == nil)
    func handle(_ id: String) throws -> CollectionHandle { try #require(type.handle(of: id)) }
    let pile = try handle("pile/6")
    let top = try #require(fresh.state.lastItem(in: pile))
    let stocked = try #require(fresh.state.lastItem(in: handle("stock")))
    let changes: [Change] = [
      .removed([top]), .moved([top], .end(of: try handle("stock"))), .moved([top], .end(of: try handle("waste"))),
      .moved([stocked], .end(of: pile)), .moved([stocked], .end(of: try handle("foundation/clubs"))),
    ]
    for change in changes {
      var table = fresh
      try table.apply(
        Diff(revision: Revision(rawValue: 1), author: .daemon, sequence: .zero, changes: [change]))
      #expect(KlondikeInvariants.broken(table.state) != nil, "\(change)")
    }
  }
}
