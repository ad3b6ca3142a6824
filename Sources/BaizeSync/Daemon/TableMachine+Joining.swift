import BaizeTable
import BaizeWire

/// Coming, coming back, and going.
extension TableMachine {
  /// What a connection that joins is given.
  struct Admission {
    var member: Int
    /// The connection that held the session before, and is let go.
    var displaced: ConnectionID?
  }

  /// Lets a connection join: with its token as the session it was, otherwise as a new one.
  mutating func join(
    _ hello: Hello, on connection: ConnectionID, random: inout RandomSource, at now: Instant, into batch: FrameBatch
  ) throws(Refused) -> Admission {
    var displaced: ConnectionID?
    let place: Int
    if hello.resumeToken.isEmpty {
      place = try makeSession(hello, random: &random, into: batch)
    } else {
      let presented: ResumeToken
      (place, presented) = try findSession(hello.resumeToken)
      // What may fail comes first: whoever is turned away has displaced no one.
      if sessions[place].seat == .spectator, hello.role == .player {
        sessions[place].seat = try takeSeat(sessions[place].id, named: sessions[place].name, into: batch)
      }
      displaced = displace(place, into: batch)
      // The one that the client surely holds, however many welcomes were lost since.
      sessions[place].previousToken = presented
      sessions[place].token = ResumeToken(session: sessions[place].id, random: &random)
    }
    sessions[place].isConnected = true
    // Whoever comes back sends again what it has no answer to, in order: nothing waits for what was sent before.
    sessions[place].answered = sessions[place].outcomes.last
    sessions[place].retrying = nil
    let member = members.count
    members.append(Member(connection: connection, session: place, seat: sessions[place].seat))
    greet(member, into: batch)
    announceSeats(into: batch)
    for session in sessions {
      if let drag = session.drag { batch.send(.drag(drag), to: connection) }
    }
    return Admission(member: member, displaced: displaced)
  }

  /// Why a connection may not join.
  struct Refused: Error {
    let goodbye: Goodbye

    init(_ reason: GoodbyeReason, _ detail: String) { goodbye = Goodbye(reason, detail: detail) }
  }

  private mutating func makeSession(
    _ hello: Hello, random: inout RandomSource, into batch: FrameBatch
  ) throws(Refused) -> Int {
    let id = SessionID(rawValue: lastSession.rawValue + 1)
    if sessionPlaces.count >= limits.sessionsPerTableMax { forgetOldest() }
    guard sessionPlaces.count < limits.sessionsPerTableMax else {
      throw Refused(.tableFull, "the table has \(limits.sessionsPerTableMax) sessions, which is all it takes")
    }
    let seat = hello.role == .player ? try takeSeat(id, named: hello.name, into: batch) : .spectator
    lastSession = id
    let session = SessionRecord(
      id: id, name: hello.name, seat: seat, token: ResumeToken(session: id, random: &random))
    let place = freePlaces.popLast() ?? sessions.count
    if place == sessions.count { sessions.append(session) } else { sessions[place] = session }
    sessionPlaces[id] = place
    return place
  }

  /// The place of the session that a token opens, and which of its tokens that is.
  private func findSession(_ token: [UInt8]) throws(Refused) -> (place: Int, token: ResumeToken) {
    guard let id = ResumeToken.session(of: token), let place = sessionPlaces[id] else {
      throw Refused(.tokenInvalid, "the table knows no session for this token")
    }
    if sessions[place].token.matches(token) { return (place, sessions[place].token) }
    if let previous = sessions[place].previousToken, previous.matches(token) { return (place, previous) }
    throw Refused(.tokenInvalid, "the token is not, or no longer, the session's")
  }

  /// Takes a session from the connection that holds it, if one does.
  private mutating func displace(_ place: Int, into batch: FrameBatch) -> ConnectionID? {
    guard let member = members.firstIndex(where: { $0.session == place }) else { return nil }
    let displaced = members[member].connection
    removeMember(member)
    endDrag(of: place, into: batch)
    return displaced
  }

