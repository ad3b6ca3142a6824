import BaizeTable

/// Hearts: passes what is dangerous, ducks, gets rid of the queen of spades and of high cards while others take the trick, leads
/// what others must beat, and keeps a player that has every point so far from shooting the moon.
///
/// A play is worth the danger that leaves the hand with the card, less the points that the trick is expected to bring.
struct HeartsScoring: GameScoring {
  private var memory = HeartsMemory()

  mutating func observe(_ view: SeatView) { memory.observe(view) }

  /// The others pass their cards whenever they want.
  func isWaiting(at view: SeatView) -> Bool { view.text("phase") == "pass" || view.state.seats.count < 4 }

  func proposals(at view: SeatView) -> [TableOperation.Kind] {
    let hand = view.cards(in: "hand/\(view.number)")
    switch view.text("phase") {
    case "pass":
      let isComplete = view.count(in: "gift/\(view.number)") == 3
      return isComplete ? view.actions(["pass"]) : view.moves(hand.map(\.item), to: view.collections("gift"))
    case "play":
      let trick = view.cards(in: "trick")
      guard trick.count < 4 else { return view.actions(["take"]) }
      guard view.state.seatToMove == view.seat || trick.isEmpty else { return [] }
      // The rules refuse other cards. To try them would only take time.
      let following = hand.filter { $0.suit == trick.first?.suit }
      return view.moves((following.isEmpty ? hand : following).map(\.item), to: view.collections("trick"))
    default: return view.actions(["deal"])
    }
  }

  func worth(of candidate: Candidate, at view: SeatView) -> Double? {
    guard let drop = candidate.drop(at: view), let card = view.card(drop.item) else { return 1 }
    let hand = view.cards(in: "hand/\(view.number)")
    // Something must be played, whatever it costs.
    let worth = view.text("phase") == "pass" ? Self.passing(card, of: hand) : playing(card, of: hand, candidate, view)
    return max(0.001, 100 + worth)
  }

  // MARK: Passing

  private static func passing(_ card: PlayingCard, of hand: [PlayingCard]) -> Double {
    let suit = hand.filter { $0.suit == card.suit }
    let guards = suit.count { $0.rank < queen }
    switch (card.suit, card.rank) {
    // A long suit hides the queen; with few spades it falls to its own holder.
    case (spades, queen): return guards >= 4 ? 1 : 20
    case (spades, queen...): return guards >= 4 ? 2 : 12
    case (spades, _): return -5
    case (hearts, let rank): return Double(rank - 4)
    default:
      let low = suit.count { $0.rank <= 6 }
      return Double(card.rank - 5) + (suit.count <= 3 ? 3 : 0) - 1.5 * Double(low)
    }
  }

  // MARK: Playing

  private func playing(
    _ card: PlayingCard, of hand: [PlayingCard], _ candidate: Candidate, _ view: SeatView
  ) -> Double {
    guard let after = candidate.after else { return 0 }
    let unseen = Unseen(hand: hand, played: memory.played)
    let winning = after.value("winner") == view.number ? chanceToWin(card, unseen, view) : 0
    let points = Double(after.value("pot")) + expected(after: card, unseen, view)
    if isShooting(hand, unseen, view) { return winning * (points + 1) - (1 - winning) * 5 }
    var worth = danger(of: card, in: hand, unseen) - winning * points
    worth += leading(card, of: hand, unseen, view)
    worth += defending(winning, after, view)
    return worth
  }

  /// The seats that play after this one, in this trick.
  private func followers(_ view: SeatView) -> [Int] {
    let number = view.number
    let left = 3 - view.count(in: "trick")
    return left > 0 ? (1...left).map { (number - 1 + $0) % 4 + 1 } : []
  }

  /// Returns the chance that a card which is the best of the trick remains it.
  private func chanceToWin(_ card: PlayingCard, _ unseen: Unseen, _ view: SeatView) -> Double {
    let (above, below) = (Double(unseen.above(card)), Double(unseen.below(card)))
    guard above > 0 else { return 1 }
    return followers(view).reduce(1) { chance, seat in
      if memory.voids[seat][card.suit] { return chance }
      // A player who can stay below mostly does.
      return chance * (1 - 0.9 * above / (above + below) * (1 - Self.missing(Int(above + below))))
    }
  }

