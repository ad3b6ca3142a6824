import BaizeSync
import BaizeTable
import BaizeWire

/// O13, O14: the host's actions and their effects, without the machine.
extension TableHistory {
  /// I5: only players act, and only the host performs host actions.
  mutating func checkParticipation(
    _ diff: Diff, _ action: HostAction?, _ before: TableState, _ after: TableState, _ world: World
  ) throws {
    try hold(
      before.seats.contains(where: { $0.person == diff.author }), "I5",
      "session \(diff.author.rawValue) has no seat, and \(diff) was accepted")
    guard let action else { return try checkOrdinary(diff, before) }
    world.count(.hosted)
    try hold(
      diff.author == before.firstSession, "I5",
      "session \(diff.author.rawValue) is not the host, and \(action.name) was accepted")
    try hold(
      diff.changes.count == 1 && isDone(action, by: diff, before, after), "I5", "\(action.name) was accepted as \(diff)"
    )
    if case .kick(let seat) = action, let session = before.session(at: seat), session != .daemon {
      kicked.insert(session)
    }
  }

  /// Checks that other operations change no seats, freeze nothing, and leave frozen collections alone.
  private func checkOrdinary(_ diff: Diff, _ before: TableState) throws {
    for change in diff.changes {
      let touched: [CollectionHandle]
      switch change {
      case .seats, .enabled: throw InvariantViolation("I5", "no host action explains \(diff)")
      case .moved(let items, let destination):
        touched = items.compactMap(before.collection) + [destination.collection]
      case .removed(let items):
        // An alias goes with its item, wherever it is.
        let chosen = items.filter { item in before.item(item).map { !items.contains($0.aliasOf) } ?? true }
        touched = chosen.compactMap(before.collection)
      case .inserted(_, let destination): touched = [destination.collection]
      case .faced, .status, .counted, .variables: continue
      }
      // A collection that an item opens again when it returns is enabled.
      let frozen = touched.first { before.isKnown($0) && !before.isEnabled($0) }
      try hold(frozen == nil, "I5", "collection \(frozen?.rawValue ?? 0) is disabled, and \(diff) was accepted")
    }
  }

  private func isDone(_ action: HostAction, by diff: Diff, _ before: TableState, _ after: TableState) -> Bool {
    switch action {
    case .freeze(let collection): return diff.changes == [.enabled(collection, false)] && before.isEnabled(collection)
    case .thaw(let collection): return diff.changes == [.enabled(collection, true)] && !before.isEnabled(collection)
    case .kick(let seat):
      guard let kicked = before.session(at: seat), kicked != diff.author else { return false }
      return after.sortedSeats == TableState.sortedSeats(before.seats(without: seat))
    case .give(let seat, let session):
      guard let stored = sessions[session], before.session(at: seat) != session else { return false }
      let former = before.seats.first { $0.person == session }
      var others = before.seats.filter { $0.number != seat && $0.person != session }
      if let former, before.hasHand(former.number) { others.append(former.left) }
      return after.sortedSeats
        == TableState.sortedSeats(others + [Seat(number: seat, name: stored.name, person: session)])
    case .invitePlayers, .inviteSpectators: return false
    }
  }

  /// I5: a host action without a diff was the host's, or was refused for a valid reason.
  func check(_ outcome: Outcome, _ asked: World.Asked?, by session: SessionID) throws {
    guard let action = asked?.host else {
      try hold(outcome.invite.isEmpty, "I6", "an invite that no host requested: \(outcome)")
      return
    }
    let state = table.state
    let isHost = session == state.firstSession
    let isRight: Bool
    switch outcome.verdict {
    case .unchanged: isRight = isHost && action.changesNothing(at: state)
    case .refused:
      let reason = outcome.refusal.reason
      // Whether the collection is there is judged first (G4).
      isRight =
        isHost || action.namesCollection && reason != .permissionDenied
        ? action.isRefusable(reason, of: session, at: state) : reason == .permissionDenied
    case .retry, .duplicate: isRight = false
    }
    try hold(
      isRight && !outcome.invite.isEmpty == (outcome.verdict == .unchanged && action.isForInvite), "I5",
      "\(action.name) of session \(session.rawValue) was answered \(outcome.verdict) \(outcome.refusal)")
  }
}

extension HostAction {
  fileprivate var isForInvite: Bool { self == .invitePlayers || self == .inviteSpectators }

  fileprivate var namesCollection: Bool {
    switch self {
    case .freeze, .thaw: true
    case .kick, .give, .invitePlayers, .inviteSpectators: false
    }
  }

  fileprivate func changesNothing(at state: TableState) -> Bool {
    switch self {
    case .freeze(let collection): !state.isEnabled(collection)
    case .thaw(let collection): state.isEnabled(collection)
    case .kick: false
    case .give(let seat, let session): state.session(at: seat) == session
    case .invitePlayers, .inviteSpectators: true
    }
  }

  /// Returns whether a reason is valid for refusing this to the host. The journal does not know who is connected: about
  /// another session any answer is accepted.
  fileprivate func isRefusable(_ reason: Reason, of host: SessionID, at state: TableState) -> Bool {
    switch self {
    case .freeze(let collection), .thaw(let collection):
      (reason == .unknownCollection || reason == .collectionGone) && !state.handles.contains(collection)
    case .kick(let seat):
      switch state.session(at: seat) {
      case nil: reason == .unknownSeat
      case host: reason == .permissionDenied
      case .some: false
      }
    case .give(let seat, let session):
      (1...UInt32(state.type.seatsMax)).contains(seat.rawValue)
        ? reason == .unknownSession && session != host : reason == .unknownSeat
    case .invitePlayers, .inviteSpectators: false
    }
  }
}

extension TableState {
  /// The player with the lowest session of those who are not absent, who is the host.
  fileprivate var firstSession: SessionID? {
    let held = seats.filter { $0.person != .daemon }
    return held.filter { !$0.isAbsent }.map(\.person).min() ?? held.map(\.person).min()
  }

  /// The seats after the holder of one has lost it (J22).
  fileprivate func seats(without number: SeatNumber) -> [Seat] {
    let others = seats.filter { $0.number != number }
    if others.allSatisfy({ $0.person == .daemon }) { return [] }
    guard let lost = seats.first(where: { $0.number == number }), lost.person != .daemon, hasHand(number) else {
      return others
    }
    return others + [lost.left]
  }

  fileprivate func session(at seat: SeatNumber) -> SessionID? { seats.first { $0.number == seat }?.person }

  /// The taken seats, in order.
  fileprivate var sortedSeats: [Seat] { Self.sortedSeats(seats) }

  fileprivate static func sortedSeats(_ seats: [Seat]) -> [Seat] { seats.sorted { $0.number < $1.number } }
}

extension Seat {
  /// The seat with the hand that its session has left there.
  fileprivate var left: Seat { Seat(number: number, name: name, person: .daemon, isAbsent: true) }
}
