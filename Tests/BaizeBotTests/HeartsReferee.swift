import BaizeTable

/// An independent referee of hearts: the rules of a trick as a book states them, in a few lines.
enum HeartsReferee {
  struct Card: Hashable {
    let suit: String
    let rank: Int64

    var points: Int64 { suit == "hearts" ? 1 : suit == "spades" && rank == 12 ? 13 : 0 }
  }

  /// Returns the cards of a hand that may be played.
  static func legal(_ hand: [Card], trick: [Card], isFirst: Bool, heartsAreBroken: Bool) -> Set<Card> {
    if isFirst, trick.isEmpty { return Set(hand.filter { $0 == Card(suit: "clubs", rank: 2) }) }
    let following = hand.filter { $0.suit == trick.first?.suit }
    if !following.isEmpty { return Set(following) }
    let clean = hand.filter { trick.isEmpty ? heartsAreBroken || $0.suit != "hearts" : !isFirst || $0.points == 0 }
    return Set(clean.isEmpty ? hand : clean)
  }

  /// Returns the position in the trick of the card that takes it.
  static func winner(_ trick: [Card]) -> Int {
    trick.indices.max { score(trick[$0], trick) < score(trick[$1], trick) } ?? 0
  }

  private static func score(_ card: Card, _ trick: [Card]) -> Int64 { card.suit == trick[0].suit ? card.rank : 0 }

  /// Returns what each player's score rises by, from the points that each took.
  static func scored(_ points: [Int64]) -> [Int64] {
    guard points.contains(26) else { return points }
    return points.map { 26 - $0 }
  }
}
