import BaizeTable
import BaizeWire

/// Leaving a table, and the timeouts of sessions and seats.
extension TableMachine {
  /// Handles a closed connection; its session is kept for a while.
  mutating func leave(_ member: Int, at now: Instant, into batch: FrameBatch) {
    let slot = room.members[member].session
    room.remove(member, at: now)
    sessions[slot].connectivity = .lost(since: now)
    room.endPresence(of: slot, in: table.state, &sessions, into: batch)
    if sessions[slot].seat != .spectator { room.hasNewPresence = true }
  }

  /// Ends a session whose participant leaves: the seat is free at once.
  mutating func depart(_ member: Int, at now: Instant, into batch: FrameBatch) {
    guard isWritable else { return leave(member, at: now, into: batch) }
    let slot = room.members[member].session
    room.remove(member, at: now)
    room.endPresence(of: slot, in: table.state, &sessions, into: batch)
    freeSeat(of: slot, into: batch)
    forget(slot)
  }

  /// Frees seats and forgets sessions that have timed out.
  ///
  /// - Returns: Whether something changed.
  /// - Complexity: O(number of sessions).
  mutating func sweep(at now: Instant, into batch: FrameBatch) -> Bool {
    var hasChanged = room.values.sweep()
    guard isWritable else { return hasChanged }
    room.sendMoves(into: batch)
    for slot in sessions.indices {
      guard let lost = sessions[slot].lostSince else { continue }
      let absence = now.milliseconds(since: lost)
      if sessions[slot].seat != .spectator, absence >= limits.sessions.graceSeconds * 1_000 {
        freeSeat(of: slot, into: batch)
        hasChanged = true
      }
      if absence >= max(limits.sessions.sessionSeconds, limits.sessions.graceSeconds) * 1_000 {
        forget(slot)
        hasChanged = true
      }
    }
    return hasChanged
  }

  private mutating func freeSeat(of slot: Int, into batch: FrameBatch) {
    let seat = sessions[slot].seat
    guard seat != .spectator else { return }
    sessions[slot].seat = .spectator
    publish(table.seat(table.state.seats.filter { $0.number != seat }), of: nil, into: batch)
    noteSeat(of: slot)
  }

  mutating func forget(_ slot: Int) {
    if sessions.forget(slot) { note(.forgotten(sessions[slot].id)) }
  }
}
