import BaizeTable

/// A team's board: a workflow whose cards are estimated before work on them begins.
struct BoardScoring: GameScoring {
  private var workflow = WorkflowScoring()

  mutating func chose(_ kind: TableOperation.Kind, at view: SeatView) { workflow.chose(kind, at: view) }

  func proposals(at view: SeatView) -> [TableOperation.Kind] {
    let cards = view.state.handle(of: "todo").map { view.state.items(in: $0, from: 0, limit: Self.cardsMax) } ?? []
    let estimates = cards.filter { $0.face["estimate"] == nil }.map { card in
      TableOperation.Kind.update(card.id, attributes: [Attribute("estimate", 1)], representations: [])
    }
    return workflow.proposals(at: view) + estimates
  }

  func worth(of candidate: Candidate, at view: SeatView) -> Double? {
    if case .update = candidate.kind { return 0.9 }
    return workflow.worth(of: candidate, at: view)
  }

  private static let cardsMax = 8
}
