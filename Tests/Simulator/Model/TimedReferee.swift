import BaizeTable

/// A check, without the engine, of what may happen in `timed` when a time is up: by the numbers of items in the row, the
/// hands and the pile.
struct TimedReferee {
  private let before: TableState

  init(_ before: TableState) { self.before = before }

  func allows(_ after: TableState) -> Bool {
    guard before.type.name == SimulatedTypes.timed.name, let seat = before.seatToMove else { return false }
    let counts = Self.counts(before)
    let hand = Int(seat.rawValue)
    // Without another player, it passes to the same one, whose number the variable may not have had.
    let isPassed = after.variable(TableState.turnVariable) != before.variable(TableState.turnVariable)
    let mayTake = counts[0] > 0 && counts[hand] < 6 && isEnabled(0) && isEnabled(hand)
    var taken = counts
    taken[0] -= 1
    taken[hand] += 1
    if mayTake, Self.counts(after) == taken, !isPassed { return true }
    if !mayTake, Self.counts(after) == counts, isPassed { return true }
    var returned = counts
    returned[3] -= 1
    returned[0] += 1
    let mayReturn = counts[3] > 0 && before.seats.count == 2 && isEnabled(0) && isEnabled(3)
    return mayReturn && Self.counts(after) == returned && !isPassed
  }

  private static func counts(_ state: TableState) -> [Int] { state.handles.map { state.count(in: $0) } }

  private func isEnabled(_ index: Int) -> Bool { before.isEnabled(before.handles[index]) }
}
