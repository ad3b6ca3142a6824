// Generates the moves worth searching. The table's rules decide about each; the moves left out never help.
extension KlondikeBoard {
  /// A card of the cycle that draws can bring to the top of the waste.
  struct Reachable {
    var index: Int
    var draws: Int
    var recycles: Int
  }

  /// The cards that can be used somewhere on a board.
  struct Demand {
    let layout: KlondikeLayout
    /// The first empty pile; −1 if there is none. Empty piles are interchangeable.
    var empty = -1
    /// The cards that fit on a pile that is not empty, as bits.
    var onPiles: UInt64 = 0
    /// The cards that fit on a foundation, as bits.
    var up: UInt64 = 0

    /// The cards that fit on an empty pile, as bits.
    var onEmpty: UInt64 { empty < 0 ? 0 : layout.takesAnyOnEmpty ? .max : Card.kings }
  }

  /// Returns the cards among `wanted` that draws can bring up, fewest draws first.
  func reachableCards(drawCount: Int, wanted: UInt64 = .max) -> [Reachable] {
    var reachable: [Reachable] = []
    let total = cycleCount
    guard total > 0 else { return reachable }
    func append(_ index: Int, draws: Int, recycles: Int = 0) {
      guard cycleCard(index).bit & wanted != 0 else { return }
      reachable.append(Reachable(index: index, draws: draws, recycles: recycles))
    }
    var waste = wasteCount
    var draws = 0
    if waste > 0 { append(waste - 1, draws: 0) }
    while waste < total {
      waste = min(total, waste + drawCount)
      draws += 1
      append(waste - 1, draws: draws)
    }
    guard redeals > 0 else { return reachable }
    // A second pass, except for the cards that the first one brought up.
    waste = 0
    draws += 1
    while waste < total {
      waste = min(total, waste + drawCount)
      draws += 1
      let index = waste - 1
      if index >= wasteCount, (index - wasteCount + 1) % drawCount == 0 || waste == total { break }
      if index != wasteCount - 1 { append(index, draws: draws, recycles: 1) }
    }
    return reachable
  }

  /// Appends the moves on this board. A safe move to a foundation is the only one.
  func moves(for layout: KlondikeLayout, into moves: inout [KlondikeMove]) {
    var demand = Demand(layout: layout)
    for suit in 0..<4 where foundation(suit) < 13 { demand.up |= Card(suit: suit, rank: foundation(suit) + 1).bit }
    for pile in 0..<Self.pilesCount {
      let top = top(pile)
      if top.bit & demand.up != 0, isSafe(top) {
        moves.append(KlondikeMove(kind: .pileToFoundation(from: pile), card: top, reveals: isLastUp(pile)))
        return
      }
      demand.onPiles |= top.followers
      if demand.empty < 0, count(pile) == 0 { demand.empty = pile }
    }
    for pile in 0..<Self.pilesCount where count(pile) > 0 { pileMoves(from: pile, demand, into: &moves) }
    let wanted = demand.onPiles | demand.up | demand.onEmpty
    for reachable in reachableCards(drawCount: layout.drawCount, wanted: wanted) {
      wasteMoves(reachable, demand, into: &moves)
    }
    if layout.liftsFoundations { foundationMoves(demand, into: &moves) }
  }

  /// Returns whether a pile has exactly one face-up card on top of face-down ones.
  private func isLastUp(_ pile: Int) -> Bool { faceDownCount(pile) > 0 && count(pile) == faceDownCount(pile) + 1 }

  private func pileMoves(from pile: Int, _ demand: Demand, into moves: inout [KlondikeMove]) {
    let top = top(pile)
    guard top != .unknown else { return }
    if top.bit & demand.up != 0 {
      moves.append(KlondikeMove(kind: .pileToFoundation(from: pile), card: top, reveals: isLastUp(pile)))
    }
    let (count, down) = (count(pile), faceDownCount(pile))
    for index in down..<count {
      let head = card(pile, index)
      guard head.bit & (demand.onPiles | demand.onEmpty) != 0 else { continue }
      // Splitting a run only helps to free a card for its foundation: for any other purpose, the freed card could go
      // where the rest of the run goes.
      guard index == down || card(pile, index - 1).bit & demand.up != 0 else { continue }
      let reveals = index == down && down > 0
      for to in destinations(of: head, from: pile, leavesCards: index > 0, demand) {
        moves.append(
          KlondikeMove(kind: .pileToPile(from: pile, to: to, count: count - index), card: head, reveals: reveals))
      }
    }
  }

  /// Returns the piles that a card may move to.
  ///
  /// - Parameter leavesCards: Whether cards stay behind. A move from an empty pile to another changes nothing.
  private func destinations(of card: Card, from pile: Int, leavesCards: Bool, _ demand: Demand) -> [Int] {
    var destinations: [Int] = []
    if card.bit & demand.onPiles != 0 {
      for to in 0..<Self.pilesCount where to != pile && card.fits(on: top(to)) { destinations.append(to) }
    }
    if leavesCards, card.bit & demand.onEmpty != 0 { destinations.append(demand.empty) }
    return destinations
  }

  private func wasteMoves(_ reachable: Reachable, _ demand: Demand, into moves: inout [KlondikeMove]) {
    let card = cycleCard(reachable.index)
    let (index, recycles) = (reachable.index, reachable.recycles)
    if card.bit & demand.up != 0 {
      moves.append(
        KlondikeMove(kind: .wasteToFoundation(index: index, recycles: recycles), card: card, draws: reachable.draws))
    }
    for to in destinations(of: card, from: -1, leavesCards: true, demand) {
      moves.append(
        KlondikeMove(kind: .wasteToPile(index: index, to: to, recycles: recycles), card: card, draws: reachable.draws))
    }
  }

  private func foundationMoves(_ demand: Demand, into moves: inout [KlondikeMove]) {
    for suit in 0..<4 {
      // Only an ace fits on a two, and aces are always safe on their foundation.
      guard foundation(suit) > 2 else { continue }
      let card = Card(suit: suit, rank: foundation(suit))
      guard card.bit & demand.onPiles != 0, !isSafe(card) else { continue }
      for to in 0..<Self.pilesCount where card.fits(on: top(to)) {
        moves.append(KlondikeMove(kind: .foundationToPile(suit: suit, to: to), card: card))
      }
    }
  }
}
