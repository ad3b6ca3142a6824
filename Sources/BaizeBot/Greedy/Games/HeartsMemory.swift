import BaizeTable

/// What a player of hearts remembers of a hand: which cards were played, and who has none of a suit.
struct HeartsMemory {
  /// The cards that were seen on the trick, as bits (``HeartsMemory/bit(_:)``).
  private(set) var played: UInt64 = 0
  /// By seat and suit, whether the seat did not follow.
  private(set) var voids = Array(repeating: [false, false, false, false], count: 5)
  /// The seats of the cards on the trick.
  private(set) var players: [Int] = []

  static func bit(_ card: PlayingCard) -> UInt64 { bit(suit: card.suit, rank: card.rank) }

  /// Returns the bit of a card: sixteen bits for each suit, by rank.
  static func bit(suit: Int, rank: Int) -> UInt64 { 1 << UInt64(suit * 16 + rank) }

  /// The bits of all cards of a suit.
  static func all(of suit: Int) -> UInt64 { 0x7FFC << UInt64(suit * 16) }

  mutating func observe(_ view: SeatView) {
    guard view.text("phase") == "play" else { return self = HeartsMemory() }
    let trick = view.cards(in: "trick")
    players = Self.players(of: trick, view)
    // A hand without passing may follow a count that was not seen.
    if trick.isEmpty, view.value("trick") == 1 { self = HeartsMemory() }
    for (card, player) in zip(trick, players) {
      played |= Self.bit(card)
      if card.suit != trick[0].suit { voids[player][trick[0].suit] = true }
    }
  }

  /// Returns the seats in the order in which they have played: the seat whose turn it is comes next, or it has won the trick.
  private static func players(of trick: [PlayingCard], _ view: SeatView) -> [Int] {
    guard let turn = view.state.seatToMove.map({ Int($0.rawValue) }), 1...4 ~= turn else { return [] }
    let next =
      trick.count == 4
      ? turn - (trick.indices.max { strength(trick[$0], trick) < strength(trick[$1], trick) } ?? 0) + 4 : turn
    return trick.indices.map { index in (next - trick.count + index - 1 + 8) % 4 + 1 }
  }

  private static func strength(_ card: PlayingCard, _ trick: [PlayingCard]) -> Int {
    card.suit == trick[0].suit ? card.rank : 0
  }
}
