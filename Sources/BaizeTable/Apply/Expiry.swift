/// The effect of a limit whose time is up. It is planned and applied like an operation of the seat's, by the daemon.
extension Table {
  /// Carries out the first of a limit's attempts that the rules accept and that changes something.
  ///
  /// - Returns: The diff, whose author is the daemon, or `nil` if no attempt succeeds; and the number of items and actions that
  ///   were tried, at most ``TableLimits/expiryTriesMax``.
  /// - Complexity: That of as many operations as were tried.
  package mutating func expire(_ limit: TimeLimit) -> (diff: Diff?, tries: Int) {
    var tries = 0
    for attempt in limit.attempts {
      for seat in state.seats(attempting: attempt) {
        if let diff = carryOut(attempt.effect, as: seat, &tries) { return (diff, tries) }
      }
    }
    return (nil, tries)
  }

  private mutating func carryOut(_ effect: TimeLimit.Effect, as seat: SeatNumber, _ tries: inout Int) -> Diff? {
    switch effect {
    case .move(let routes):
      let index = routes.count == 1 ? 0 : Int(seat.rawValue) - 1
      guard routes.indices.contains(index) else { return nil }
      let route = routes[index]
      for item in state.items(in: route.from, from: 0, limit: TableLimits.expiryTriesMax - tries) {
        let move = TableOperation.Kind.move(
          CollectionOfOne(item.id), to: .end(of: route.to), suggested: .move)
        if let diff = attempt(move, as: seat, &tries) { return diff }
      }
      return nil
    case .perform(let action):
      return attempt(.perform(action: action, items: [], nil), as: seat, &tries)
    case .steps(let steps):
      return attempt(steps, as: seat, &tries)
    }
  }

  /// Carries out an operation, if the rules accept it from this seat. Claims on items do not count: the time is up.
  private mutating func attempt(_ kind: TableOperation.Kind, as seat: SeatNumber, _ tries: inout Int) -> Diff? {
    guard tries < TableLimits.expiryTriesMax else { return nil }
    tries += 1
    // The base is the present, so that no epoch and no number matters.
    let operation = TableOperation(sequence: .zero, base: state.revision, epoch: Epoch(rawValue: 0), kind: kind)
    do throws(Refusal) {
      return apply(try plan(operation, by: Author(session: .daemon, seat: seat), memory: AuthorMemory()))
    } catch {
      return nil
    }
  }

  /// Carries out steps, if their collections are enabled and they move no more than the steps of an action may.
  private mutating func attempt(_ steps: [Action.Step], as seat: SeatNumber, _ tries: inout Int) -> Diff? {
    guard tries < TableLimits.expiryTriesMax else { return nil }
    tries += 1
    let context = RuleContext(seat: seat)
    do throws(Refusal) {
      try state.checkParticipation(of: seat)
      try state.checkSteps(steps.map { Plan.Consequence(step: $0, context: context) })
    } catch {
      return nil
    }
    let request = Request(author: Author(session: .daemon, seat: seat), sequence: .zero, base: state.revision)
    return apply(Plan(request, .perform(steps, on: [], context, changesAlways: false)))
  }
}

extension TableState {
  /// Returns the seats as which an attempt is made.
  fileprivate func seats(attempting attempt: TimeLimit.Attempt) -> [SeatNumber] {
    let first = seatToMove ?? activeSeats.first?.number
    guard let actor = attempt.actor else { return first.map { [$0] } ?? [] }
    return seats(of: actor, RuleContext(seat: first ?? .spectator))
  }

  /// Returns whether the time of a limit runs, as far as the table's contents decide it: the table has not ended, a seat is
  /// taken, and the limit's predicate holds.
  package func runs(_ limit: TimeLimit) -> Bool {
    guard let seat = seatToMove ?? activeSeats.first?.number, !hasEnded else { return false }
    return holds(limit.when, RuleContext(seat: seat))
  }
}
