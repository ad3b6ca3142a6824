/// The moves that are worth a thought. The table's rules have the last word on each; what these leave out never helps.
extension KlondikeBoard {
  /// A card of the cycle that drawing brings to the top of the waste.
  struct Reachable {
    var place: Int
    var draws: Int
    var recycles: Int
  }

  /// The known cards that drawing brings up, nearest first.
  func reachableCards(drawCount: Int) -> [Reachable] {
    var reachable: [Reachable] = []
    let total = cycleCount
    guard total > 0 else { return reachable }
    func append(_ place: Int, draws: Int, recycles: Int = 0) {
      guard cycleCard(place) != .unknown else { return }
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
    for pile in 0..<Self.pilesCount {
      let top = top(pile)
      if isNext(top), isSafe(top) {
        moves.append(KlondikeMove(kind: .up(from: pile), card: top, reveals: isLastUp(pile)))
        return
      }
    }
    let empty = (0..<Self.pilesCount).first { count($0) == 0 } ?? -1
    for pile in 0..<Self.pilesCount where count(pile) > 0 {
      pileMoves(from: pile, empty: empty, layout, into: &moves)
    }
    for reachable in reachableCards(drawCount: layout.drawCount) {
      wasteMoves(reachable, empty: empty, layout, into: &moves)
    }
    if layout.liftsFoundations { foundationMoves(into: &moves) }
  }

  /// Whether a pile has one card face up, on others that are face down.
  private func isLastUp(_ pile: Int) -> Bool { down(pile) > 0 && count(pile) == down(pile) + 1 }

  private func pileMoves(from pile: Int, empty: Int, _ layout: KlondikeLayout, into moves: inout [KlondikeMove]) {
    let top = top(pile)
    guard top != .unknown else { return }
    if isNext(top) { moves.append(KlondikeMove(kind: .up(from: pile), card: top, reveals: isLastUp(pile))) }
    let (count, down) = (count(pile), down(pile))
    for place in down..<count {
      let head = card(pile, place)
      guard head != .unknown else { continue }
      // A part of a run moves only to set free a card that can go up at once: whatever else the card beneath is wanted
      // for could as well be had where the part would go.
      guard place == down || isNext(card(pile, place - 1)) else { continue }
      let reveals = place == down && down > 0
      for to in 0..<Self.pilesCount where to != pile && head.fits(on: self.top(to)) {
        moves.append(
          KlondikeMove(kind: .pile(from: pile, to: to, count: count - place), card: head, reveals: reveals))
      }
      if empty >= 0, place > 0, head.rank == 13 || layout.takesAnyOnEmpty {
        moves.append(
          KlondikeMove(kind: .pile(from: pile, to: empty, count: count - place), card: head, reveals: reveals))
      }
    }
  }

  private func wasteMoves(
    _ reachable: Reachable, empty: Int, _ layout: KlondikeLayout, into moves: inout [KlondikeMove]
  ) {
    let card = cycleCard(reachable.place)
    let (place, recycles) = (reachable.place, reachable.recycles)
    if isNext(card) {
      moves.append(
        KlondikeMove(kind: .wasteUp(place: place, recycles: recycles), card: card, draws: reachable.draws))
    }
    for to in 0..<Self.pilesCount where card.fits(on: top(to)) {
      moves.append(
        KlondikeMove(kind: .waste(place: place, to: to, recycles: recycles), card: card, draws: reachable.draws))
    }
    if empty >= 0, card.rank == 13 || layout.takesAnyOnEmpty {
      moves.append(
        KlondikeMove(kind: .waste(place: place, to: empty, recycles: recycles), card: card, draws: reachable.draws))
    }
  }

  private func foundationMoves(into moves: inout [KlondikeMove]) {
    for suit in 0..<4 {
      // Only an ace could come to lie on a two.
      guard foundation(suit) > 2 else { continue }
      let card = Card(suit: suit, rank: foundation(suit))
      guard !isSafe(card) else { continue }
      for to in 0..<Self.pilesCount where card.fits(on: top(to)) {
        moves.append(KlondikeMove(kind: .down(suit: suit, to: to), card: card))
      }
    }
  }
}