  /// Returns the points that the seats behind this one are expected to add to the trick.
  private func expected(after card: PlayingCard, _ unseen: Unseen, _ view: SeatView) -> Double {
    guard view.value("trick") > 1 else { return 0 }
    let led = view.cards(in: "trick").first?.suit ?? card.suit
    let queenIsOut = unseen.contains(suit: Self.spades, rank: Self.queen)
    let hearts = unseen.count(of: Self.hearts)
    return followers(view).reduce(0) { sum, seat in
      let missing = memory.voids[seat][led] ? 1 : Self.missing(unseen.count(of: led))
      let discard = led == Self.hearts ? 0 : (queenIsOut && led != Self.spades ? 4.5 : 0) + (hearts > 0 ? 0.9 : 0)
      var following = led == Self.hearts ? 1.0 : 0
      if led == Self.spades, queenIsOut, card.rank > Self.queen { following += 4.5 }
      return sum + missing * discard + (1 - missing) * following
    }
  }

  /// Returns the chance that a player has none of a suit of which `count` cards are unseen.
  private static func missing(_ count: Int) -> Double {
    (0..<count).reduce(1) { chance, _ in chance * 2 / 3 }
  }

  /// Returns the points that a card is likely to cost while it stays in the hand.
  private func danger(of card: PlayingCard, in hand: [PlayingCard], _ unseen: Unseen) -> Double {
    let (above, below) = (Double(unseen.above(card)), Double(unseen.below(card)))
    // The others have none of the suit: only its own lead can cost anything.
    guard above + below > 0 else { return card.suit == Self.hearts ? 1 : 0.5 }
    let suit = hand.filter { $0.suit == card.suit }
    let beats = below / (above + below)
    let lower = Double(suit.count { $0.rank < card.rank })
    if card.suit == Self.spades {
      if card.rank == Self.queen { return 11 }
      if unseen.contains(suit: Self.spades, rank: Self.queen), card.rank > Self.queen { return max(3, 8 - lower) }
      // A low spade guards the own queen.
      if suit.contains(where: { $0.rank == Self.queen }) { return -1 }
    }
    let weight = card.suit == Self.hearts ? 4.0 : 2.5
    return weight * beats / (1 + 0.3 * lower) + (suit.count <= 2 && card.suit != Self.hearts ? 0.5 : 0)
  }

  private func leading(
    _ card: PlayingCard, of hand: [PlayingCard], _ unseen: Unseen, _ view: SeatView
  ) -> Double {
    guard view.count(in: "trick") == 0 else { return 0 }
    // Low spades bring the queen out, of one who has no higher one.
    let hasHigh = hand.contains { $0.suit == Self.spades && $0.rank >= Self.queen }
    let flushes = card.suit == Self.spades && unseen.contains(suit: Self.spades, rank: Self.queen)
    return flushes && !hasHigh ? 2 : 0
  }

  // MARK: The moon

  /// Returns what a play is worth against a player who has every point so far.
  private func defending(_ winning: Double, _ after: SeatView, _ view: SeatView) -> Double {
    let points = (1...4).map { view.value("points/\($0)") }
    let taken = points.reduce(0, +)
    guard taken >= 6, let threat = points.firstIndex(of: taken).map({ $0 + 1 }), threat != view.number,
      after.value("pot") > 0
    else { return 0 }
    let fear = 2 + Double(taken) / 4
    if after.value("winner") == threat, followers(view).isEmpty { return -fear }
    return winning * fear
  }

  /// Returns whether the seat has every point so far, and a hand that takes nearly every trick.
  private func isShooting(_ hand: [PlayingCard], _ unseen: Unseen, _ view: SeatView) -> Bool {
    let points = (1...4).map { view.value("points/\($0)") }
    let own = points[view.number - 1]
    guard own >= 10, own == points.reduce(0, +) else { return false }
    return hand.count { unseen.above($0) > 0 } * 4 <= hand.count
  }

  fileprivate static let (hearts, spades, queen) = (2, 3, 12)
}

/// The cards of the others, which were not played yet.
private struct Unseen {
  private let cards: UInt64

  init(hand: [PlayingCard], played: UInt64) {
    let all = (0..<4).reduce(0) { $0 | HeartsMemory.all(of: $1) }
    cards = hand.reduce(all & ~played) { $0 & ~HeartsMemory.bit($1) }
  }

  func contains(suit: Int, rank: Int) -> Bool { cards & HeartsMemory.bit(suit: suit, rank: rank) != 0 }

  func count(of suit: Int) -> Int { (cards & HeartsMemory.all(of: suit)).nonzeroBitCount }

  func above(_ card: PlayingCard) -> Int { count(of: card.suit) - below(card) }

  func below(_ card: PlayingCard) -> Int {
    let suit = cards & HeartsMemory.all(of: card.suit)
    return (suit & (HeartsMemory.bit(card) - 1)).nonzeroBitCount
  }
}
