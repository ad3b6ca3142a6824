/// G9, G11: what the rules of collections do when items have moved, and what a replica can foresee of it.
extension Table {
  /// What follows when items move: what the rules of the collections say that items leave, then what the one says that they
  /// enter. Within a collection nothing does.
  ///
  /// - Throws: The refusal of a move that a step does not allow, or that a replica cannot foresee.
  func consequences(
    of move: Plan.Move, _ request: Request
  ) throws(Refusal) -> [Plan.Consequence] {
    guard state.type.hasConsequences else { return [] }
    let destination = Int(move.collection)
    let sources = state.collections(of: move.slots)
    guard sources.contains(where: { $0 != destination }) else { return [] }
    var context = RuleContext(destination: destination, sourcesCount: move.slots.count, seat: request.seat)
    var consequences: [Plan.Consequence] = []
    for source in sources where source != destination {
      context.source = source
      consequences += state.kind(of: source).lift.then.map { Plan.Consequence(step: $0, context: context) }
    }
    let accept = state.kind(of: destination).accept
    consequences += accept.then.map { Plan.Consequence(step: $0, context: context) }
    if accept.passesTurn { consequences.append(Plan.Consequence(step: .passTurn, context: context)) }
    for consequence in consequences { try state.checkEnabled(consequence.step, request.seat) }
    if role == .replica {
      try checkPredictable(consequences.map(\.step), request, movedCount: move.slots.count)
    }
    return consequences
  }

  /// Refuses, in a replica, a move whose outcome depends on items that its viewer may not see.
  func checkPredictable(_ move: Plan.Move, _ request: Request) throws(Refusal) {
    guard role == .replica, move.anchor >= 0, !state.isVisible(Int(move.collection), to: request.seat),
      state.concernsSecrets(move.slots, to: Int(move.collection))
    else { return }
    throw Refusal.unpredictable
  }

  /// Refuses, in a replica, steps that it cannot foresee.
  ///
  /// - Parameter movedCount: The number of items that move before the first step.
  func checkPredictable(
    _ steps: [Action.Step], _ request: Request, movedCount: Int = 0
  ) throws(Refusal) {
    var newIDs = movedCount
    // Items that were moved, and those that earlier steps have dealt, may be dealt again.
    var dealt = movedCount
    for step in steps {
      switch step.bound(to: request.seat) {
      case .shuffle: throw Refusal.unpredictable
      case .deal(let from, let to, _):
        guard state.isVisible(from.index, to: request.seat) else { throw Refusal.unpredictable }
        dealt = min(dealt + state.count(in: from), state.itemCount)
        let kind = state.kind(of: to.index)
        if kind.isSecret || !kind.faces.isFaceUp(true) { newIDs += dealt }
      case .turn, .pin, .set, .passTurn, .own, nil: break
      }
    }
    if newIDs > ItemID.provisionalNumbersMax { throw Refusal.unpredictable }
  }
}

extension Refusal {
  /// The end of a prediction: what follows depends on what a replica cannot know.
  static let unpredictable = Refusal(.unpredictable)
}

extension Reason {
  /// A replica's own: what follows depends on what it cannot know. No daemon answers so.
  package static let unpredictable = Reason(rawValue: "UNPREDICTABLE")
}

extension TableState {
  /// Refuses a step on a collection that is disabled.
  func checkEnabled(_ step: Action.Step, _ seat: SeatNumber) throws(Refusal) {
    switch step {
    case .deal(let from, let to, _):
      try checkEnabled(from.index)
      try checkEnabled(to.index)
    case .shuffle(let collection): try checkEnabled(collection.index)
    case .own: if let own = step.bound(to: seat) { try checkEnabled(own, seat) }
    case .turn, .pin, .set, .passTurn: break
    }
  }
}
