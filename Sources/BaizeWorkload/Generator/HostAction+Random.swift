package import BaizeTable

extension HostAction {
  /// Returns a random host action, mostly about connected sessions, and sometimes about others.
  ///
  /// - Parameter sessions: The sessions that may be at the table.
  package static func random(
    at state: TableState, among sessions: [SessionID], _ random: inout RandomSource
  ) -> HostAction {
    switch random.below(12) {
    case 0, 1, 2:
      let frozen = state.handles.filter { !state.isEnabled($0) }
      if !frozen.isEmpty, !random.happens(onceIn: 3) { return .thaw(random.pick(frozen)) }
      return .freeze(random.pick(state.handles))
    case 3: return .invitePlayers
    case 4: return .inviteSpectators
    case 5, 6, 7:
      let others = state.seats.filter { $0.session != state.host }
      return .kick(others.isEmpty || random.happens(onceIn: 3) ? seat(at: state, &random) : random.pick(others).number)
    default:
      let isKnown = !sessions.isEmpty && !random.happens(onceIn: 8)
      return .give(seat(at: state, &random), to: isKnown ? random.pick(sessions) : SessionID(rawValue: 1 << 40))
    }
  }

  private static func seat(at state: TableState, _ random: inout RandomSource) -> SeatNumber {
    guard !state.seats.isEmpty, !random.happens(onceIn: 4) else {
      return SeatNumber(rawValue: UInt32(random.below(state.type.seatsMax + 2)))
    }
    return random.pick(state.seats).number
  }
}
