/// A step of a plan. Drawing is no step: a card in the cycle is played when enough was drawn for it to lie on top.
struct KlondikeMove: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// The last `count` cards of a pile onto another.
    case pile(from: Int, to: Int, count: Int)
    /// The last card of a pile onto its foundation.
    case up(from: Int)
    /// A card of the cycle onto its foundation, or onto a pile, after so many recycles.
    case wasteUp(place: Int, recycles: Int)
    case waste(place: Int, to: Int, recycles: Int)
    /// The top card of a foundation back onto a pile.
    case down(suit: Int, to: Int)
  }

  var kind: Kind
  /// The first card that moves.
  var card: Card
  /// How many draws come before it.
  var draws = 0
  /// Whether it turns a card over.
  var reveals = false
}
