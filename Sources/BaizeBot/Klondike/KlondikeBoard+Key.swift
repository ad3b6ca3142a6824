import BaizeTable

// A hash of the board that ignores item ids and the order of the piles: the sum, over all cards, of a term for the card and
// the card below it. A move changes only the terms of the cards that it separates and joins.
extension KlondikeBoard {
  private static var bottom: UInt8 { 53 }
  private static var onFoundation: UInt8 { 54 }
  private static var faceDown: UInt8 { 64 }

  private static func term(_ card: UInt8, on other: UInt8) -> UInt64 {
    SplitMix64.mix(UInt64(card) << 8 | UInt64(other) | 1 << 20)
  }

  /// The key, without the state of the stock.
  var key: UInt64 {
    var key: UInt64 = 0
    for pile in 0..<Self.pilesCount {
      for index in faceDownCount(pile)..<max(faceDownCount(pile), count(pile)) {
        key &+= Self.term(card(pile, index).code, on: support(pile, index))
      }
    }
    for suit in 0..<4 {
      for rank in stride(from: 1, through: foundation(suit), by: 1) {
        key &+= Self.term(Card(suit: suit, rank: rank).code, on: Self.onFoundation)
      }
    }
    return key
  }

  /// Returns the key after a move, given the key before it.
  func key(_ key: UInt64, after move: KlondikeMove) -> UInt64 {
    switch move.kind {
    case .pileToPile(let from, let to, let count):
      let index = self.count(from) - count
      return lifting(key, move.card, from, index) &+ Self.term(move.card.code, on: support(to, self.count(to)))
    case .pileToFoundation(let from):
      return lifting(key, move.card, from, count(from) - 1) &+ Self.term(move.card.code, on: Self.onFoundation)
    case .wasteToFoundation:
      return key &+ Self.term(move.card.code, on: Self.onFoundation)
    case .wasteToPile(_, let to, _):
      return key &+ Self.term(move.card.code, on: support(to, count(to)))
    case .foundationToPile(_, let to):
      return key &- Self.term(move.card.code, on: Self.onFoundation)
        &+ Self.term(move.card.code, on: support(to, count(to)))
    }
  }

  /// Returns the part of the key for the state of the stock, which matters where not every card can always be reached.
  func stockKey(after move: KlondikeMove) -> UInt64 {
    switch move.kind {
    case .pileToPile, .pileToFoundation, .foundationToPile: return Self.stockKey(wasteCount, redeals)
    case .wasteToFoundation(let index, let recycles), .wasteToPile(let index, _, let recycles):
      let left = redeals == Self.unlimited ? redeals : UInt8(max(0, Int(redeals) - recycles))
      return Self.stockKey(index, left)
    }
  }

  var stockKey: UInt64 { Self.stockKey(wasteCount, redeals) }

  private static func stockKey(_ wasteCount: Int, _ redeals: UInt8) -> UInt64 {
    SplitMix64.mix(UInt64(wasteCount) << 8 | UInt64(redeals) | 1 << 40)
  }

  /// Returns the code of the card below the one at an index of a pile.
  private func support(_ pile: Int, _ index: Int) -> UInt8 {
    if index == 0 { return Self.bottom }
    return index == faceDownCount(pile) ? Self.faceDown + UInt8(index) : card(pile, index - 1).code
  }

  private func lifting(_ key: UInt64, _ card: Card, _ pile: Int, _ index: Int) -> UInt64 {
    let key = key &- Self.term(card.code, on: support(pile, index))
    guard index == faceDownCount(pile), index > 0 else { return key }
    return key &+ Self.term(0, on: index == 1 ? Self.bottom : Self.faceDown + UInt8(index - 1))
  }
}
