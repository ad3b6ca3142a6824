package import BaizeTable

extension Generator {
  /// Returns a host action, mostly about connected sessions, and sometimes about others.
  ///
  /// - Parameter sessions: The sessions that may be at the table.
  package func hostAction(
    at state: TableState, among sessions: [SessionID], _ decisions: inout some DecisionSource
  ) -> HostAction {
    switch decisions.below(12) {
    case 0, 1, 2:
      let frozen = state.handles.filter { !state.isEnabled($0) }
      if !frozen.isEmpty, !decisions.happens(onceIn: 3) { return .thaw(decisions.pick(frozen)) }
      return .freeze(decisions.pick(state.handles))
    case 3: return .invitePlayers
    case 4: return .inviteSpectators
    case 5, 6, 7:
      let others = state.seats.filter { $0.number != state.hostSeat }
      let isAny = others.isEmpty || decisions.happens(onceIn: 3)
      return .kick(isAny ? seat(at: state, &decisions) : decisions.pick(others).number)
    default:
      let isKnown = !sessions.isEmpty && !decisions.happens(onceIn: 8)
      return .give(seat(at: state, &decisions), to: isKnown ? decisions.pick(sessions) : SessionID(rawValue: 1 << 40))
    }
  }

  private func seat(at state: TableState, _ decisions: inout some DecisionSource) -> SeatNumber {
    guard !state.seats.isEmpty, !decisions.happens(onceIn: 4) else {
      return SeatNumber(rawValue: UInt32(decisions.below(state.type.seatsMax + 2)))
    }
    return decisions.pick(state.seats).number
  }
}
