public import BaizeSync
public import BaizeTable

/// Tries to finish klondike from what it can see.
///
/// It draws through the stock once, where that costs nothing, and remembers what it saw; then it looks ahead over
/// everything that it knows for a way to turn the next card over (see ``KlondikeSearch``) and goes that way until
/// something unforeseen happens: another card than expected, another player, a refusal. When it has looked through all
/// that can be reached and found no way, it passes once through the stock and gives up.
///
/// It needs a table with klondike's collections, attributes and actions (`pile/0` …, `rank`, `suit`, `draw`); whether a
/// move is legal it asks the table's rules.
public struct GreedyStrategy: Strategy {
  /// How many boards it looks at for a plan, and how many before it believes that there is none.
  public var boardsMax = 100
  public var boardsMaxOfLastResort = 4_000
  var weights = KlondikeSearch.Weights()

  private var layout: KlondikeLayout?
  private var memory = StockMemory()
  private var plan: [Step] = []
  /// The cards' order when the last draws were made, and how many were.
  private var passKey: UInt64 = 0
  private var passDraws = 0
  /// States that were found to lead nowhere.
  private var hopeless: Set<UInt64> = []
  /// Moves that the table refused, by the state that they were made in.
  private var refused: Set<Attempt> = []
  private var last: Attempt?

  /// A move, and the state before it.
  private struct Step {
    var move: KlondikeMove
    var key: UInt64
  }

  private struct Attempt: Hashable {
    var key: UInt64
    var move: KlondikeMove.Kind
  }

  public init() {}

  public mutating func next(at replica: Replica, random: inout RandomSource) -> Decision {
    let state = replica.state
    if let conclusion = state.conclusion { return .done(conclusion) }
    if layout == nil { layout = KlondikeLayout(state.type) }
    guard let layout else { return .done(.unknownGame) }
    // What is turned over and drawn shows its face only with the answer.
    guard replica.pending.isEmpty, replica.author.seat != .spectator else { return .wait }
    let board = look(at: state, layout)
    let key = board.key
    for _ in 0..<16 {
      guard let move = nextMove(on: board, key, layout) else { break }
      if move.draws > 0 {
        if let draw = draw(at: state, board, key, layout) { return draw }
      } else {
        let difference = difference(for: move, on: board, at: state, layout)
        let suggested = DropOperation.Set.move
        if state.dropConfiguration(for: difference, suggested: suggested, by: replica.author.seat).operation == .move {
          last = Attempt(key: key, move: move.kind)
          return .submit(.reorder(difference, suggested: suggested))
        }
      }
      refused.insert(Attempt(key: key, move: move.kind))
      plan = []
    }
    return giveUp(at: state, board, key, layout)
  }

  public mutating func hear(_ answer: Answer, to kind: TableOperation.Kind) {
    guard case .refused(let refusal) = answer else { return }
    plan = []
    // What others were faster to take is looked at anew; anything else would only be refused again.
    if refusal.reason != .contended, refusal.reason != .stackChanged, let last { refused.insert(last) }
  }
}

extension GreedyStrategy {
  // MARK: Looking

  private mutating func look(at state: TableState, _ layout: KlondikeLayout) -> KlondikeBoard {
    var board = KlondikeBoard()
    var gone: UInt64 = 0
    for (pile, handle) in layout.piles.enumerated() {
      let cards = cards(of: state, in: handle)
      board.setPile(pile, cards: cards, down: cards.prefix { $0 == .unknown }.count)
      for card in cards { gone |= 1 << UInt64(card.code) }
    }
    for (suit, handle) in layout.foundations.enumerated() {
      board.setFoundation(suit, state.count(in: handle))
      for card in cards(of: state, in: handle) { gone |= 1 << UInt64(card.code) }
    }
    let waste = cards(of: state, in: layout.waste)
    memory.look(waste: waste, stockCount: state.count(in: layout.stock), gone: gone)
    var redeals = KlondikeBoard.unlimited
    if case .number(let left)? = state.variable("redeals"), left >= 0 { redeals = UInt8(min(left, 254)) }
    board.setCycle(memory.cycle, wasteCount: waste.count, redeals: redeals)
    return board
  }

  /// The cards of a collection, from the bottom; unknown where no face is seen.
  private func cards(of state: TableState, in collection: CollectionHandle) -> [Card] {
    let limit = 52
    return state.items(in: collection, from: 0, limit: limit).map { item in
      item.sight == .nobody ? .unknown : Card(item.face) ?? .unknown
    }
  }

  // MARK: Deciding

