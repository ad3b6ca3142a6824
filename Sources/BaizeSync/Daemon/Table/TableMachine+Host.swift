import BaizeTable
import BaizeWire

/// The host's actions on sessions. Each is an operation like any other: it is judged once, answered and journalled.
extension TableMachine {
  /// Carries out an action of the host if it concerns sessions.
  ///
  /// - Returns: Whether it concerns sessions and was answered. The table judges the other actions.
  mutating func host(
    _ action: HostAction, _ sequence: SequenceNumber, from member: Int, random: inout RandomSource, at now: Instant,
    into batch: FrameBatch
  ) -> Bool {
    do throws(Refusal) {
      switch action {
      case .freeze, .thaw: return false
      case .kick(let seat): try kick(seat, sequence, from: member, into: batch)
      case .give(let seat, let session): try give(seat, to: session, sequence, from: member, at: now, into: batch)
      case .invitePlayers: try invite(.player, from: member, random: &random, into: batch)
      case .inviteSpectators: try invite(.spectator, from: member, random: &random, into: batch)
      }
    } catch {
      sessions[room.members[member].session].memory.refuse(sequence)
      conclude(.refused, error, member, into: batch)
    }
    return true
  }

  private func checkHost(_ member: Int) throws(Refusal) {
    try table.state.checkHost(sessions[room.members[member].session].seat)
  }

  // MARK: Invites

  private mutating func invite(
    _ role: Role, from member: Int, random: inout RandomSource, into batch: FrameBatch
  ) throws(Refusal) {
    try checkHost(member)
    let invite = issueInvite(for: role, random: &random)
    conclude(.unchanged, .nothing, invite: sealed(invite), member, into: batch)
  }

  /// Issues an invite and voids the previous one.
  mutating func issueInvite(for role: Role, random: inout RandomSource) -> Invite {
    let invite = Invite(random: &random)
    invites[role] = invite
    note(.invite(role, invite.text))
    return invite
  }

  // MARK: Seats

  private mutating func kick(
    _ seat: SeatNumber, _ sequence: SequenceNumber, from member: Int, into batch: FrameBatch
  ) throws(Refusal) {
    try checkHost(member)
    let host = room.members[member].session
    guard let kicked = table.state.seats.first(where: { $0.number == seat }) else {
      throw Refusal(.unknownSeat, detail: "seat \(seat.rawValue) is not taken")
    }
    guard kicked.person != sessions[host].person else {
      throw Refusal(.permissionDenied, detail: "the host cannot remove itself; it leaves instead")
    }
    setSeats(seats(without: seat), host, sequence, into: batch)
    let goodbye = Goodbye(.kicked, detail: "the table's host has ended the session")
    for slot in sessions.slots(ofPerson: kicked.person) { endSession(slot, goodbye, into: batch) }
  }

  /// Ends a session whose seat is free.
  mutating func endSession(_ slot: Int, _ goodbye: Goodbye, into batch: FrameBatch) {
    sessions[slot].seat = .spectator
    dismiss(slot, goodbye, into: batch)
    forget(slot)
  }

  private mutating func give(
    _ seat: SeatNumber, to session: SessionID, _ sequence: SequenceNumber, from member: Int, at now: Instant,
    into batch: FrameBatch
  ) throws(Refusal) {
    try checkHost(member)
    guard (1...UInt32(table.state.type.seatsMax)).contains(seat.rawValue) else {
      throw Refusal(.unknownSeat, detail: "the table has no seat \(seat.rawValue)")
    }
    guard let receiver = sessions.slot(of: session), sessions[receiver].isConnected else {
      throw Refusal(.unknownSession, detail: "session \(session.rawValue) is not at the table")
    }
    guard claims(ofPersonOf: receiver).allSatisfy({ $0.admits(to: seat) }) else {
      throw Refusal(.permissionDenied, detail: "the person's signed token names no seat, or another one")
    }
    guard sessions[receiver].seat != seat else { return conclude(.unchanged, .nothing, member, into: batch) }
    let givers = table.state.seats.first { $0.number == seat }.map { sessions.slots(ofPerson: $0.person) } ?? []
    let new = Seat(number: seat, name: sessions[receiver].name, person: sessions[receiver].person)
    let seats = seats(without: sessions[receiver].seat, but: new)
    setSeats(seats, room.members[member].session, sequence, into: batch)
    for slot in givers { seatByHost(slot, .spectator, at: now, into: batch) }
    for slot in sessions.slots(ofPerson: new.person) { seatByHost(slot, seat, at: now, into: batch) }
  }

  private mutating func setSeats(_ seats: [Seat], _ host: Int, _ sequence: SequenceNumber, into batch: FrameBatch) {
    publish(table.seat(seats, author: sessions[host].id, sequence: sequence), of: host, into: batch)
  }

  private mutating func seatByHost(_ slot: Int, _ seat: SeatNumber, at now: Instant, into batch: FrameBatch) {
    sessions[slot].isSpectatorOnly = seat == .spectator
    noteSession(slot)
    reseat(slot, to: seat, Goodbye(.reseated, detail: "the table's host has changed your seat"), at: now, into: batch)
  }

  /// Gives a session another seat, or none. Its client has to join again, with another view, so that no operation sent from
  /// the old seat is taken as one from the new seat.
  mutating func reseat(
    _ slot: Int, to seat: SeatNumber, _ goodbye: Goodbye, at now: Instant, into batch: FrameBatch
  ) {
    sessions[slot].seat = seat
    noteSeat(of: slot)
    guard sessions[slot].isConnected else { return }
    sessions[slot].connectivity = .lost(since: now)
    dismiss(slot, goodbye, at: now, into: batch)
  }

  /// Removes a session's member from the room, if it has one.
  private mutating func dismiss(_ slot: Int, _ goodbye: Goodbye, at now: Instant? = nil, into batch: FrameBatch) {
    room.endPresence(of: slot, in: table.state, &sessions, into: batch)
    room.hasNewPresence = true
    guard let member = room.member(ofSession: slot) else { return }
    departures.append((room.members[member].connection, goodbye))
    room.remove(member, at: now)
  }
}
