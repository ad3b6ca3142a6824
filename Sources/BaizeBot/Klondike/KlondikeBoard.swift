import BaizeTable

/// A game of klondike as its player knows it, in 185 bytes that a search can copy.
///
/// ```
/// 0 … 139          140 … 146   147 … 153    154 … 157     158     159     160      161 … 184
/// ┌────────────────┬───────────┬────────────┬─────────────┬───────┬───────┬────────┬───────────┐
/// │ 7 piles of 20  │ counts    │ face down  │ foundations │ cycle │ waste │ redeals│ the cycle │
/// │ (bottom first) │           │            │ (top rank)  │ count │ count │ 255: ∞ │           │
/// └────────────────┴───────────┴────────────┴─────────────┴───────┴───────┴────────┴───────────┘
/// ```
///
/// The cycle is the waste from its bottom, then the stock from its top (see ``StockMemory``). A card is 0 if it is unknown:
/// face down, not yet seen in the stock, or turned over only in the search.
struct KlondikeBoard: Sendable {
  var cells = [UInt8](repeating: 0, count: 185)

  static var pilesCount: Int { 7 }
  static var pileSize: Int { 20 }
  static var unlimited: UInt8 { 255 }
  private static var counts: Int { 140 }
  private static var faceDownCounts: Int { 147 }
  private static var foundations: Int { 154 }
  private static var cycleCountAt: Int { 158 }
  private static var wasteCountAt: Int { 159 }
  private static var redealsAt: Int { 160 }
  private static var cycle: Int { 161 }
  static var cycleMax: Int { 24 }

  // MARK: Reading

  func count(_ pile: Int) -> Int { Int(cells[Self.counts + pile]) }

  /// Returns the number of face-down cards in a pile.
  func faceDownCount(_ pile: Int) -> Int { Int(cells[Self.faceDownCounts + pile]) }

  func card(_ pile: Int, _ index: Int) -> Card { Card(code: cells[pile * Self.pileSize + index]) }

  /// Returns the last card of a pile; unknown if the pile is empty.
  func top(_ pile: Int) -> Card {
    let count = count(pile)
    return count == 0 ? .unknown : card(pile, count - 1)
  }

  /// Returns the highest rank on a foundation; 0 if it is empty.
  func foundation(_ suit: Int) -> Int { Int(cells[Self.foundations + suit]) }

  var foundationCount: Int { foundation(0) + foundation(1) + foundation(2) + foundation(3) }
  var cycleCount: Int { Int(cells[Self.cycleCountAt]) }
  var wasteCount: Int { Int(cells[Self.wasteCountAt]) }
  var redeals: UInt8 { cells[Self.redealsAt] }
  func cycleCard(_ index: Int) -> Card { Card(code: cells[Self.cycle + index]) }

  var faceDownTotal: Int {
    var sum = 0
    for pile in 0..<Self.pilesCount { sum += faceDownCount(pile) }
    return sum
  }

  /// Returns whether the card is the next one for its foundation.
  func isNext(_ card: Card) -> Bool { card.code != 0 && foundation(card.suit) + 1 == card.rank }

  /// Returns whether the card is of no use on a pile: all lower cards of the other colour are on their foundations.
  func isSafe(_ card: Card) -> Bool {
    guard card.rank > 2 else { return true }
    let others = card.isRed ? (foundation(0), foundation(3)) : (foundation(1), foundation(2))
    return min(others.0, others.1) >= card.rank - 1
  }

  // MARK: Mutations

  /// - Returns: `false` if the run that could grow on the pile would not fit.
  mutating func setPile(_ pile: Int, cards: [Card], faceDown: Int) -> Bool {
    guard cards.count <= Self.pileSize, faceDown <= cards.count else { return false }
    for (index, card) in cards.enumerated() {
      guard card == .unknown || index + card.rank <= Self.pileSize else { return false }
      cells[pile * Self.pileSize + index] = card.code
    }
    cells[Self.counts + pile] = UInt8(cards.count)
    cells[Self.faceDownCounts + pile] = UInt8(faceDown)
    return true
  }

  /// - Returns: `false` if there is no such rank.
  mutating func setFoundation(_ suit: Int, _ rank: Int) -> Bool {
    guard 0...13 ~= rank else { return false }
    cells[Self.foundations + suit] = UInt8(rank)
    return true
  }

  /// - Returns: `false` if there are more cards than a deal leaves.
  mutating func setCycle(_ cards: [Card], wasteCount: Int, redeals: UInt8) -> Bool {
    guard cards.count <= Self.cycleMax, wasteCount <= cards.count else { return false }
    for (index, card) in cards.enumerated() { cells[Self.cycle + index] = card.code }
    cells[Self.cycleCountAt] = UInt8(cards.count)
    cells[Self.wasteCountAt] = UInt8(wasteCount)
    cells[Self.redealsAt] = redeals
    return true
  }

  /// Makes a legal move.
  mutating func make(_ move: KlondikeMove) {
    switch move.kind {
    case .pileToPile(let from, let to, let count):
      let start = self.count(from) - count
      for offset in 0..<count { push(card(from, start + offset), on: to) }
      pop(from, count)
    case .pileToFoundation(let from):
      cells[Self.foundations + top(from).suit] += 1
      pop(from, 1)
    case .wasteToFoundation(let index, let recycles):
      cells[Self.foundations + cycleCard(index).suit] += 1
      takeFromCycle(index, recycles)
    case .wasteToPile(let index, let to, let recycles):
      push(cycleCard(index), on: to)
      takeFromCycle(index, recycles)
    case .foundationToPile(let suit, let to):
      push(Card(suit: suit, rank: foundation(suit)), on: to)
      cells[Self.foundations + suit] -= 1
    }
  }

  private mutating func push(_ card: Card, on pile: Int) {
    let count = count(pile)
    cells[pile * Self.pileSize + count] = card.code
    cells[Self.counts + pile] = UInt8(count + 1)
  }

  /// Removes cards from a pile and turns the next card over, which is then unknown.
  private mutating func pop(_ pile: Int, _ count: Int) {
    let rest = self.count(pile) - count
    cells[Self.counts + pile] = UInt8(rest)
    if rest > 0, rest == faceDownCount(pile) { cells[Self.faceDownCounts + pile] = UInt8(rest - 1) }
  }

  private mutating func takeFromCycle(_ index: Int, _ recycles: Int) {
    let count = cycleCount
    for next in index + 1..<max(count, index + 1) { cells[Self.cycle + next - 1] = cells[Self.cycle + next] }
    cells[Self.cycleCountAt] = UInt8(count - 1)
    cells[Self.wasteCountAt] = UInt8(index)
    if redeals != Self.unlimited { cells[Self.redealsAt] = UInt8(max(0, Int(redeals) - recycles)) }
  }
}
