import BaizeSync
import BaizeTable

/// A strategy that tries to finish klondike from what its seat can see.
///
/// It draws through the stock once, where redeals are free, and remembers the cards. Then it searches everything it knows
/// for a sequence of moves that turns the next card over (see ``KlondikeSearch``) and follows it until something
/// unexpected happens: another card than assumed, another player's move, a refusal. When a complete search finds no
/// sequence, it passes through the stock once more and gives up.
///
/// The table needs klondike's collections, attributes and actions (`pile/0` …, `rank`, `suit`, `draw`). The table's rules
/// decide whether a move is legal.
struct KlondikeStrategy: Strategy {
  /// The number of boards that a search visits.
  var boardsMax = 100
  /// The number of boards that a search visits before it concludes that there is no plan.
  var boardsMaxOfLastResort = 4_000
  var weights = KlondikeSearch.Weights()

  private var layout: KlondikeLayout?
  private var memory = StockMemory()
  private var plan: [Step] = []
  /// The state in which the last draws were made.
  private var passKey: UInt64 = 0
  /// The number of draws made in that state.
  private var passDraws = 0
  /// The states in which a complete search found nothing.
  private var deadEnds: Set<UInt64> = []
  /// The number of refusals of a move in a state.
  private var refusals: [Attempt: Int] = [:]
  private var last: Attempt?

  /// A move and the key of the state before it.
  private struct Step {
    var move: KlondikeMove
    var key: UInt64
  }

  private struct Attempt: Hashable {
    var key: UInt64
    var move: KlondikeMove.Kind
  }

  /// The next step.
  private enum Intent {
    /// Draws to see the next card.
    case draw
    /// Draws to bring up the card that a move needs.
    case drawFor(KlondikeMove)
    case make(KlondikeMove)
  }

  /// The number of plans the table's rules may refuse before the strategy gives up.
  private static let plansMax = 16

  /// Creates a strategy without knowledge of the table.
  init() {}

  mutating func next(at replica: Replica, random: inout RandomSource) -> Decision {
    let state = replica.state
    if let conclusion = state.conclusion { return .done(conclusion) }
    if layout == nil { layout = KlondikeLayout(state.type) }
    guard let layout else { return .done(.unknownGame) }
    // Cards that are turned over or drawn show their faces only with the daemon's answer.
    guard replica.pending.isEmpty, replica.author.seat != .spectator else { return .wait }
    guard let board = readBoard(at: state, layout) else { return .done(.unknownGame) }
    let key = board.key
    for _ in 0..<Self.plansMax {
      guard let intent = intent(on: board, key, layout) else { break }
      switch intent {
      case .draw:
        return draw(at: state, board, key, layout) ?? giveUp(at: state, board, key, layout)
      case .drawFor(let move):
        if let draw = draw(at: state, board, key, layout) { return draw }
        refusals[Attempt(key: key, move: move.kind)] = Self.refusalsMax
      case .make(let move):
        let attempt = Attempt(key: key, move: move.kind)
        let difference = difference(for: move, at: state, layout)
        if state.dropConfiguration(for: difference, suggested: .move, by: replica.author.seat).operation == .move {
          last = attempt
          return .submit(.reorder(difference, suggested: .move))
        }
        refusals[attempt] = Self.refusalsMax
      }
      plan = []
    }
    return giveUp(at: state, board, key, layout)
  }

  mutating func received(_ answer: Answer, to kind: TableOperation.Kind) {
    guard case .refused(let refusal) = answer else { return }
    plan = []
    // After a conflict with another player the strategy makes a new plan. It drops a move that the local rules allow and the
    // daemon refuses repeatedly.
    if refusal.reason != .contended, refusal.reason != .stackChanged, let last { refusals[last, default: 0] += 1 }
  }
}

extension KlondikeStrategy {
  // MARK: Reading the table

  /// Returns the table as a board, with the remembered cards of the stock; `nil` if the table is not a game of klondike.
  private mutating func readBoard(at state: TableState, _ layout: KlondikeLayout) -> KlondikeBoard? {
    var board = KlondikeBoard()
    var elsewhere: UInt64 = 0
    for (pile, handle) in layout.piles.enumerated() {
      let cards = cards(of: state, in: handle)
      guard board.setPile(pile, cards: cards, faceDown: cards.prefix { $0 == .unknown }.count) else { return nil }
      for card in cards { elsewhere |= card.bit }
    }
    for (suit, handle) in layout.foundations.enumerated() {
      let top = state.count(in: handle)
      guard board.setFoundation(suit, top) else { return nil }
      // All cards of the suit from the ace to the top.
      elsewhere |= (1 << UInt64(top) - 1) << UInt64(suit * 13 + 1)
    }
    let waste = cards(of: state, in: layout.waste)
    let stockCount = state.count(in: layout.stock)
    guard waste.count + stockCount <= KlondikeBoard.cycleMax else { return nil }
    memory.update(waste: waste, stockCount: stockCount, elsewhere: elsewhere)
    var redeals = KlondikeBoard.unlimited
    if case .number(let left)? = state.variable("redeals"), left >= 0 { redeals = UInt8(min(left, 254)) }
    return board.setCycle(memory.cycle, wasteCount: waste.count, redeals: redeals) ? board : nil
  }

  /// Returns the cards of a collection from the bottom; unknown where the seat sees no face.
  private func cards(of state: TableState, in collection: CollectionHandle) -> [Card] {
    state.items(in: collection, from: 0, limit: 52).map { item in
      item.visibility == .nobody ? .unknown : Card(item.face) ?? .unknown
    }
  }

