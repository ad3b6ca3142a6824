import BaizeTable

/// The games' rules without the rules engine: obvious and slow.
enum Oracle {
  /// Returns the reason why a move is not allowed; `nil` if it is.
  static func violation(
    to items: ItemList, _ destination: Destination, before: TableState, after: TableState
  ) -> String? {
    if let crowded = crowded(destination.collection, before, after) { return crowded }
    if items.contains(where: before.isPinned) { return "a pinned item was moved" }
    // What is put where it is becomes its author's, and nothing moves.
    if items.allSatisfy({ before.collection(of: $0) == destination.collection }),
      before.itemIDs(in: destination.collection) == after.itemIDs(in: destination.collection)
    {
      return nil
    }
    return before.type.name == "klondike" ? klondike(items, destination, before) : nil
  }

  /// Checks the capacity of a collection that grew.
  private static func crowded(_ handle: CollectionHandle, _ before: TableState, _ after: TableState) -> String? {
    guard let itemsMax = before.kind(of: handle).accept.capacity?.itemsMax, after.count(in: handle) > itemsMax,
      after.count(in: handle) > before.count(in: handle)
    else { return nil }
    return "\(after.count(in: handle)) items are where \(itemsMax) may"
  }

  // MARK: Klondike

  private struct Card {
    let rank: Int64
    let suit: String
    var isRed: Bool { suit == "hearts" || suit == "diamonds" }

    init?(_ item: ItemID, in state: TableState) {
      guard state.isFaceUp(item), case .number(let rank)? = state.face(of: item)?["rank"],
        case .text(let suit)? = state.face(of: item)?["suit"]
      else { return nil }
      self.rank = rank
      self.suit = suit
    }

    func goes(on below: Card) -> Bool { rank + 1 == below.rank && isRed != below.isRed }
  }

  private static func klondike(_ items: ItemList, _ destination: Destination, _ state: TableState) -> String? {
    let cards = items.compactMap { Card($0, in: state) }
    guard cards.count == items.count, let first = cards.first else { return "a face-down card was moved" }
    for (below, card) in zip(cards, cards.dropFirst()) where !card.goes(on: below) { return "the cards are not a run" }
    guard destination.position == .end else { return "a card was dropped between others" }
    guard let source = state.collection(of: items[0]),
      Array(state.itemIDs(in: source).suffix(items.count)) == Array(items)
    else { return "cards below others were moved" }
    let name = state.rules(of: destination.collection).id
    let top = state.lastItem(in: destination.collection).flatMap { Card($0, in: state) }
    if name.hasPrefix("pile/") {
      guard let top else { return first.rank == 13 ? nil : "an empty pile took a \(first.rank)" }
      return first.goes(on: top) ? nil : "a \(first.rank) went on a \(top.rank)"
    }
    guard name == "foundation/\(first.suit)" else { return "\(name) took a card of \(first.suit)" }
    guard cards.count == 1, first.rank == (top?.rank ?? 0) + 1 else { return "\(name) took a \(first.rank)" }
    return nil
  }
}
