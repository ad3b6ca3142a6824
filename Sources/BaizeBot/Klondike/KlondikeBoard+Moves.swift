/// The moves that are worth a thought. The table's rules have the last word on each; what these leave out never helps.
extension KlondikeBoard {
  /// A card of the cycle that drawing brings to the top of the waste.
  struct Reachable {
    var place: Int
    var draws: Int
    var recycles: Int
  }

  /// What the moves of one board have in common.
  struct Demand {
    let layout: KlondikeLayout
    /// The first empty pile; −1 for none. Another one would serve as well.
    var empty = -1
    /// The cards that could go on some pile that is not empty, and those that could go up, as bits.
    var onPiles: UInt64 = 0
    var up: UInt64 = 0

    /// The cards that could go on an empty pile.
    var onEmpty: UInt64 { empty < 0 ? 0 : layout.takesAnyOnEmpty ? .max : Card.kings }
  }

  /// The cards among `wanted` that drawing brings up, nearest first.
  func reachableCards(drawCount: Int, wanted: UInt64 = .max) -> [Reachable] {
    var reachable: [Reachable] = []
    let total = cycleCount
    guard total > 0 else { return reachable }
    func append(_ place: Int, draws: Int, recycles: Int = 0) {
      guard cycleCard(place).bit & wanted != 0 else { return }
      reachable.append(Reachable(place: place, draws: draws, recycles: recycles))
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
    // Once round; what came up in the first part need not come again.
    waste = 0
    draws += 1
    while waste < total {
      waste = min(total, waste + drawCount)
      draws += 1
      let place = waste - 1
      if place >= wasteCount, (place - wasteCount + 1) % drawCount == 0 || waste == total { break }
      if place != wasteCount - 1 { append(place, draws: draws, recycles: 1) }
    }
    return reachable
  }

  /// Appends the moves from here. Where a card of a pile may go up without a doubt, that is the only one.
  func moves(for layout: KlondikeLayout, into moves: inout [KlondikeMove]) {
    var demand = Demand(layout: layout)
    for suit in 0..<4 where foundation(suit) < 13 { demand.up |= Card(suit: suit, rank: foundation(suit) + 1).bit }
    for pile in 0..<Self.pilesCount {
      let top = top(pile)
      if top.bit & demand.up != 0, isSafe(top) {
        moves.append(KlondikeMove(kind: .up(from: pile), card: top, reveals: isLastUp(pile)))
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

  /// Whether a pile has one card face up, on others that are face down.
  private func isLastUp(_ pile: Int) -> Bool { down(pile) > 0 && count(pile) == down(pile) + 1 }

  private func pileMoves(from pile: Int, _ demand: Demand, into moves: inout [KlondikeMove]) {
    let top = top(pile)
    guard top != .unknown else { return }
    if top.bit & demand.up != 0 {
      moves.append(KlondikeMove(kind: .up(from: pile), card: top, reveals: isLastUp(pile)))
    }
    let (count, down) = (count(pile), down(pile))
    for place in down..<count {
      let head = card(pile, place)
      guard head.bit & (demand.onPiles | demand.onEmpty) != 0 else { continue }
      // A part of a run moves only to set free a card that can go up at once: whatever else the card beneath is wanted
      // for could as well be had where the part would go.
      guard place == down || card(pile, place - 1).bit & demand.up != 0 else { continue }
      let reveals = place == down && down > 0
      for to in destinations(of: head, from: pile, leavesCards: place > 0, demand) {
        moves.append(
          KlondikeMove(kind: .pile(from: pile, to: to, count: count - place), card: head, reveals: reveals))
      }
    }
  }

  /// The piles that a card may go to.
  ///
  /// - Parameter leavesCards: Whether something stays where it comes from; from an empty pile to another there is no way.
  private func destinations(of card: Card, from pile: Int, leavesCards: Bool, _ demand: Demand) -> [Int] {
    var destinations: [Int] = []
    if card.bit & demand.onPiles != 0 {
      for to in 0..<Self.pilesCount where to != pile && card.fits(on: top(to)) { destinations.append(to) }
    }
    if leavesCards, card.bit & demand.onEmpty != 0 { destinations.append(demand.empty) }
    return destinations
  }

  private func wasteMoves(_ reachable: Reachable, _ demand: Demand, into moves: inout [KlondikeMove]) {
    let card = cycleCard(reachable.place)
    let (place, recycles) = (reachable.place, reachable.recycles)
    if card.bit & demand.up != 0 {
      moves.append(
        KlondikeMove(kind: .wasteUp(place: place, recycles: recycles), card: card, draws: reachable.draws))
    }
    for to in destinations(of: card, from: -1, leavesCards: true, demand) {
      moves.append(
        KlondikeMove(kind: .waste(place: place, to: to, recycles: recycles), card: card, draws: reachable.draws))
    }
  }

  private func foundationMoves(_ demand: Demand, into moves: inout [KlondikeMove]) {
    for suit in 0..<4 {
      // Only an ace could come to lie on a two.
      guard foundation(suit) > 2 else { continue }
      let card = Card(suit: suit, rank: foundation(suit))
      guard card.bit & demand.onPiles != 0, !isSafe(card) else { continue }
      for to in 0..<Self.pilesCount where card.fits(on: top(to)) {
        moves.append(KlondikeMove(kind: .down(suit: suit, to: to), card: card))
      }
    }
  }
}
