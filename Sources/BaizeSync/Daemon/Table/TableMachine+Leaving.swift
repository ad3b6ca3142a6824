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

  /// Ends all sessions of a participant who leaves: the seat is free at once.
  mutating func depart(_ member: Int, at now: Instant, into batch: FrameBatch) {
    guard isWritable else { return leave(member, at: now, into: batch) }
    let slot = room.members[member].session
    room.remove(member, at: now)
    room.endPresence(of: slot, in: table.state, &sessions, into: batch)
    freeSeat(of: slot, into: batch)
    for other in sessions.slots(ofPerson: sessions[slot].person) where other != slot {
      endSession(other, Self.left, into: batch)
    }
    forget(slot)
  }

  private static let left = Goodbye(.leaving, detail: "you have left the table on another device")

  /// Frees seats and forgets sessions that have timed out.
  ///
  /// - Returns: Whether something changed.
  /// - Complexity: O(number of sessions).
  mutating func sweep(at now: Instant, into batch: FrameBatch) -> Bool {
    var hasChanged = room.values.sweep()
    if room.watchers.sweep(room.members, sessions) { hasChanged = true }
    guard isWritable else { return hasChanged }
    room.sendMoves(into: batch)
    let hasAbsent = table.state.seats.contains(where: \.isAbsent)
    for slot in sessions.indices {
      guard let lost = sessions[slot].lostSince else {
        // It may have come back when nothing could be written.
        if hasAbsent, sessions[slot].isConnected, setAbsent(false, slot, into: batch) { hasChanged = true }
        continue
      }
      let seconds = now.milliseconds(since: lost) / 1_000
      if sessions[slot].seat != .spectator, seconds >= limits.sessions.graceSeconds,
        let away = sessions.lostSince(person: sessions[slot].person).map({ now.milliseconds(since: $0) / 1_000 }),
        away >= limits.sessions.graceSeconds
      {
        // Who has no credential never comes back.
        let isKept = away < seatKeptSeconds && sessions[slot].identity.credential != nil
        if !isKept { freeSeat(of: slot, into: batch) }
        if !isKept || setAbsent(true, slot, into: batch) { hasChanged = true }
      }
      if seconds >= max(limits.sessions.sessionSeconds, limits.sessions.graceSeconds) {
        forget(slot)
        hasChanged = true
      }
    }
    return hasChanged
  }

  /// The time in seconds for which the seat of a person without a connection is kept (J22).
  var seatKeptSeconds: UInt64 {
    let limits = limits.sessions
    let kept = min(limits.seatKeptSecondsMax, limits.sessionSeconds, table.state.type.seatKeptSeconds ?? .max)
    return max(limits.graceSeconds, kept)
  }

  /// Records whether the seat of a session's person is absent, by a diff of the daemon's if that changes.
  ///
  /// - Returns: Whether it changes.
  @discardableResult mutating func setAbsent(_ isAbsent: Bool, _ slot: Int, into batch: FrameBatch) -> Bool {
    let number = sessions[slot].seat
    var seats = table.state.seats
    guard let index = seats.firstIndex(where: { $0.number == number }), seats[index].isAbsent != isAbsent else {
      return false
    }
    seats[index].isAbsent = isAbsent
    publish(table.seat(seats), of: nil, into: batch)
    return true
  }

  /// Frees the seat of a session's person, by a diff of the daemon's.
  mutating func freeSeat(of slot: Int, into batch: FrameBatch) {
    let seat = sessions[slot].seat
    guard seat != .spectator else { return }
    let own = sessions.slots(ofPerson: sessions[slot].person)
    for slot in own { sessions[slot].seat = .spectator }
    publish(table.seat(seats(without: seat)), of: nil, into: batch)
    for slot in own { noteSeat(of: slot) }
  }

  /// Returns the taken seats after the holder of one has lost it and has got another, if that is given. With a hand, the seat stays
  /// taken, by nobody, until the host frees it or gives it to someone; if no session has a seat any more, all are free (J22).
  func seats(without number: SeatNumber, but new: Seat? = nil) -> [Seat] {
    let others =
      table.state.seats.filter { $0.number != number && $0.number != new?.number } + [new].compactMap(\.self)
    guard others.contains(where: \.isHeld) else { return [] }
    guard let seat = table.state.seats.first(where: { $0.number == number }), seat.isHeld, table.state.hasHand(number)
    else { return others }
    return others + [Seat(number: number, name: seat.name, person: .daemon, isAbsent: true)]
  }

  mutating func forget(_ slot: Int) {
    if sessions.forget(slot) { note(.forgotten(sessions[slot].id)) }
  }
}
