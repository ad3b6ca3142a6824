import BaizeTable

/// Invariants of a klondike table that hold after every operation.
enum KlondikeInvariants {
  static let suits = ["clubs", "diamonds", "hearts", "spades"]

  /// Returns the first violated invariant of the daemon's state; `nil` if all hold.
  static func broken(_ state: TableState) -> String? {
    var seen: Set<Int> = []
    for (position, rules) in state.type.collections.enumerated() {
      let handle = CollectionHandle(rawValue: UInt32(position + 1))
      let items = state.items(in: handle, from: 0, limit: 53)
      let cards = items.compactMap { card($0.face) }
      guard cards.count == items.count else { return "\(rules.id) holds an item that is not a card" }
      for card in cards {
        guard seen.insert(card.suit * 13 + card.rank).inserted else { return "there are two \(card) " }
      }
      let up = items.map { $0.visibility == .everyone }
      let complaint: String? =
        switch state.type.kinds[rules.kind].name {
        case "pile": brokenPile(cards, up)
        case "stock": up.contains(true) ? "a card is face up" : nil
        case "waste": up.contains(false) ? "a card is face down" : nil
        case "foundation": brokenFoundation(cards, up, rules)
        default: "klondike has no such collection"
        }
      if let complaint { return "\(rules.id): \(complaint)" }
    }
    return seen.count == 52 ? nil : "there are \(seen.count) cards"
  }

  private static func card(_ face: Face) -> (suit: Int, rank: Int)? {
    guard case .number(let rank)? = face["rank"], case .text(let name)? = face["suit"],
      let suit = suits.firstIndex(of: name)
    else { return nil }
    return (suit, Int(rank))
  }

  private static func brokenPile(_ cards: [(suit: Int, rank: Int)], _ up: [Bool]) -> String? {
    guard let top = up.last else { return nil }
    guard top else { return "the top card is face down" }
    for index in cards.indices.dropFirst() where up[index - 1] {
      guard up[index] else { return "a card is face down on one that is up" }
      let (card, below) = (cards[index], cards[index - 1])
      let isAlternating = (card.suit == 1 || card.suit == 2) != (below.suit == 1 || below.suit == 2)
      guard isAlternating, card.rank + 1 == below.rank else { return "\(card) is on \(below)" }
    }
    return nil
  }

  private static func brokenFoundation(
    _ cards: [(suit: Int, rank: Int)], _ up: [Bool], _ rules: CollectionRules
  ) -> String? {
    guard !up.contains(false) else { return "a card is face down" }
    for (index, card) in cards.enumerated() {
      guard rules.attributes.contains(Attribute("suit", suits[card.suit])) else { return "\(card) is another suit's" }
      guard card.rank == index + 1 else { return "\(card) is at index \(index)" }
    }
    return nil
  }
}
