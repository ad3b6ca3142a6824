import BaizeTable
import BaizeWire

/// Joining a table: as a new session, or by a token as an existing one.
extension TableMachine {
  struct Admission {
    var member: Int
    /// The session's previous connection, which is closed.
    var displaced: ConnectionID?
    /// Whether another account is charged for the session than before.
    var changesAccount: Bool
  }

  /// The conditions under which a connection joins.
  struct JoinContext {
    /// The turn that commits what joining writes.
    var turn: TurnNumber
    var requiresInvite: Bool
    /// The refusal of writes during a storage failure; `nil` otherwise.
    var storage: JournalError?
    /// The account of the connection's address.
    var account = AccountKey.common
    /// Whether the connection's address may have something written (K9).
    var mayWrite = true
    /// Whether the table may have effects that are not written because of it.
    var mayBeAhead: Bool
    /// The last turn that is durable.
    var committed: TurnNumber
  }

  /// Rejects a connection that has neither a token nor an invite for its role, before it learns anything about the table.
  func checkInvite(_ hello: Hello, _ joinContext: JoinContext) throws(Rejection) {
    guard joinContext.requiresInvite else { return }
    if !hello.resumeToken.isEmpty {
      _ = try sessions.find(hello.resumeToken)
      return
    }
    let role = invites.role(of: hello.invite)
    guard role == .player || (role == .spectator && hello.role == .spectator) else {
      throw .invalidInvite
    }
  }

  mutating func join(
    _ hello: Hello, on connection: ConnectionID, _ joinContext: JoinContext, random: inout RandomSource,
    into batch: FrameBatch
  ) throws(Rejection) -> Admission {
    let isResumed = !hello.resumeToken.isEmpty
    let account = isResumed ? try sessions[sessions.find(hello.resumeToken).slot].account : nil
    let slot =
      try isResumed
      ? resumeSession(hello, joinContext, random: &random, into: batch)
      : createSession(hello, joinContext, random: &random, into: batch)
    // All checks come first, so that a rejected connection displaces nobody.
    let displaced = displace(slot, into: batch)
    let canCatchUp = isResumed && canCatchUpByDiffs(hello, slot)
    sessions[slot].connectivity = .connected
    if joinContext.storage == nil, joinContext.mayWrite { setAbsent(false, slot, into: batch) }
    sessions[slot].answers.resume()
    // A welcome with another seat may be lost: until something is received, the client may have the last seat's view.
    if sessions[slot].seatShown == nil { sessions[slot].seatShown = sessions[slot].seat }
    let member = room.add(
      Member(connection: connection, session: slot, seat: sessions[slot].seat, joined: joinContext.turn))
    room.members[member].isNew = !isResumed
    room.beginPresence(of: slot, &sessions)
    let isCreator = !isResumed && sessions[slot].id.rawValue == 1
    let invite = isCreator && joinContext.requiresInvite ? invites[.player] : nil
    welcome(member, holding: canCatchUp ? hello.revision : nil, invite: invite.map(sealed) ?? "", into: batch)
    if isResumed { batch.countResumed(byDiffs: canCatchUp) }
    return Admission(member: member, displaced: displaced, changesAccount: account != joinContext.account)
  }

  /// Returns whether a client can catch up by the missed diffs: it has a state of this epoch in the view of this seat, which
  /// it has had since, and the log reaches back so far.
  private func canCatchUpByDiffs(_ hello: Hello, _ slot: Int) -> Bool {
    let seatedAt = Mutation.holder.isActive ? .zero : sessions[slot].seatedAt
    return hello.epoch == epoch && hello.revision <= table.state.revision
      && room.log(for: sessions[slot].seat)?.reaches(hello.revision) ?? false
      && sessions[slot].seatShown == sessions[slot].seat && hello.revision >= seatedAt
  }

  /// Sends a member its welcome, then a snapshot, or only the diffs that it missed.
  ///
  /// - Parameter invite: The invite for the creator of the table.
  private mutating func welcome(
    _ member: Int, holding revision: Revision?, invite: String, into batch: FrameBatch
  ) {
    let session = sessions[room.members[member].session]
    let type = table.state.type
    let welcome = Welcome(
      session: session.id, seat: session.seat, resumeToken: sealed(session.credentials.token), epoch: epoch,
      revision: table.state.revision, lastSequence: session.answers.last,
      tableType: revision == nil ? type.document : "", options: revision == nil ? type.options : [],
      frameBytesMax: UInt32(limits.connections.frameBytesMax), history: UInt32(TableLimits.historyRevisionsMax),
      heartbeatSeconds: UInt32(limits.connections.heartbeatSeconds), server: "baized/\(BaizeVersion.text)",
      pendingMax: UInt32(limits.sessions.pendingOperationsMax), invite: invite)
    batch.send(.welcome(welcome), to: room.members[member].connection)
    if session.seat != .spectator { room.hasNewPresence = true }
    if let revision {
      room.sendMissedRecords(since: revision, to: member, &table, &sessions, into: batch)
    } else {
      room.beginSnapshot(member, of: table.state, sessions)
    }
  }

  /// Invalidates the previous token when something is received on a connection: the client has the new one.
  @inline(__always) mutating func received(from member: Int) {
    let slot = room.members[member].session
    if sessions[slot].seatShown != room.members[member].seat { sessions[slot].seatShown = room.members[member].seat }
    guard !sessions[slot].credentials.isConfirmed, isWritable else { return }
    if sessions[slot].credentials.confirm() { noteSession(slot) }
  }

  // MARK: Sessions