  private mutating func takeSeat(
    _ session: SessionID, named name: String, into batch: FrameBatch
  ) throws(Refused) -> SeatNumber {
    let taken = table.state.seats
    let numbers = 1...UInt32(table.state.type.seatsMax)
    guard let free = numbers.first(where: { number in !taken.contains { $0.number.rawValue == number } }) else {
      throw Refused(.tableFull, "all \(table.state.type.seatsMax) seats are taken")
    }
    let seat = SeatNumber(rawValue: free)
    publish(table.seat(taken + [Seat(number: seat, name: name, session: session)]), of: nil, into: batch)
    return seat
  }

  /// Welcomes a member and begins its snapshot.
  private mutating func greet(_ member: Int, into batch: FrameBatch) {
    let session = sessions[members[member].session]
    let welcome = Welcome(
      session: session.id, seat: session.seat, resumeToken: session.token.bytes, epoch: epoch,
      revision: table.state.revision, lastSequence: session.outcomes.last, tableType: table.state.type.document,
      options: table.state.type.options, frameBytesMax: UInt32(limits.frameBytesMax),
      history: UInt32(TableLimits.historyRevisionsMax), heartbeatSeconds: UInt32(limits.heartbeatSeconds),
      server: "baized/\(BaizeVersion.text)", pendingMax: UInt32(limits.pendingOperationsMax))
    batch.send(.welcome(welcome), to: members[member].connection)
    beginSnapshot(member, into: batch)
  }

  /// Something arrived on the connection that got the new token: the one before is void.
  mutating func heard(from member: Int) {
    let place = members[member].session
    if sessions[place].previousToken != nil { sessions[place].previousToken = nil }
  }

  /// The connection is gone; the session stays for a while.
  mutating func leave(_ member: Int, at now: Instant, into batch: FrameBatch) {
    let place = members[member].session
    removeMember(member)
    sessions[place].isConnected = false
    sessions[place].lost = now
    endDrag(of: place, into: batch)
    announceSeats(into: batch)
  }

  /// The participant leaves for good: the seat is free at once.
  mutating func depart(_ member: Int, into batch: FrameBatch) {
    let place = members[member].session
    removeMember(member)
    endDrag(of: place, into: batch)
    freeSeat(of: place, into: batch)
    forget(place)
  }

  /// Frees seats and forgets sessions whose time is over.
  mutating func sweep(at now: Instant, into batch: FrameBatch) {
    for place in sessions.indices where !sessions[place].isConnected {
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
  }

  private mutating func forget(_ place: Int) {
    guard sessionPlaces.removeValue(forKey: sessions[place].id) != nil else { return }
    // A free place counts as connected, so that no sweep stops at it.
    sessions[place].isConnected = true
    sessions[place].outcomes = RecordedOutcomes()
    sessions[place].memory = AuthorMemory()
    freePlaces.append(place)
  }

  /// Makes room by forgetting the session that has been away for longest and has no seat.
  private mutating func forgetOldest() {
    let candidates = sessions.indices.filter { !sessions[$0].isConnected && sessions[$0].seat == .spectator }
    if let oldest = candidates.min(by: { sessions[$0].lost < sessions[$1].lost }) { forget(oldest) }
  }

  private mutating func removeMember(_ member: Int) {
    setPhase(.live, of: member)
    members.swapAt(member, members.count - 1)
    members.removeLast()
  }

  /// Tells everyone who sits where and who is connected: presence, no diff.
  private func announceSeats(into batch: FrameBatch) {
    guard !table.state.seats.isEmpty else { return }
    relay(.seats(seatsWithPresence), except: nil, isDroppable: false, into: batch)
  }

  private var seatsWithPresence: [Seat] {
    table.state.seats.map { seat in
      var seat = seat
      seat.isConnected = sessionPlaces[seat.session].map { sessions[$0].isConnected } ?? false
      return seat
    }
  }
}
