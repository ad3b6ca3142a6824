import BaizeTable

/// Speed: plays the card after which most others can follow, fills the hand, and asks for a new card when nothing goes.
struct SpeedScoring: GameScoring {
  func proposals(at view: SeatView) -> [TableOperation.Kind] {
    let hand = view.cards(in: "hand/\(view.number)")
    return view.moves(hand.map(\.item), to: view.collections("centre")) + view.actions(["draw", "flip"])
  }

  func worth(of candidate: Candidate, at view: SeatView) -> Double? {
    switch candidate.action {
    case "draw": 5
    case "flip": 1
    case nil: candidate.after.map { 10 + Double(Self.chain($0)) } ?? 10
    default: nil
    }
  }

  /// Returns how many cards of the hand can be played one after the other.
  private static func chain(_ view: SeatView) -> Int {
    let hand = view.cards(in: "hand/\(view.number)").map(\.rank)
    return chain(hand, on: view.collections("centre").compactMap { view.lastCard(in: $0)?.rank })
  }

  private static func chain(_ hand: [Int], on centre: [Int]) -> Int {
    var most = 0
    for (index, rank) in hand.enumerated() {
      for pile in centre.indices where [1, 12].contains(abs(centre[pile] - rank)) {
        var (rest, piles) = (hand, centre)
        rest.remove(at: index)
        piles[pile] = rank
        most = max(most, 1 + chain(rest, on: piles))
      }
    }
    return most
  }
}
