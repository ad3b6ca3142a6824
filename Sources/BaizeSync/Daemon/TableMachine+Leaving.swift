import BaizeTable
import BaizeWire

/// Going from a table, and how long a session, its seat and what is remembered of it outlive its connection.
extension TableMachine {
  /// The connection is gone; the session stays for a while.
  mutating func leave(_ member: Int, at now: Instant, into batch: FrameBatch) {
    let place = members[member].session
    removeMember(member)
    sessions[place].isConnected = false
    sessions[place].lost = now
    endDrag(of: place, into: batch)
    if sessions[place].seat != .spectator { hasNewPresence = true }
    if members.isEmpty { deserted = now }
  }

  /// The participant leaves for good: the seat is free at once.
  mutating func depart(_ member: Int, at now: Instant, into batch: FrameBatch) {
    guard isWritable else { return leave(member, at: now, into: batch) }
    let place = members[member].session
    removeMember(member)
    endDrag(of: place, into: batch)
    freeSeat(of: place, into: batch)
    forget(place)
    if members.isEmpty { deserted = now }
  }

  /// Frees seats and forgets sessions whose time is over.
  mutating func sweep(at now: Instant, into batch: FrameBatch) {
    guard isWritable else { return }
    for place in sessions.indices where !sessions[place].isConnected && !sessions[place].isForgotten {
      let absence = now.milliseconds(since: sessions[place].lost)
      if sessions[place].seat != .spectator, absence >= limits.graceSeconds * 1_000 {
        freeSeat(of: place, into: batch)
      }
      if absence >= max(limits.sessionSeconds, limits.graceSeconds) * 1_000 { forget(place) }
    }
  }

  private mutating func freeSeat(of place: Int, into batch: FrameBatch) {
    let seat = sessions[place].seat
    guard seat != .spectator else { return }
    sessions[place].seat = .spectator
    publish(table.seat(table.state.seats.filter { $0.number != seat }), of: nil, into: batch)
    sessions[place].seatedAt = table.state.revision
  }

  mutating func forget(_ place: Int) {
    guard sessionPlaces.removeValue(forKey: sessions[place].id) != nil else { return }
    note(.forgotten(sessions[place].id))
    sessions[place].isForgotten = true
    sessions[place].outcomes = RecordedOutcomes()
    sessions[place].memory = AuthorMemory()
    freePlaces.append(place)
  }

  /// Makes room by forgetting the session that has been away for longest and has no seat.
  mutating func forgetOldest() {
    let candidates = sessions.indices.filter {
      !sessions[$0].isConnected && !sessions[$0].isForgotten && sessions[$0].seat == .spectator
    }
    if let oldest = candidates.min(by: { sessions[$0].lost < sessions[$1].lost }) { forget(oldest) }
  }

  mutating func removeMember(_ member: Int) {
    setPhase(.live, of: member)
    members.swapAt(member, members.count - 1)
    members.removeLast()
  }
}