  private mutating func nextMove(
    on board: KlondikeBoard, _ key: UInt64, _ layout: KlondikeLayout
  ) -> KlondikeMove? {
    if let step = plan.first, let move = continued(step, on: board, key) { return move }
    plan = []
    if let safe = safeMove(on: board, key) { return safe }
    let isStockKnown = board.cycleCount == 0 || board.cycleCard(board.cycleCount - 1) != .unknown
    let isFree = board.redeals == KlondikeBoard.unlimited
    let draw = KlondikeMove(kind: .wasteUp(place: 0, recycles: 0), card: .unknown, draws: 1)
    if isFree, !isStockKnown { return draw }
    if !hopeless.contains(hopelessKey(board, key)) {
      makePlan(on: board, key, layout)
      if let step = plan.first, let move = continued(step, on: board, key) { return move }
      hopeless.insert(hopelessKey(board, key))
    }
    return isStockKnown ? nil : draw
  }

  private func hopelessKey(_ board: KlondikeBoard, _ key: UInt64) -> UInt64 {
    board.redeals == KlondikeBoard.unlimited ? key : key &+ board.stockKey
  }

  /// The next move of the plan, if the table stands as it should; with draws before it, if its card is not on top yet.
  private mutating func continued(_ step: Step, on board: KlondikeBoard, _ key: UInt64) -> KlondikeMove? {
    guard step.key == key else { return nil }
    var move = step.move
    switch move.kind {
    case .pile, .up, .down: break
    case .waste, .wasteUp:
      let top = board.wasteCount > 0 ? board.cycleCard(board.wasteCount - 1) : .unknown
      move.draws = top == move.card ? 0 : 1
    }
    if move.draws == 0 { plan.removeFirst() }
    return move
  }

  /// A card of a pile that may go up without a thought.
  private func safeMove(on board: KlondikeBoard, _ key: UInt64) -> KlondikeMove? {
    for pile in 0..<KlondikeBoard.pilesCount {
      let top = board.top(pile)
      guard board.isNext(top), board.isSafe(top) else { continue }
      let move = KlondikeMove(kind: .up(from: pile), card: top)
      if !refused.contains(Attempt(key: key, move: move.kind)) { return move }
    }
    return nil
  }

  private mutating func makePlan(on board: KlondikeBoard, _ key: UInt64, _ layout: KlondikeLayout) {
    for budget in [boardsMax, boardsMaxOfLastResort] {
      var search = KlondikeSearch(layout: layout, board: board, weights: weights)
      let result = search.run(boardsMax: budget) { refused.contains(Attempt(key: key, move: $0.kind)) }
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

  // MARK: Doing

  /// A draw, unless nothing comes of it or the stock has gone round since anything else happened.
  private mutating func draw(
    at state: TableState, _ board: KlondikeBoard, _ key: UInt64, _ layout: KlondikeLayout
  ) -> Decision? {
    guard board.cycleCount > 0, state.count(in: layout.stock) > 0 || board.redeals > 0 else { return nil }
    if passKey != key { (passKey, passDraws) = (key, 0) }
    let pass = (board.cycleCount + layout.drawCount - 1) / layout.drawCount + 1
    guard passDraws <= 2 * pass else { return nil }
    passDraws += 1
    last = nil
    return .submit(.perform(action: KlondikeLayout.drawAction, items: [], nil))
  }

  /// One last time through the stock; then the game is stuck.
  private mutating func giveUp(
    at state: TableState, _ board: KlondikeBoard, _ key: UInt64, _ layout: KlondikeLayout
  ) -> Decision {
    let pass = (board.cycleCount + layout.drawCount - 1) / layout.drawCount + 1
    if passKey != key || passDraws < pass, let draw = draw(at: state, board, key, layout) { return draw }
    return .done(.stuck)
  }

  private func difference(
    for move: KlondikeMove, on board: KlondikeBoard, at state: TableState, _ layout: KlondikeLayout
  ) -> ReorderDifference {
    func last(_ count: Int, of handle: CollectionHandle) -> [ItemID] {
      let total = state.count(in: handle)
      return state.items(in: handle, from: total - count, limit: count).map(\.id)
    }
    switch move.kind {
    case .pile(let from, let to, let count):
      return ReorderDifference(
        sources: last(count, of: layout.piles[from]), destination: .end(of: layout.piles[to]))
    case .up(let from):
      return ReorderDifference(
        sources: last(1, of: layout.piles[from]), destination: .end(of: layout.foundations[move.card.suit]))
    case .wasteUp:
      return ReorderDifference(
        sources: last(1, of: layout.waste), destination: .end(of: layout.foundations[move.card.suit]))
    case .waste(_, let to, _):
      return ReorderDifference(sources: last(1, of: layout.waste), destination: .end(of: layout.piles[to]))
    case .down(let suit, let to):
      return ReorderDifference(sources: last(1, of: layout.foundations[suit]), destination: .end(of: layout.piles[to]))
    }
  }
}
