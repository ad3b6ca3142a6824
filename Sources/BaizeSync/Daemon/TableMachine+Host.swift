import BaizeTable
import BaizeWire

/// What the host may do to sessions. Each is an operation like any other: judged once, answered, in the journal.
extension TableMachine {
  /// Carries out what a host asks for, if it is about sessions.
  ///
  /// - Returns: Whether it is, and so is answered. The rest is the table's to judge.
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
      sessions[members[member].session].memory.refuse(sequence)
      conclude(.refused, error, member, into: batch)
    }
    return true
  }

  private func checkHost(_ member: Int) throws(Refusal) {
    try table.state.checkHost(sessions[members[member].session].id)
  }

  private mutating func invite(
    _ role: Role, from member: Int, random: inout RandomSource, into batch: FrameBatch
  ) throws(Refusal) {
    try checkHost(member)
    let invite = mintInvite(for: role, random: &random)
    conclude(.unchanged, .nothing, invite: invite.text, member, into: batch)
  }

  private mutating func kick(
    _ seat: SeatNumber, _ sequence: SequenceNumber, from member: Int, into batch: FrameBatch
  ) throws(Refusal) {
    try checkHost(member)
    let host = members[member].session
    guard let kicked = table.state.seats.first(where: { $0.number == seat }) else {
      throw Refusal(.unknownSeat, detail: "nobody sits at seat \(seat.rawValue)")
    }
    guard kicked.session != sessions[host].id else {
      throw Refusal(.permissionDenied, detail: "a host who wants to go leaves")
    }
    setSeats(table.state.seats.filter { $0.number != seat }, host, sequence, into: batch)
    guard let place = sessionPlaces[kicked.session] else { return }
    sessions[place].seat = .spectator
    dismiss(place, Goodbye(.kicked, detail: "the table's host has ended the session"), into: batch)
    forget(place)
  }

  private mutating func give(
    _ seat: SeatNumber, to session: SessionID, _ sequence: SequenceNumber, from member: Int, at now: Instant,
    into batch: FrameBatch
  ) throws(Refusal) {
    try checkHost(member)
    guard (1...UInt32(table.state.type.seatsMax)).contains(seat.rawValue) else {
      throw Refusal(.unknownSeat, detail: "the table has no seat \(seat.rawValue)")
    }
    guard let receiver = sessionPlaces[session], sessions[receiver].isConnected else {
      throw Refusal(.unknownSession, detail: "session \(session.rawValue) is not at the table")
    }
    guard sessions[receiver].seat != seat else { return conclude(.unchanged, .nothing, member, into: batch) }
    let giver = table.state.seats.first { $0.number == seat }.flatMap { sessionPlaces[$0.session] }
    let others = table.state.seats.filter { $0.number != seat && $0.session != session }
    let seats = others + [Seat(number: seat, name: sessions[receiver].name, session: session)]
    setSeats(seats, members[member].session, sequence, into: batch)
    if let giver { reseat(giver, to: .spectator, at: now, into: batch) }
    reseat(receiver, to: seat, at: now, into: batch)
  }

  /// Seats who `seats` says, in answer to the host.
  private mutating func setSeats(_ seats: [Seat], _ host: Int, _ sequence: SequenceNumber, into batch: FrameBatch) {
    publish(table.seat(seats, author: sessions[host].id, sequence: sequence), of: host, into: batch)
  }

  /// Gives a session another seat, or none. Its client comes back to another view, since what it holds was another's to
  /// see: so nothing that it said from the old seat is taken as from the new one.
  private mutating func reseat(_ place: Int, to seat: SeatNumber, at now: Instant, into batch: FrameBatch) {
    sessions[place].seat = seat
    sessions[place].seatedAt = table.state.revision
    sessions[place].isSpectatorOnly = seat == .spectator
    noteSession(place)
    guard sessions[place].isConnected else { return }
    sessions[place].isConnected = false
    sessions[place].lost = now
    dismiss(place, Goodbye(.reseated, detail: "the table's host has seated the session elsewhere"), into: batch)
    if members.isEmpty { deserted = now }
  }

  /// Lets the connection of a session go, if it has one.
  private mutating func dismiss(_ place: Int, _ goodbye: Goodbye, into batch: FrameBatch) {
    endDrag(of: place, into: batch)
    hasNewPresence = true
    guard let member = members.firstIndex(where: { $0.session == place }) else { return }
    farewells.append((members[member].connection, goodbye))
    removeMember(member)
  }
}
