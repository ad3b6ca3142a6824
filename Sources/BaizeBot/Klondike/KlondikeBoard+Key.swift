import BaizeTable

/// What tells one state of a game from another, whatever ids its cards have: who lies on what, summed over all cards, so
/// that a move changes the key by the few terms of the cards it parts and joins, and so that piles that have changed
/// places give the same key.
extension KlondikeBoard {
  private static var bottom: UInt8 { 53 }
  private static var onFoundation: UInt8 { 54 }
  private static var faceDown: UInt8 { 64 }

  private static func term(_ card: UInt8, on other: UInt8) -> UInt64 {
    SplitMix64.mix(UInt64(card) << 8 | UInt64(other) | 1 << 20)
  }

  /// The key without where the stock stands, computed afresh.
  var key: UInt64 {
    var key: UInt64 = 0
    for pile in 0..<Self.pilesCount {
      for place in down(pile)..<max(down(pile), count(pile)) {
        key &+= Self.term(card(pile, place).code, on: support(pile, place))
      }
    }
    for suit in 0..<4 {
      for rank in stride(from: 1, through: foundation(suit), by: 1) {
        key &+= Self.term(Card(suit: suit, rank: rank).code, on: Self.onFoundation)
      }
    }
    return key
  }

  /// The key that a move leads to from here, where the key is `key`.
  func key(_ key: UInt64, after move: KlondikeMove) -> UInt64 {
    switch move.kind {
    case .pile(let from, let to, let count):
      let place = self.count(from) - count
      return lifting(key, move.card, from, place) &+ Self.term(move.card.code, on: support(to, self.count(to)))
    case .up(let from):
      return lifting(key, move.card, from, count(from) - 1) &+ Self.term(move.card.code, on: Self.onFoundation)
    case .wasteUp:
      return key &+ Self.term(move.card.code, on: Self.onFoundation)
    case .waste(_, let to, _):
      return key &+ Self.term(move.card.code, on: support(to, count(to)))
    case .down(_, let to):
      return key &- Self.term(move.card.code, on: Self.onFoundation)
        &+ Self.term(move.card.code, on: support(to, count(to)))
    }
  }

  /// What tells states apart where not every card of the stock can be had from everywhere.
  func stockKey(after move: KlondikeMove) -> UInt64 {
    switch move.kind {
    case .pile, .up, .down: return Self.stockKey(wasteCount, redeals)
    case .wasteUp(let place, let recycles), .waste(let place, _, let recycles):
      let left = redeals == Self.unlimited ? redeals : UInt8(max(0, Int(redeals) - recycles))
      return Self.stockKey(place, left)
    }
  }

  var stockKey: UInt64 { Self.stockKey(wasteCount, redeals) }

  private static func stockKey(_ wasteCount: Int, _ redeals: UInt8) -> UInt64 {
    SplitMix64.mix(UInt64(wasteCount) << 8 | UInt64(redeals) | 1 << 40)
  }

  /// What the card at a place of a pile lies on.
  private func support(_ pile: Int, _ place: Int) -> UInt8 {
    if place == 0 { return Self.bottom }
    return place == down(pile) ? Self.faceDown + UInt8(place) : card(pile, place - 1).code
  }

  private func lifting(_ key: UInt64, _ card: Card, _ pile: Int, _ place: Int) -> UInt64 {
    let key = key &- Self.term(card.code, on: support(pile, place))
    guard place == down(pile), place > 0 else { return key }
    return key &+ Self.term(0, on: place == 1 ? Self.bottom : Self.faceDown + UInt8(place - 1))
  }
}
