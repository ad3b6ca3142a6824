import BaizeTable
import BaizeWire

/// Joining a table: as an existing session or a new one, of an existing person or a new one. A hello may be repeated: the same
/// credential and name of a session lead to the same session.
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
    var now: Instant
    var requiresInvite: Bool
    /// The refusal of writes during a storage failure; `nil` otherwise.
    var storage: JournalError?
    /// The account of the connection's address.
    var account = AccountKey.common
    /// Whether the connection's address may have something written (K9).
    var mayWrite = true
    /// What the signed token of the connection gives; `nil` without one (J23).
    var rights: TokenRights?
    /// The last turn that is durable.
    var committed: TurnNumber
  }

  /// Rejects a connection of one who is not known here and has no invite for the role, before it learns anything about the table.
  func checkInvite(_ hello: Hello, _ joinContext: JoinContext) throws(Rejection) {
    guard joinContext.requiresInvite else { return }
    if let credential = CredentialHash(of: hello.credential), !sessions.slots(of: credential).isEmpty { return }
    let role = invites.role(of: hello.invite)
    guard role == .player || (role == .spectator && hello.role == .spectator) else {
      throw .invalidInvite
    }
  }

  /// Returns whether a hello resumes a session.
  func hasSession(for hello: Hello) -> Bool {
    CredentialHash(of: hello.credential).flatMap { session(for: hello, among: sessions.slots(of: $0)) } != nil
  }

  private func session(for hello: Hello, among own: [Int]) -> Int? {
    own.first { sessions[$0].identity.isNamed(by: hello) }
  }

  mutating func join(
    _ hello: Hello, on connection: ConnectionID, _ joinContext: JoinContext, random: inout RandomSource,
    into batch: FrameBatch
  ) throws(Rejection) -> Admission {
    let credential = CredentialHash(of: hello.credential)
    let own = credential.map(sessions.slots(of:)) ?? []
    let known = session(for: hello, among: own)
    let account = known.map { sessions[$0].account }
    let slot: Int
    if let known {
      // The network may deliver a hello late: its client has given that connection up, and lives on the present one.
      guard !sessions[known].isConnected || hello.attempt >= sessions[known].attempt else {
        throw Rejection.staleHello(limits)
      }
    }
    let change = (known ?? own.first).flatMap { tokenChange(of: $0, joinContext.rights) }
    if change != nil { try checkStorage(joinContext) }
    if let known {
      try resumeSession(known, hello, joinContext, into: batch)
      slot = known
    } else {
      slot = try createSession(hello, credential, besides: own, joinContext, random: &random, into: batch)
    }
    if let change { apply(change, to: slot, at: joinContext.now, into: batch) }
    let isResumed = known != nil
    // All checks come first, so that a rejected connection displaces nobody.
    let displaced = displace(slot, into: batch)
    let canCatchUp = isResumed && canCatchUpByDiffs(hello, slot)
    sessions[slot].connectivity = .connected
    sessions[slot].attempt = hello.attempt
    sessions[slot].claim = joinContext.rights.map(SeatClaim.init)
    if joinContext.storage == nil, joinContext.mayWrite { setAbsent(false, slot, into: batch) }
    sessions[slot].answers.resume()
    // A welcome with another seat may be lost: until something is received, the client may have the last seat's view.
    if sessions[slot].seatShown == nil { sessions[slot].seatShown = sessions[slot].seat }
    var joining = Member(connection: connection, session: slot, seat: sessions[slot].seat, joined: joinContext.turn)
    joining.asksForSeat = hello.role == .waiting && joining.seat == .spectator && !sessions[slot].isSpectatorOnly
    let member = room.add(joining)
    room.members[member].isNew = !isResumed
    room.beginPresence(of: slot, &sessions)
    // Again at each welcome, since the first may be lost.
    let isCreator = sessions[slot].person.rawValue == 1
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
      session: session.id, seat: session.seat, person: session.person, ticket: sealedTicket(of: session.identity),
      epoch: epoch, revision: table.state.revision, lastSequence: session.answers.last,
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

  /// Notes when something is received on a connection: the client has the welcome and its seat.
  @inline(__always) mutating func received(from member: Int) {
    let slot = room.members[member].session
    if sessions[slot].seatShown != room.members[member].seat { sessions[slot].seatShown = room.members[member].seat }
  }

  // MARK: Sessions

  /// Adds a session, of a new person or besides the other sessions of one.
  private mutating func createSession(
    _ hello: Hello, _ credential: CredentialHash?, besides others: [Int], _ joinContext: JoinContext,
    random: inout RandomSource, into batch: FrameBatch
  ) throws(Rejection) -> Int {
    try checkStorage(joinContext)
    // All checks come first, so that no session is forgotten for a rejected one.
    let seat = try seatToTake(for: others.first, isResumed: false, hello, joinContext.rights)
    var forgotten: Int?
    if others.count >= TableLimits.sessionsPerPersonMax {
      forgotten = sessions.longestAbsent(among: others)
      guard forgotten != nil else {
        throw Rejection(.tableFull, "you are at this table on \(others.count) devices, which is the limit")
      }
    } else if sessions.count >= limits.sessions.sessionsPerTableMax {
      forgotten = sessions.longestAbsent { $0 == .spectator }
      guard forgotten != nil else {
        throw Rejection(.tableFull, "the table has \(limits.sessions.sessionsPerTableMax) sessions, which is its limit")
      }
    }
    let session = newSession(hello, credential, like: others.first, joinContext, isPlayer: seat != nil, random: &random)
    if let forgotten { forget(forgotten) }
    let slot = sessions.insert(session)
    if let seat {
      take(seat, for: slot, at: joinContext.now, into: batch)
    } else if others.isEmpty {
      noteSeat(of: slot)
    }
    noteSession(slot)
    return slot
  }

  /// Returns a new session: without a seat, or with that of a person who has one.
  private func newSession(
    _ hello: Hello, _ credential: CredentialHash?, like other: Int?, _ joinContext: JoinContext, isPlayer: Bool,
    random: inout RandomSource
  ) -> Session {
    let id = sessions.nextID
    let model = other.map { sessions[$0] }
    let identity = SessionIdentity(
      person: model?.person ?? id, credential: credential, name: hello.sessionName, ticket: random.next())
    var session = Session(
      id: id, name: model?.name ?? hello.name, seat: model?.seat ?? .spectator, identity: identity,
      answersMax: limits.sessions.pendingOperationsMax)
    session.account = joinContext.account
    if let model { (session.seatedAt, session.memory.seatedAt) = (model.seatedAt, model.memory.seatedAt) }
    session.isSpectatorOnly =
      model?.isSpectatorOnly
      ?? (joinContext.requiresInvite && !isPlayer && id.rawValue > 1 && invites.role(of: hello.invite) != .player)
    return session
  }

  /// Has a session continue, with a seat if its person now asks for one.
  ///
  /// If during a storage failure the table's epoch would be lost, the session is rejected: after a crash another state would have
  /// that epoch.
  private mutating func resumeSession(
    _ slot: Int, _ hello: Hello, _ joinContext: JoinContext, into batch: FrameBatch
  ) throws(Rejection) {
    if let seat = try seatToTake(for: slot, isResumed: true, hello, joinContext.rights) {
      try checkStorage(joinContext)
      take(seat, for: slot, at: joinContext.now, into: batch)
    }
    guard joinContext.storage == nil || journal?.isEpochDurable(joinContext.committed) != false else {
      throw Rejection.storage(limits)
    }
    let isOther = sessions[slot].account != joinContext.account
    sessions[slot].account = joinContext.account
    guard joinContext.storage == nil else { return }
    // A welcome to a table or a session that a crash could still lose waits, also under `relaxed`.
    let mustWait = journal?.isCatchingUp(joinContext.committed) == true
    if mustWait || (isOther && joinContext.mayWrite) { noteSession(slot) }
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

  /// Returns the seat that a person takes by a hello; `nil` for one who has a seat, asks for none or may have none.
  ///
  /// - Parameters:
  ///   - slot: One of the person's sessions; `nil` for a new person.
  ///   - isResumed: Whether it is the one that joins.
  private func seatToTake(
    for slot: Int?, isResumed: Bool, _ hello: Hello, _ rights: TokenRights?
  ) throws(Rejection) -> SeatNumber? {
    guard hello.role != .spectator else { return nil }
    do throws(Rejection) {
      return try seatToTake(for: slot, isResumed: isResumed, rights)
    } catch {
      guard hello.role == .waiting, error.goodbye.reason == .tableFull else { throw error }
      return nil
    }
  }

  private func seatToTake(for slot: Int?, isResumed: Bool, _ rights: TokenRights?) throws(Rejection) -> SeatNumber? {
    if let rights {
      try rights.checkSeat(of: table.state.type)
      // Of a person whose devices have different tokens, what all of them allow counts: devices that each had their way would
      // take turns.
      let others = slot.map { claims(ofPersonOf: $0, but: isResumed ? $0 : nil) } ?? []
      if others.contains(where: \.isViewer) { return nil }
      if let seat = rights.seat, others.allSatisfy({ $0.admits(to: seat) }) { return try seatToTake(seat, for: slot) }
    }
    if let slot, sessions[slot].seat != .spectator || sessions[slot].isSpectatorOnly { return nil }
    return try seatToTake()
  }

  /// Returns the seat that a signed token names; `nil` if its person has that, or may have none.
  private func seatToTake(_ seat: SeatNumber, for slot: Int?) throws(Rejection) -> SeatNumber? {
    if let slot, sessions[slot].seat == seat || sessions[slot].isSpectatorOnly { return nil }
    guard let holder = table.state.seats.first(where: { $0.number == seat }) else { return seat }
    let whose = holder.name.isEmpty ? "is another person's" : "is that of \(holder.name)"
    throw Rejection(.tableFull, "seat \(seat.rawValue), which the signed token names, \(whose)")
  }

  /// Returns what the signed tokens of a person's connected devices say about its seat.
  ///
  /// - Parameters:
  ///   - slot: One of the person's sessions.
  ///   - excluded: A session that does not count, since it joins again.
  func claims(ofPersonOf slot: Int, but excluded: Int? = nil) -> [SeatClaim] {
    sessions.slots(ofPerson: sessions[slot].person).filter { $0 != excluded && sessions[$0].isConnected }
      .compactMap { sessions[$0].claim }
  }

  /// What a signed token changes of a person at the table.
  private struct TokenChange {
    /// Whether the person has a seat, which a viewer has not.
    let losesSeat: Bool
    /// The person's new name; `nil` if that stays.
    let name: String?
  }

  /// Returns what the signed token of a connection changes of its person; `nil` if nothing.
  ///
  /// - Parameter slot: One of the person's sessions.
  private func tokenChange(of slot: Int, _ rights: TokenRights?) -> TokenChange? {
    guard let rights else { return nil }
    let losesSeat = rights.isViewer && sessions[slot].seat != .spectator
    let name = rights.name.flatMap { $0.hasBytes(of: sessions[slot].name) ? nil : $0 }
    return losesSeat || name != nil ? TokenChange(losesSeat: losesSeat, name: name) : nil
  }

  /// Has a person be what a signed token says. Its other devices have to join again, with the view of one without a seat.
  private mutating func apply(_ change: TokenChange, to slot: Int, at now: Instant, into batch: FrameBatch) {
    let (own, seat) = (sessions.slots(ofPerson: sessions[slot].person), sessions[slot].seat)
    if let name = change.name {
      for slot in own {
        sessions[slot].name = name
        noteSession(slot)
      }
    }
    if change.losesSeat {
      publish(table.seat(seats(without: seat)), of: nil, into: batch)
      sessions[slot].seat = .spectator
      noteSeat(of: slot)
      for other in own where other != slot { reseat(other, to: .spectator, Self.seatLost, at: now, into: batch) }
    } else if let name = change.name {
      var seats = table.state.seats
      guard let index = seats.firstIndex(where: { $0.number == seat }) else { return }
      seats[index].name = name
      publish(table.seat(seats), of: nil, into: batch)
    }
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

  /// Gives a seat, which is free or an absent person's, to the person of a session who now joins and has none, or another. The
  /// person's other sessions have to join again, with the seat's view.
  private mutating func take(_ seat: SeatNumber, for slot: Int, at now: Instant, into batch: FrameBatch) {
    let former = table.state.seats.first { $0.number == seat }.map { sessions.slots(ofPerson: $0.person) } ?? []
    for slot in former { sessions[slot].seat = .spectator }
    let new = Seat(number: seat, name: sessions[slot].name, person: sessions[slot].person)
    publish(table.seat(seats(without: sessions[slot].seat, but: new)), of: nil, into: batch)
    for slot in former { noteSeat(of: slot) }
    for own in sessions.slots(ofPerson: sessions[slot].person) where own != slot {
      reseat(own, to: seat, Self.seatTaken, at: now, into: batch)
    }
    sessions[slot].seat = seat
    noteSeat(of: slot)
  }

  private static let seatTaken = Goodbye(
    .reseated, detail: "you have taken a seat on another device", isResumable: true)
  private static let seatLost = Goodbye(
    .reseated, detail: "your signed token on another device admits a viewer", isResumable: true)
}
