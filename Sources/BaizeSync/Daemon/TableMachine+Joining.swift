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

  /// What a connection joins under.
  struct Circumstances {
    /// The turn in which what joining writes is committed.
    var turn: TurnNumber
    /// Whether the table is joined by invitation only.
    var asksForInvite: Bool
    /// Why nothing can be written now, if so.
    var storage: JournalError?
    /// Whether the table may have done what is not written then.
    var mayBeAhead: Bool
  }

  /// Lets a connection join: with its token as the session it was, otherwise as a new one.
  mutating func join(
    _ hello: Hello, on connection: ConnectionID, _ circumstances: Circumstances, random: inout RandomSource,
    into batch: FrameBatch
  ) throws(Refused) -> Admission {
    let place =
      try hello.resumeToken.isEmpty
      ? makeSession(hello, circumstances, random: &random, into: batch)
      : findSession(hello, circumstances, random: &random, into: batch)
    // What may fail comes first: whoever is turned away has displaced no one.
    let displaced = displace(place, into: batch)
    let isResumed = !hello.resumeToken.isEmpty
    let holdsTable = isResumed && isLevelable(hello, place)
    sessions[place].isConnected = true
    // Whoever comes back sends again what it has no answer to, in order: nothing waits for what was sent before.
    sessions[place].answered = sessions[place].outcomes.last
    sessions[place].retrying = nil
    // A welcome with another seat may be lost: until something is heard the client may still hold what the last seat saw.
    if sessions[place].seatShown == nil { sessions[place].seatShown = sessions[place].seat }
    deserted = nil
    let member = members.count
    members.append(
      Member(connection: connection, session: place, seat: sessions[place].seat, joined: circumstances.turn))
    let isCreator = !isResumed && sessions[place].id.rawValue == 1
    let invite = isCreator && circumstances.asksForInvite ? invites.player : nil
    greet(member, from: holdsTable ? hello.revision : nil, invite: invite?.text ?? "", into: batch)
    if isResumed { batch.countResumed(byDiffs: holdsTable) }
    return Admission(member: member, displaced: displaced)
  }

  /// Whether the missed diffs alone bring a client level: it holds this epoch's state as this seat, which was its own since,
  /// and the log goes back so far.
  private func isLevelable(_ hello: Hello, _ place: Int) -> Bool {
    let seatedAt = Mutation.holder.isActive ? .zero : sessions[place].seatedAt
    return hello.epoch == epoch && (log.oldest...table.state.revision).contains(hello.revision)
      && sessions[place].seatShown == sessions[place].seat && hello.revision >= max(seatedAt, oversized)
  }

  /// Why a connection may not join.
  struct Refused: Error {
    let goodbye: Goodbye

    init(_ goodbye: Goodbye) { self.goodbye = goodbye }

    init(_ reason: GoodbyeReason, _ detail: String) { goodbye = Goodbye(reason, detail: detail) }
  }

  private mutating func makeSession(
    _ hello: Hello, _ circumstances: Circumstances, random: inout RandomSource, into batch: FrameBatch
  ) throws(Refused) -> Int {
    try checkRoom(circumstances)
    let id = SessionID(rawValue: lastSession.rawValue + 1)
    // What may fail comes first: nobody is forgotten for one who is turned away.
    let seat = hello.role == .player ? try freeSeat() : .spectator
    if sessionPlaces.count >= limits.sessionsPerTableMax { forgetOldest() }
    guard sessionPlaces.count < limits.sessionsPerTableMax else {
      throw Refused(.tableFull, "the table has \(limits.sessionsPerTableMax) sessions, which is all it takes")
    }
    if seat != .spectator { take(seat, id, named: hello.name, into: batch) }
    let place = add(
      SessionRecord(id: id, name: hello.name, seat: seat, token: ResumeToken(session: id, random: &random)))
    sessions[place].seatedAt = table.state.revision
    sessions[place].isSpectatorOnly =
      circumstances.asksForInvite && seat == .spectator && id.rawValue > 1 && invites.role(of: hello.invite) != .player
    noteSession(place)
    return place
  }

  /// Adds a session with an id that is new, or was restored.
  mutating func add(_ session: SessionRecord) -> Int {
    lastSession = max(lastSession, session.id)
    let place = freePlaces.popLast() ?? sessions.count
    if place == sessions.count { sessions.append(session) } else { sessions[place] = session }
    sessionPlaces[session.id] = place
    return place
  }

  private func checkRoom(_ circumstances: Circumstances) throws(Refused) {
    guard circumstances.storage == nil else { throw Refused.storage(limits) }
  }

  /// The place of the session that a token opens, with a new token.
  ///
  /// While nothing can be written the old token stays: a new one would be lost with the process.
  private mutating func findSession(
    _ hello: Hello, _ circumstances: Circumstances, random: inout RandomSource, into batch: FrameBatch
  ) throws(Refused) -> Int {
    let (place, presented) = try findSession(hello.resumeToken)
    if sessions[place].seat == .spectator, hello.role == .player, !sessions[place].isSpectatorOnly {
      try checkRoom(circumstances)
      let seat = try freeSeat()
      take(seat, sessions[place].id, named: sessions[place].name, into: batch)
      sessions[place].seat = seat
      sessions[place].seatedAt = table.state.revision
    }
    guard circumstances.storage == nil else {
      if circumstances.mayBeAhead {
        // Of two that are valid, the one that the client has is on disk for sure.
        sessions[place].token = presented
        sessions[place].previousToken = nil
      }
      return place
    }
    // The one that the client surely holds, however many welcomes were lost since.
    sessions[place].previousToken = presented
    sessions[place].token = ResumeToken(session: sessions[place].id, random: &random)
    noteSession(place)
    return place
  }

  func findSession(_ token: [UInt8]) throws(Refused) -> (place: Int, token: ResumeToken) {
    guard let id = ResumeToken.session(of: token), let place = sessionPlaces[id] else {
      throw Refused(.tokenInvalid, "the table knows no session for this token")
    }
    if sessions[place].token.matches(token) { return (place, sessions[place].token) }
    if let previous = sessions[place].previousToken, previous.matches(token) { return (place, previous) }
    throw Refused(.tokenInvalid, "the token is not, or no longer, the session's")
  }

  /// Takes a session from the connection that holds it, if one does.
  private mutating func displace(_ place: Int, into batch: FrameBatch) -> ConnectionID? {
    guard sessions[place].isConnected, let member = members.firstIndex(where: { $0.session == place }) else {
      return nil
    }
    let displaced = members[member].connection
    removeMember(member)
    endDrag(of: place, into: batch)
    return displaced
  }

  /// The lowest seat that nobody has.
  private func freeSeat() throws(Refused) -> SeatNumber {
    let numbers = 1...UInt32(table.state.type.seatsMax)
    let taken = table.state.seats
    guard let free = numbers.first(where: { number in !taken.contains { $0.number.rawValue == number } }) else {
      throw Refused(.tableFull, "all \(table.state.type.seatsMax) seats are taken")
    }
    return SeatNumber(rawValue: free)
  }

  private mutating func take(_ seat: SeatNumber, _ session: SessionID, named name: String, into batch: FrameBatch) {
    publish(table.seat(table.state.seats + [Seat(number: seat, name: name, session: session)]), of: nil, into: batch)
  }

  /// Welcomes a member; then comes a snapshot, or only what it missed since `revision`, which it holds.
  ///
  /// - Parameter invite: For the one who created the table.
  private mutating func greet(_ member: Int, from revision: Revision?, invite: String, into batch: FrameBatch) {
    let session = sessions[members[member].session]
    let type = table.state.type
    let welcome = Welcome(
      session: session.id, seat: session.seat, resumeToken: session.token.bytes, epoch: epoch,
      revision: table.state.revision, lastSequence: session.outcomes.last,
      tableType: revision == nil ? type.document : "", options: revision == nil ? type.options : [],
      frameBytesMax: UInt32(limits.frameBytesMax), history: UInt32(TableLimits.historyRevisionsMax),
      heartbeatSeconds: UInt32(limits.heartbeatSeconds), server: "baized/\(BaizeVersion.text)",
      pendingMax: UInt32(limits.pendingOperationsMax), invite: invite)
    batch.send(.welcome(welcome), to: members[member].connection)
    if session.seat != .spectator { hasNewPresence = true }
    guard let revision else { return beginSnapshot(member) }
    sendRecords(after: revision, to: member, into: batch)
    becomeLive(member, into: batch)
  }

  /// Something arrived on the connection that got the new token: the one before is void.
  mutating func heard(from member: Int) {
    let place = members[member].session
    sessions[place].seatShown = members[member].seat
    guard sessions[place].previousToken != nil, isWritable else { return }
    sessions[place].previousToken = nil
    noteSession(place)
  }
}

extension TableMachine.Refused {
  /// Nothing can be written now: neither a session nor a table can come to be.
  static func storage(_ limits: SyncLimits) -> Self {
    Self(
      Goodbye(
        .storage, detail: "the daemon cannot write to its disk at the moment",
        retryAfterMilliseconds: limits.returnMilliseconds))
  }
}