  // MARK: Deciding

  private mutating func intent(on board: KlondikeBoard, _ key: UInt64, _ layout: KlondikeLayout) -> Intent? {
    if let intent = continued(on: board, key) { return intent }
    plan = []
    if let safe = safeMove(on: board, key) { return .make(safe) }
    let isStockKnown = board.cycleCount == 0 || board.cycleCard(board.cycleCount - 1) != .unknown
    if !isStockKnown, board.redeals == KlondikeBoard.unlimited { return .draw }
    if !deadEnds.contains(deadEndKey(board, key)) {
      makePlan(on: board, key, layout)
      if let intent = continued(on: board, key) { return intent }
      deadEnds.insert(deadEndKey(board, key))
    }
    return isStockKnown ? nil : .draw
  }

  private func deadEndKey(_ board: KlondikeBoard, _ key: UInt64) -> UInt64 {
    board.redeals == KlondikeBoard.unlimited ? key : key &+ board.stockKey
  }

  /// Returns the plan's next step, if the table is in the state that the plan expects.
  private mutating func continued(on board: KlondikeBoard, _ key: UInt64) -> Intent? {
    guard let step = plan.first, step.key == key else { return nil }
    switch step.move.kind {
    case .wasteToPile, .wasteToFoundation:
      let top = board.wasteCount > 0 ? board.cycleCard(board.wasteCount - 1) : .unknown
      if top != step.move.card { return .drawFor(step.move) }
    case .pileToPile, .pileToFoundation, .foundationToPile: break
    }
    plan.removeFirst()
    return .make(step.move)
  }

  /// Returns a pile's card that can go to its foundation without a disadvantage.
  private func safeMove(on board: KlondikeBoard, _ key: UInt64) -> KlondikeMove? {
    for pile in 0..<KlondikeBoard.pilesCount {
      let top = board.top(pile)
      guard board.isNext(top), board.isSafe(top) else { continue }
      let move = KlondikeMove(kind: .pileToFoundation(from: pile), card: top)
      if !isRefused(move, key) { return move }
    }
    return nil
  }

  private func isRefused(_ move: KlondikeMove, _ key: UInt64) -> Bool {
    guard !refusals.isEmpty else { return false }
    return refusals[Attempt(key: key, move: move.kind), default: 0] >= Self.refusalsMax
  }

  private static let refusalsMax = 3

  private mutating func makePlan(on board: KlondikeBoard, _ key: UInt64, _ layout: KlondikeLayout) {
    for budget in [boardsMax, boardsMaxOfLastResort] {
      var search = KlondikeSearch(layout: layout, board: board, weights: weights)
      let result = search.run(boardsMax: budget) { isRefused($0, key) }
      if !result.plan.isEmpty {
        var key = key
        var board = board
        for move in result.plan {
          plan.append(Step(move: move, key: key))
          key = board.key(key, after: move)
          board.make(move)
        }
        return
      }
      if result.isExhausted { return }
    }
  }

  // MARK: Acting

  /// Returns a draw, unless it would turn up nothing new or the stock has gone round in this state.
  private mutating func draw(
    at state: TableState, _ board: KlondikeBoard, _ key: UInt64, _ layout: KlondikeLayout
  ) -> Decision? {
    guard board.cycleCount > 0, state.count(in: layout.stock) > 0 || board.redeals > 0 else { return nil }
    if passKey != key { (passKey, passDraws) = (key, 0) }
    let pass = (board.cycleCount + layout.drawCount - 1) / layout.drawCount + 1
    // One pass to see the cards, one more to bring up the card that is needed.
    guard passDraws <= 2 * pass else { return nil }
    passDraws += 1
    last = nil
    return .submit(.perform(action: KlondikeLayout.drawAction, items: [], nil))
  }

  /// Passes through the stock a last time, then concludes that the game is stuck.
  private mutating func giveUp(
    at state: TableState, _ board: KlondikeBoard, _ key: UInt64, _ layout: KlondikeLayout
  ) -> Decision {
    let pass = (board.cycleCount + layout.drawCount - 1) / layout.drawCount + 1
    if passKey != key || passDraws < pass, let draw = draw(at: state, board, key, layout) { return draw }
    return .done(.stuck)
  }

  private func difference(
    for move: KlondikeMove, at state: TableState, _ layout: KlondikeLayout
  ) -> ReorderDifference {
    func last(_ count: Int, of handle: CollectionHandle) -> [ItemID] {
      let total = state.count(in: handle)
      return state.items(in: handle, from: total - count, limit: count).map(\.id)
    }
    switch move.kind {
    case .pileToPile(let from, let to, let count):
      return ReorderDifference(
        sources: last(count, of: layout.piles[from]), destination: .end(of: layout.piles[to]))
    case .pileToFoundation(let from):
      return ReorderDifference(
        sources: last(1, of: layout.piles[from]), destination: .end(of: layout.foundations[move.card.suit]))
    case .wasteToFoundation:
      return ReorderDifference(
        sources: last(1, of: layout.waste), destination: .end(of: layout.foundations[move.card.suit]))
    case .wasteToPile(_, let to, _):
      return ReorderDifference(sources: last(1, of: layout.waste), destination: .end(of: layout.piles[to]))
    case .foundationToPile(let suit, let to):
      return ReorderDifference(sources: last(1, of: layout.foundations[suit]), destination: .end(of: layout.piles[to]))
    }
  }
}
