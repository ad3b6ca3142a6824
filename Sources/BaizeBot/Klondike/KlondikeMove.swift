/// A move in a plan. Draws are not moves: a card of the cycle is played once enough draws have brought it to the top.
struct KlondikeMove: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// Moves the last `count` cards of a pile to another pile.
    case pileToPile(from: Int, to: Int, count: Int)
    /// Moves the last card of a pile to its foundation.
    case pileToFoundation(from: Int)
    /// Moves a card of the cycle to its foundation, after a number of recycles.
    case wasteToFoundation(index: Int, recycles: Int)
    /// Moves a card of the cycle to a pile, after a number of recycles.
    case wasteToPile(index: Int, to: Int, recycles: Int)
    /// Moves the top card of a foundation to a pile.
    case foundationToPile(suit: Int, to: Int)
  }

  var kind: Kind
  /// The first card of the move.
  var card: Card
  /// The number of draws before the move.
  var draws = 0
  /// Whether the move turns a card over.
  var reveals = false
}
