/// Steps within steps: those with a condition, and those that are carried out as if another seat acted.
extension TableState {
  /// Returns the seats as which steps are carried out.
  func seats(of actor: Action.Step.Actor, _ context: RuleContext) -> [SeatNumber] {
    switch actor {
    case .everySeat: return activeSeats.map(\.number)
    case .seat(let term):
      guard case .number(let number)? = value(term, context), (1...Int64(type.seatsMax)).contains(number) else {
        return []
      }
      return [SeatNumber(rawValue: UInt32(number))]
    }
  }

  /// Returns the steps that some steps consist of, each with the seat as which it is carried out, whether its conditions
  /// hold or not.
  ///
  /// - Parameter asAnySeat: Whether a seat that depends on the steps before stands for all seats, rather than for the one
  ///   that it would be now.
  func leaves(of steps: [Plan.Consequence], asAnySeat: Bool = false) -> [Plan.Consequence] {
    steps.flatMap { leaves(of: $0.step, $0.context, asAnySeat: asAnySeat) }
  }

  private func leaves(of step: Action.Step, _ context: RuleContext, asAnySeat: Bool) -> [Plan.Consequence] {
    switch step {
    case .deal, .shuffle, .turn, .pin, .set, .passTurn: return [Plan.Consequence(step: step, context: context)]
    case .bySeat: return step.bound(to: context.seat).map { leaves(of: $0, context, asAnySeat: asAnySeat) } ?? []
    case .when(_, let steps): return steps.flatMap { leaves(of: $0, context, asAnySeat: asAnySeat) }
    case .acting(let actor, let steps):
      return possibleSeats(of: actor, context, asAnySeat: asAnySeat).flatMap { seat in
        var context = context
        context.seat = seat
        return steps.flatMap { leaves(of: $0, context, asAnySeat: asAnySeat) }
      }
    }
  }

  private func possibleSeats(
    of actor: Action.Step.Actor, _ context: RuleContext, asAnySeat: Bool
  ) -> [SeatNumber] {
    switch actor {
    case .seat where asAnySeat: (1...UInt32(type.seatsMax)).map { SeatNumber(rawValue: $0) }
    case .everySeat, .seat: seats(of: actor, context)
    }
  }
}

extension Action.Step {
  /// Whether the step, or a part of it, reads the face of the moved item.
  var readsItem: Bool {
    switch self {
    case .deal(_, _, let count): count?.reads.contains(.item) ?? false
    case .set(_, let term): term.reads.contains(.item)
    case .shuffle, .turn, .pin, .passTurn: false
    case .bySeat(let steps): steps.contains(where: \.readsItem)
    case .when(let predicate, let steps): predicate.reads.contains(.item) || steps.contains(where: \.readsItem)
    case .acting(.everySeat, let steps): steps.contains(where: \.readsItem)
    case .acting(.seat(let term), let steps): term.reads.contains(.item) || steps.contains(where: \.readsItem)
    }
  }
}

extension Face {
  /// Returns the face without representations, and without texts of more than `bytesMax` bytes.
  func withoutTexts(over bytesMax: Int) -> Face {
    Face(
      attributes: attributes.filter { attribute in
        guard case .text(let text)? = attribute.value else { return true }
        return text.utf8.count <= bytesMax
      })
  }
}
