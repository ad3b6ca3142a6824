import BaizeTable

/// Nerts: empties the nerts pile first, puts cards on foundations, clears work piles, and draws when nothing else is left.
struct NertsScoring: GameScoring {
  /// The number of cards on foundations and nerts piles that the draws are counted from.
  private var progress = 0
  private var draws = 0
  /// The number of draws since all seats are stuck.
  private var lastDraws = 0

  mutating func observe(_ view: SeatView) {
    let progress = view.state.handles.reduce(0) { sum, handle in
      switch view.kind(of: handle) {
      case "foundation": sum + 100 * view.state.count(in: handle)
      case "nerts", "work": sum + view.state.count(in: handle)
      default: sum
      }
    }
    if progress != self.progress { (self.progress, draws, lastDraws) = (progress, 0, 0) }
  }

  mutating func chose(_ kind: TableOperation.Kind, at view: SeatView) {
    guard case .perform("draw", _, _) = kind else { return }
    if Self.allAreStuck(view) { lastDraws += 1 } else { draws += 1 }
  }

  /// The others may be able to play.
  func isWaiting(at view: SeatView) -> Bool { !Self.allAreStuck(view) }

  func proposals(at view: SeatView) -> [TableOperation.Kind] {
    let (foundations, work) = (view.collections("foundation"), view.collections("work"))
    let tops = (view.collections("nerts") + view.collections("waste")).compactMap { view.lastCard(in: $0)?.item }
    let ends = work.compactMap { view.lastCard(in: $0)?.item }
    let runs = work.flatMap { from in
      let cards = view.cards(in: from).map(\.item)
      return work.filter { $0 != from }.flatMap { to in
        cards.indices.map { start in
          TableOperation.Kind.reorder(
            ReorderDifference(sources: cards[start...], destination: .end(of: to)), suggested: [])
        }
      }
    }
    return view.moves(tops + ends, to: foundations) + view.moves(tops, to: work) + runs
      + view.actions(["draw", "stuck"])
  }

  func worth(of candidate: Candidate, at view: SeatView) -> Double? {
    if let action = candidate.action { return worth(of: action, at: view) }
    guard let drop = candidate.drop(at: view) else { return nil }
    let isEmpty = view.state.count(in: drop.to) == 0
    switch (view.kind(of: drop.from), view.kind(of: drop.to)) {
    case ("nerts", "foundation"): return 100
    case ("nerts", _): return isEmpty ? 50 : 60
    case (_, "foundation"): return 40
    // The empty piles are for the nerts pile.
    case ("waste", _): return isEmpty ? nil : 8
    case ("work", _): return isEmpty ? nil : candidate.after.flatMap { worth(ofRunTo: $0, from: drop.from, at: view) }
    default: return nil
    }
  }

  /// Returns the worth of a run's move to another work pile: it must make room, or free a card that can be put away.
  private func worth(ofRunTo after: SeatView, from source: CollectionHandle, at view: SeatView) -> Double? {
    if after.state.count(in: source) == 0 { return 20 }
    guard let top = after.lastCard(in: source) else { return nil }
    if after.collections("foundation").contains(where: { Self.fits(top, onFoundation: $0, after) }) { return 15 }
    let nerts = after.collections("nerts").compactMap { after.lastCard(in: $0) }
    return nerts.contains { $0.isRed != top.isRed && $0.rank + 1 == top.rank } ? 25 : nil
  }

  private static func fits(_ card: PlayingCard, onFoundation foundation: CollectionHandle, _ view: SeatView) -> Bool {
    guard let top = view.lastCard(in: foundation) else { return card.rank == 1 }
    return top.suit == card.suit && top.rank + 1 == card.rank
  }

  private func worth(of action: String, at view: SeatView) -> Double? {
    let cards = view.count(in: "stock/\(view.number)") + view.count(in: "waste/\(view.number)")
    if Self.allAreStuck(view) {
      // Each draw deals one card now, and each card comes up once.
      return action == "draw" && lastDraws <= cards + 2 ? 1 : nil
    }
    let pass = cards / max(1, view.option("draw") ?? 3) + 2
    // Two passes: a card that is put away changes which ones come up.
    return action == "draw" ? (draws <= 2 * pass ? 1 : nil) : 0.5
  }

  private static func allAreStuck(_ view: SeatView) -> Bool {
    view.state.seats.allSatisfy { view.value("stuck/\($0.number.rawValue)") == 1 }
  }
}
