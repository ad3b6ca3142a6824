import BaizeTable

/// A game of klondike as one who watches it knows it, in 185 bytes that a search can copy.
///
/// ```
/// 0 … 139          140 … 146   147 … 153    154 … 157     158     159     160      161 … 184
/// ┌────────────────┬───────────┬────────────┬─────────────┬───────┬───────┬────────┬───────────┐
/// │ 7 piles of 20  │ counts    │ face down  │ foundations │ cycle │ waste │ redeals│ the cycle │
/// │ (bottom first) │           │            │ (top rank)  │ count │ count │ 255: ∞ │           │
/// └────────────────┴───────────┴────────────┴─────────────┴───────┴───────┴────────┴───────────┘
/// ```
///
/// The cycle is the waste from its bottom and then the stock from its top (see ``StockMemory``). A card that is not known
/// is 0: face down, not yet seen in the stock, or turned over by a move that is only thought of.
struct KlondikeBoard: Sendable {
  var cells = [UInt8](repeating: 0, count: 185)

  static var pilesCount: Int { 7 }
  static var pileSize: Int { 20 }
  static var unlimited: UInt8 { 255 }
  private static var counts: Int { 140 }
  private static var downs: Int { 147 }
  private static var tops: Int { 154 }
  private static var cycleCountAt: Int { 158 }
  private static var wasteCountAt: Int { 159 }
  private static var redealsAt: Int { 160 }
  private static var cycle: Int { 161 }
  static var cycleMax: Int { 24 }

  // MARK: Reading

  func count(_ pile: Int) -> Int { Int(cells[Self.counts + pile]) }

  /// How many cards of a pile lie face down.
  func down(_ pile: Int) -> Int { Int(cells[Self.downs + pile]) }

  func card(_ pile: Int, _ place: Int) -> Card { Card(code: cells[pile * Self.pileSize + place]) }

  /// The last card of a pile; unknown for an empty one too.
  func top(_ pile: Int) -> Card {
    let count = count(pile)
    return count == 0 ? .unknown : card(pile, count - 1)
  }

  /// The highest rank on a foundation, 0 for an empty one.
  func foundation(_ suit: Int) -> Int { Int(cells[Self.tops + suit]) }

  var foundationCount: Int { foundation(0) + foundation(1) + foundation(2) + foundation(3) }
  var cycleCount: Int { Int(cells[Self.cycleCountAt]) }
  var wasteCount: Int { Int(cells[Self.wasteCountAt]) }
  var redeals: UInt8 { cells[Self.redealsAt] }
  func cycleCard(_ place: Int) -> Card { Card(code: cells[Self.cycle + place]) }

  var downCount: Int {
    var sum = 0
    for pile in 0..<Self.pilesCount { sum += down(pile) }
    return sum
  }

  /// Whether the next step up of the card's suit is the card.
  func isNext(_ card: Card) -> Bool { card.code != 0 && foundation(card.suit) + 1 == card.rank }

  /// Whether nothing could ever want to lie on the card, so that it may as well go up: both foundations of the other
  /// colour have all that could.
  func isSafe(_ card: Card) -> Bool {
    guard card.rank > 2 else { return true }
    let others = card.isRed ? (foundation(0), foundation(3)) : (foundation(1), foundation(2))
    return min(others.0, others.1) >= card.rank - 1
  }

  // MARK: Changing

  /// - Returns: `false` for what is no pile of klondike: the run that could grow on it would not fit.
  mutating func setPile(_ pile: Int, cards: [Card], down: Int) -> Bool {
    guard cards.count <= Self.pileSize, down <= cards.count else { return false }
    for (place, card) in cards.enumerated() {
      guard card == .unknown || place + card.rank <= Self.pileSize else { return false }
      cells[pile * Self.pileSize + place] = card.code
    }
    cells[Self.counts + pile] = UInt8(cards.count)
    cells[Self.downs + pile] = UInt8(down)
    return true
  }

  /// - Returns: `false` where no card has that rank.
  mutating func setFoundation(_ suit: Int, _ rank: Int) -> Bool {
    guard 0...13 ~= rank else { return false }
    cells[Self.tops + suit] = UInt8(rank)
    return true
  }

  /// - Returns: `false` where there are more cards than a deal leaves.
  mutating func setCycle(_ cards: [Card], wasteCount: Int, redeals: UInt8) -> Bool {
    guard cards.count <= Self.cycleMax, wasteCount <= cards.count else { return false }
    for (place, card) in cards.enumerated() { cells[Self.cycle + place] = card.code }
    cells[Self.cycleCountAt] = UInt8(cards.count)
    cells[Self.wasteCountAt] = UInt8(wasteCount)
    cells[Self.redealsAt] = redeals
    return true
  }

  /// Carries out a move that is legal here.
  mutating func make(_ move: KlondikeMove) {
    switch move.kind {
    case .pile(let from, let to, let count):
      let start = self.count(from) - count
      for offset in 0..<count { push(card(from, start + offset), on: to) }
      pop(from, count)
    case .up(let from):
      cells[Self.tops + top(from).suit] += 1
      pop(from, 1)
    case .wasteUp(let place, let recycles):
      cells[Self.tops + cycleCard(place).suit] += 1
      takeFromCycle(place, recycles)
    case .waste(let place, let to, let recycles):
      push(cycleCard(place), on: to)
      takeFromCycle(place, recycles)
    case .down(let suit, let to):
      push(Card(suit: suit, rank: foundation(suit)), on: to)
      cells[Self.tops + suit] -= 1
    }
  }

  private mutating func push(_ card: Card, on pile: Int) {
    let count = count(pile)
    cells[pile * Self.pileSize + count] = card.code
    cells[Self.counts + pile] = UInt8(count + 1)
  }

  /// Takes cards off a pile; a card that comes to lie open is turned over, and nobody knows yet what it is.
  private mutating func pop(_ pile: Int, _ count: Int) {
    let rest = self.count(pile) - count
    cells[Self.counts + pile] = UInt8(rest)
    if rest > 0, rest == down(pile) { cells[Self.downs + pile] = UInt8(rest - 1) }
  }

  private mutating func takeFromCycle(_ place: Int, _ recycles: Int) {
    let count = cycleCount
    for next in place + 1..<max(count, place + 1) { cells[Self.cycle + next - 1] = cells[Self.cycle + next] }
    cells[Self.cycleCountAt] = UInt8(count - 1)
    cells[Self.wasteCountAt] = UInt8(place)
    if redeals != Self.unlimited { cells[Self.redealsAt] = UInt8(max(0, Int(redeals) - recycles)) }
  }
}
