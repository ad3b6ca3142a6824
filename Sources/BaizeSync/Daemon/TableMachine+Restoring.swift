import BaizeTable

/// Going on from the journal.
extension TableMachine {
  /// A table that was loaded. It goes on under a new epoch; no one is at it, and who was has the grace time to come back.
  ///
  /// - Parameter epoch: Not in use before, by this process or by the journal.
  init(restoring restored: RestoredTable, epoch: Epoch, random: RandomSource, limits: SyncLimits, at now: Instant) {
    var state = restored.state
    state.nextID = Self.firstID(under: epoch, after: state.nextID)
    self.init(
      name: restored.definition.name, typeText: restored.definition.typeText,
      table: Table(restoring: state, random: random), epoch: epoch, limits: limits)
    for (_, session) in restored.sessions.sorted(by: { $0.key < $1.key }) { restore(session, at: now) }
    lastSession = max(lastSession, restored.lastSession)
    invites = restored.invites
    deserted = now
    journalling = Journalling(of: restored)
    note(.opened(epoch))
  }

  /// The id to go on from. A process that ran relaxed may have shown more than is restored. No item gets the name of one
  /// that was lost: this leaves out far more than can be made in the milliseconds of a lost tail.
  ///
  /// It hangs on the epoch alone where it can: how often the journal got a snapshot hangs on how long hidden faces are.
  private static func firstID(under epoch: Epoch, after last: UInt64) -> UInt64 {
    let distance: UInt64 = 1 << 24
    let first = epoch.rawValue < 1 << 32 ? epoch.rawValue * distance : 0
    return first >= last + distance / 2 ? first : last + distance
  }

  private mutating func restore(_ restored: RestoredTable.RestoredSession, at now: Instant) {
    guard let token = ResumeToken(restoring: restored.stored.token) else { return }
    let id = restored.stored.id
    let seat = table.state.seats.first { $0.session == id }?.number ?? .spectator
    var session = SessionRecord(id: id, name: restored.stored.name, seat: seat, token: token)
    session.previousToken = ResumeToken(restoring: restored.stored.previousToken)
    session.isSpectatorOnly = restored.stored.isSpectatorOnly
    session.outcomes = restored.outcomes.suffix(limits.pendingOperationsMax)
    session.memory = restored.memory
    session.isConnected = false
    session.lost = now
    _ = add(session)
  }

  /// Notes who had dragged before the table was loaded anew.
  mutating func resume(draggers: [SessionID]) {
    for session in draggers {
      if let place = sessionPlaces[session] { sessions[place].hasDragged = true }
    }
  }

  /// The sessions whose drags others may have been told of.
  var knownDraggers: [SessionID] { sessions.filter(\.hasDragged).map(\.id) }

  /// Lets a connection be at the table again that was there before the table was loaded anew. Of the drags that it may have
  /// been told of it will hear that they have ended.
  ///
  /// - Parameter draggers: ``knownDraggers``, asked once for all.
  /// - Returns: Its member, or `nil` where the journal does not know its session.
  mutating func readmit(_ suspended: SuspendedMember, draggers: [SessionID], into batch: FrameBatch) -> Int? {
    guard let place = sessionPlaces[suspended.session] else { return nil }
    sessions[place].isConnected = true
    sessions[place].answered = sessions[place].outcomes.last
    sessions[place].seatShown = sessions[place].seat
    deserted = nil
    if sessions[place].seat != .spectator { hasNewPresence = true }
    let member = members.count
    members.append(
      Member(
        connection: suspended.connection, session: place, seat: sessions[place].seat, joined: suspended.joined,
        isReadmitted: true, backlogBytes: suspended.backlogBytes))
    beginSnapshot(member)
    members[member].draggersSeen = draggers
    return member
  }
}

/// A connection whose table is being loaded anew.
struct SuspendedMember {
  let connection: ConnectionID
  let session: SessionID
  let joined: TurnNumber
  let backlogBytes: Int
}

extension TableMachine {
  /// Who is at the table.
  var suspendedMembers: [SuspendedMember] {
    members.map {
      SuspendedMember(
        connection: $0.connection, session: sessions[$0.session].id, joined: $0.joined, backlogBytes: $0.backlogBytes)
    }
  }

  /// Whether the table may go from memory: no one is at it, no seat is kept for anyone, and the journal has all of it.
  func isIdle(committed: TurnNumber, at now: Instant) -> Bool {
    guard let journalling, let deserted, members.isEmpty, journalling.turn <= committed, record.isEmpty else {
      return false
    }
    return journalling.isWritable && now.milliseconds(since: deserted) >= limits.unloadSeconds * 1_000
      && table.state.seats.isEmpty
  }

  /// Whether the table has done what may never be durable.
  func isAhead(of committed: TurnNumber) -> Bool {
    guard let journalling else { return false }
    // While nothing can be written, a record only says that the table was opened.
    return journalling.isNew || journalling.turn > committed || (journalling.isWritable && !record.isEmpty)
  }
}

extension Journalling {
  fileprivate init(of restored: RestoredTable) {
    record = restored.record
    recordedBytes = restored.recordedBytes
    snapshotBytes = restored.snapshotBytes
  }
}
