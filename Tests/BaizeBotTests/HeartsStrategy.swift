import BaizeBot
import BaizeSync
import BaizeTable

/// Plays hearts: any legal card, any three cards to pass. It decides by its own view alone.
struct HeartsStrategy: Strategy {
  mutating func next(at replica: Replica, random: inout RandomSource) -> Decision {
    guard replica.state.status == TableState.open else { return .done(.over(replica.state.status)) }
    guard replica.pending.isEmpty, replica.state.seats.count == 4 else { return .wait }
    guard let kind = Self.choice(at: replica.state, by: replica.author.seat, &random) else { return .wait }
    return .submit(kind)
  }

  mutating func received(_ answer: Answer, to kind: TableOperation.Kind) {}

  /// Returns what `seat` does next; `nil` if it waits for others.
  static func choice(
    at state: TableState, by seat: SeatNumber, _ random: inout RandomSource
  ) -> TableOperation.Kind? {
    switch state.variable("phase") {
    case .text("pass"):
      if state.count(in: handle("gift/\(seat.rawValue)", state)) < 3 {
        let hand = state.itemIDs(in: handle("hand/\(seat.rawValue)", state))
        let card = hand[Int(random.next(below: UInt64(hand.count)))]
        return drop(card, on: "gift/\(seat.rawValue)", state)
      }
      let passed = (1...4).reduce(0) { $0 + state.count(in: handle("gift/\($1)", state)) }
      return passed == 12 ? .perform(action: "pass", items: [], nil) : nil
    case .text("play"):
      let isTurn = state.seatToMove == seat
      if state.count(in: handle("trick", state)) == 4 { return isTurn ? .perform(action: "take", items: [], nil) : nil }
      let cards = legal(at: state, by: seat)
      return cards.isEmpty ? nil : drop(cards[Int(random.next(below: UInt64(cards.count)))], on: "trick", state)
    case .text("count"): return .perform(action: "deal", items: [], nil)
    case .text, .number, nil: return nil
    }
  }

  /// Returns the cards that the rules allow `seat` to play.
  static func legal(at state: TableState, by seat: SeatNumber) -> [ItemID] {
    state.itemIDs(in: handle("hand/\(seat.rawValue)", state)).filter { card in
      let move = ReorderDifference(sources: .one(card), destination: .end(of: handle("trick", state)))
      return state.dropConfiguration(for: move, by: seat).operation == .move
    }
  }

  static func drop(_ card: ItemID, on collection: String, _ state: TableState) -> TableOperation.Kind {
    .reorder(
      ReorderDifference(sources: .one(card), destination: .end(of: handle(collection, state))), suggested: [])
  }

  static func handle(_ id: String, _ state: TableState) -> CollectionHandle {
    state.type.handle(of: id) ?? CollectionHandle(rawValue: 0)
  }
}
