import BaizeTable

/// Rummy: takes a discard that completes a meld, puts down what it can, and discards the card that fits the others least.
struct RummyScoring: GameScoring {
  func proposals(at view: SeatView) -> [TableOperation.Kind] {
    guard view.value("drawn") == view.number else { return draws(at: view) }
    let hand = view.cards(in: Self.hand(view))
    let discards = view.moves(hand.map(\.item), to: view.collections("discard"))
    return Self.melds(of: hand, at: view) + discards
  }

  func worth(of candidate: Candidate, at view: SeatView) -> Double? {
    if candidate.action == "draw" { return 1 }
    guard case .reorder(let difference, _) = candidate.kind, let drop = candidate.drop(at: view) else { return nil }
    switch view.kind(of: drop.to) {
    case "hand": return Self.completesMeld(drop.item, at: view) ? 20 : nil
    case "discard":
      guard let card = view.card(drop.item) else { return nil }
      return 20 - Self.use(of: card, among: view.cards(in: Self.hand(view))) + Double(card.rank) / 100
    default: return 50 + Double(difference.sources.count)
    }
  }

  private func draws(at view: SeatView) -> [TableOperation.Kind] {
    let discard = view.collections("discard").compactMap { view.lastCard(in: $0)?.item }
    return view.actions(["draw"]) + view.moves(discard, to: view.collections("hand"))
  }

  private static func hand(_ view: SeatView) -> String { "hand/\(view.number)" }

  // MARK: Melds

  /// Returns whether a discard would be part of a meld at once.
  private static func completesMeld(_ item: ItemID, at view: SeatView) -> Bool {
    guard let card = view.card(item) else { return false }
    let hand = view.cards(in: hand(view)) + [card]
    return melds(of: hand, at: view).contains { kind in
      if case .reorder(let difference, _) = kind { difference.sources.contains(item) } else { false }
    }
  }

  /// Returns sets, runs and additions to those on the table.
  private static func melds(of hand: [PlayingCard], at view: SeatView) -> [TableOperation.Kind] {
    sets(of: hand, at: view) + runs(of: hand, at: view)
  }

  private static func sets(of hand: [PlayingCard], at view: SeatView) -> [TableOperation.Kind] {
    (1...13).compactMap { rank in
      let cards = hand.filter { $0.rank == rank }
      guard let set = view.state.handle(of: "set/\(rank)"), !cards.isEmpty,
        cards.count + view.state.count(in: set) >= meldMin
      else { return nil }
      return drop(cards, at: .end(of: set))
    }
  }

  private static func runs(of hand: [PlayingCard], at view: SeatView) -> [TableOperation.Kind] {
    let runs = view.collections("run")
    let additions = runs.flatMap { run -> [TableOperation.Kind] in
      let cards = view.cards(in: run)
      guard let first = cards.first, let last = cards.last else { return [] }
      return hand.filter { $0.suit == first.suit }.compactMap { card in
        if card.rank == last.rank + 1 { return drop([card], at: .end(of: run)) }
        if card.rank + 1 == first.rank { return drop([card], at: .before(first.item, in: run)) }
        return nil
      }
    }
    guard let empty = runs.first(where: { view.state.count(in: $0) == 0 }) else { return additions }
    let new = hand.compactMap { first -> TableOperation.Kind? in
      var run = [first]
      while let next = hand.first(where: { $0.suit == first.suit && $0.rank == first.rank + run.count }) {
        run.append(next)
      }
      return run.count >= meldMin ? drop(run, at: .end(of: empty)) : nil
    }
    return additions + new
  }

  private static func drop(_ cards: [PlayingCard], at destination: Destination) -> TableOperation.Kind {
    .reorder(ReorderDifference(sources: cards.map(\.item), destination: destination), suggested: [])
  }

  private static let meldMin = 3

  // MARK: Discards

  /// Returns how well a card fits others of the hand: those of its rank, and neighbors in its suit.
  private static func use(of card: PlayingCard, among hand: [PlayingCard]) -> Double {
    hand.reduce(0) { sum, other in
      guard other.item != card.item else { return sum }
      if other.rank == card.rank { return sum + 2 }
      guard other.suit == card.suit else { return sum }
      switch abs(other.rank - card.rank) {
      case 1: return sum + 2
      case 2: return sum + 1
      default: return sum
      }
    }
  }
}
