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
  /// The state in which the last draws were made, and how many were made in it.
  private var passKey: UInt64 = 0
  private var passDraws = 0
  /// States that were found to lead nowhere.
  private var hopeless: Set<UInt64> = []
  /// How often the table refused a move in a state.
  private var refusals: [Attempt: Int] = [:]
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

  /// What is to come next.
  private enum Intent {
    /// A draw, to see what comes.
    case draw
    /// A draw, to bring up the card that a move needs.
    case drawFor(KlondikeMove)
    case make(KlondikeMove)
  }

  /// How many plans may fail at the table's rules before it gives up.
  private static let plansMax = 16

  public init() {}

  public mutating func next(at replica: Replica, random: inout RandomSource) -> Decision {
    let state = replica.state
    if let conclusion = state.conclusion { return .done(conclusion) }
    if layout == nil { layout = KlondikeLayout(state.type) }
    guard let layout else { return .done(.unknownGame) }
    // What is turned over and drawn shows its face only with the answer.
    guard replica.pending.isEmpty, replica.author.seat != .spectator else { return .wait }
    guard let board = look(at: state, layout) else { return .done(.unknownGame) }
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

  public mutating func hear(_ answer: Answer, to kind: TableOperation.Kind) {
    guard case .refused(let refusal) = answer else { return }
    plan = []
    // Others were faster, mostly, and the table is looked at anew. What the rules allow here and the daemon refuses time
    // and again is let be.
    if refusal.reason != .contended, refusal.reason != .stackChanged, let last { refusals[last, default: 0] += 1 }
  }
}

extension GreedyStrategy {
  // MARK: Looking

  /// The table as a board, with what is remembered of the stock; `nil` where what lies there is no game of klondike.
  private mutating func look(at state: TableState, _ layout: KlondikeLayout) -> KlondikeBoard? {
    var board = KlondikeBoard()
    var gone: UInt64 = 0
    for (pile, handle) in layout.piles.enumerated() {
      let cards = cards(of: state, in: handle)
      guard board.setPile(pile, cards: cards, down: cards.prefix { $0 == .unknown }.count) else { return nil }
      for card in cards { gone |= card.bit }
    }
    for (suit, handle) in layout.foundations.enumerated() {
      let top = state.count(in: handle)
      guard board.setFoundation(suit, top) else { return nil }
      // From the ace to the top, all of one suit.
      gone |= (1 << UInt64(top) - 1) << UInt64(suit * 13 + 1)
    }
    let waste = cards(of: state, in: layout.waste)
    let stockCount = state.count(in: layout.stock)
    guard waste.count + stockCount <= KlondikeBoard.cycleMax else { return nil }
    memory.look(waste: waste, stockCount: stockCount, gone: gone)
    var redeals = KlondikeBoard.unlimited
    if case .number(let left)? = state.variable("redeals"), left >= 0 { redeals = UInt8(min(left, 254)) }
    return board.setCycle(memory.cycle, wasteCount: waste.count, redeals: redeals) ? board : nil
  }

  /// The cards of a collection, from the bottom; unknown where no face is seen.
  private func cards(of state: TableState, in collection: CollectionHandle) -> [Card] {
    state.items(in: collection, from: 0, limit: 52).map { item in
      item.sight == .nobody ? .unknown : Card(item.face) ?? .unknown
    }
  }

  // MARK: Deciding

  private mutating func intent(on board: KlondikeBoard, _ key: UInt64, _ layout: KlondikeLayout) -> Intent? {
    if let intent = continued(on: board, key) { return intent }
    plan = []
    if let safe = safeMove(on: board, key) { return .make(safe) }
    let isStockKnown = board.cycleCount == 0 || board.cycleCard(board.cycleCount - 1) != .unknown
    if !isStockKnown, board.redeals == KlondikeBoard.unlimited { return .draw }
    if !hopeless.contains(hopelessKey(board, key)) {
      makePlan(on: board, key, layout)
      if let intent = continued(on: board, key) { return intent }
      hopeless.insert(hopelessKey(board, key))
    }
    return isStockKnown ? nil : .draw
  }

  private func hopelessKey(_ board: KlondikeBoard, _ key: UInt64) -> UInt64 {
    board.redeals == KlondikeBoard.unlimited ? key : key &+ board.stockKey
  }

  /// What the plan says, if the table stands as it should.
  private mutating func continued(on board: KlondikeBoard, _ key: UInt64) -> Intent? {
    guard let step = plan.first, step.key == key else { return nil }
    switch step.move.kind {
    case .waste, .wasteUp:
      let top = board.wasteCount > 0 ? board.cycleCard(board.wasteCount - 1) : .unknown
      if top != step.move.card { return .drawFor(step.move) }
    case .pile, .up, .down: break
    }
    plan.removeFirst()
    return .make(step.move)
  }

  /// A card of a pile that may go up without a thought.
  private func safeMove(on board: KlondikeBoard, _ key: UInt64) -> KlondikeMove? {
    for pile in 0..<KlondikeBoard.pilesCount {
      let top = board.top(pile)
      guard board.isNext(top), board.isSafe(top) else { continue }
      let move = KlondikeMove(kind: .up(from: pile), card: top)
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

  // MARK: Doing

  /// A draw, unless nothing comes of it or the stock has gone round since anything else happened.
  private mutating func draw(
    at state: TableState, _ board: KlondikeBoard, _ key: UInt64, _ layout: KlondikeLayout
  ) -> Decision? {
    guard board.cycleCount > 0, state.count(in: layout.stock) > 0 || board.redeals > 0 else { return nil }
    if passKey != key { (passKey, passDraws) = (key, 0) }
    let pass = (board.cycleCount + layout.drawCount - 1) / layout.drawCount + 1
    // Once round to look, and once more to bring up what was seen.
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
    for move: KlondikeMove, at state: TableState, _ layout: KlondikeLayout
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