  private mutating func createSession(
    _ hello: Hello, _ joinContext: JoinContext, random: inout RandomSource, into batch: FrameBatch
  ) throws(Rejection) -> Int {
    try checkStorage(joinContext)
    let id = sessions.nextID
    // All checks come first, so that no session is forgotten for a rejected one.
    let seat = hello.role == .player ? try seatToTake() : .spectator
    if sessions.count >= limits.sessions.sessionsPerTableMax,
      let oldest = sessions.longestAbsent(where: { $0 == .spectator })
    {
      forget(oldest)
    }
    guard sessions.count < limits.sessions.sessionsPerTableMax else {
      throw Rejection(.tableFull, "the table has \(limits.sessions.sessionsPerTableMax) sessions, which is its limit")
    }
    if seat != .spectator { take(seat, id, named: hello.name, into: batch) }
    var session = Session(
      id: id, name: hello.name, seat: seat, credentials: Credentials(new: ResumeToken(session: id, random: &random)),
      answersMax: limits.sessions.pendingOperationsMax)
    session.isSpectatorOnly =
      joinContext.requiresInvite && seat == .spectator && id.rawValue > 1 && invites.role(of: hello.invite) != .player
    session.account = joinContext.account
    let slot = sessions.insert(session)
    noteSeat(of: slot)
    noteSession(slot)
    return slot
  }

  /// Finds the session of a token and issues a new token.
  ///
  /// During a storage failure the old token stays, since a new one would be lost with the process. If the table's epoch would be
  /// lost, too, the session is rejected: after a crash another state would have that epoch. The old token also stays if nothing may
  /// be written for the address.
  private mutating func resumeSession(
    _ hello: Hello, _ joinContext: JoinContext, random: inout RandomSource, into batch: FrameBatch
  ) throws(Rejection) -> Int {
    let (slot, presented) = try sessions.find(hello.resumeToken)
    sessions[slot].account = joinContext.account
    if sessions[slot].seat == .spectator, hello.role == .player, !sessions[slot].isSpectatorOnly {
      try checkStorage(joinContext)
      let seat = try seatToTake()
      take(seat, sessions[slot].id, named: sessions[slot].name, into: batch)
      sessions[slot].seat = seat
      noteSeat(of: slot)
    }
    guard joinContext.storage == nil else {
      guard journal?.isEpochDurable(joinContext.committed) != false else { throw Rejection.storage(limits) }
      // Of two valid tokens, the one that the client presented is certainly durable.
      if joinContext.mayBeAhead { sessions[slot].credentials.keepOnly(presented) }
      return slot
    }
    guard joinContext.mayWrite else { return slot }
    let token = ResumeToken(session: sessions[slot].id, random: &random)
    sessions[slot].credentials.rotate(presented: presented, to: token)
    noteSession(slot)
    return slot
  }

  private func checkStorage(_ joinContext: JoinContext) throws(Rejection) {
    guard joinContext.storage == nil else { throw Rejection.storage(limits) }
    guard joinContext.mayWrite else { throw Rejection.share(limits) }
  }

  /// Disconnects a session from its present connection, if it has one.
  private mutating func displace(_ slot: Int, into batch: FrameBatch) -> ConnectionID? {
    guard sessions[slot].isConnected, let member = room.member(ofSession: slot) else { return nil }
    let displaced = room.members[member].connection
    room.remove(member)
    room.endPresence(of: slot, in: table.state, &sessions, into: batch)
    return displaced
  }

  // MARK: Seats

  /// Records that a session has its seat, or none, from now on.
  mutating func noteSeat(of slot: Int) {
    sessions[slot].seatedAt = table.state.revision
    guard !Mutation.holder.isActive, room.views == .differ else { return }
    sessions[slot].memory.seatedAt = table.state.revision
    room.restartLog(of: sessions[slot].seat, at: table.state.revision)
  }

  /// Returns the seat that the next player takes: the lowest free one. Where seats matter to no rule, it is at a full table that of
  /// the session that has been away longest (J22).
  private func seatToTake() throws(Rejection) -> SeatNumber {
    let state = table.state
    let numbers = (1...UInt32(state.type.seatsMax)).map(SeatNumber.init(rawValue:))
    let free = numbers.filter { number in !state.seats.contains { $0.number == number } }
    if let seat = free.first { return seat }
    if !state.type.dependsOnSeats, let slot = sessions.longestAbsent(where: { state.isAbsent($0) }) {
      return sessions[slot].seat
    }
    throw Rejection(.tableFull, "all \(state.type.seatsMax) seats are taken" + awayText)
  }

  /// Who is away, for those who find the table full.
  private var awayText: String {
    let away = table.state.seats.filter(\.isAbsent)
    guard !away.isEmpty else { return "" }
    var names = away.prefix(Self.namedMax).map {
      "\($0.name.isEmpty ? "someone" : $0.name) (seat \($0.number.rawValue))"
    }
    if away.count > names.count { names.append("\(away.count - names.count) more") }
    return
      "; away, with a seat that is kept: \(names.joined(separator: ", ")). The host can free it or give it to others"
  }

  /// The maximum number of absent players that are named.
  private static let namedMax = 8

  /// Gives a seat, which is free or an absent session's, to another session.
  private mutating func take(_ seat: SeatNumber, _ session: SessionID, named name: String, into batch: FrameBatch) {
    let former = table.state.seats.first { $0.number == seat }.flatMap { sessions.slot(of: $0.session) }
    if let former { sessions[former].seat = .spectator }
    let others = table.state.seats.filter { $0.number != seat }
    publish(table.seat(others + [Seat(number: seat, name: name, session: session)]), of: nil, into: batch)
    if let former { noteSeat(of: former) }
  }
}
