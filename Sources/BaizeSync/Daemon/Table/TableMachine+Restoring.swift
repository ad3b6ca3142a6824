import BaizeTable
import BaizeWire

/// A table that goes from memory, or comes back from the journal.
extension TableMachine {
  // MARK: Restoring

  /// A table that was read from the journal. It goes on under a new epoch; nobody is at it, and its sessions have the grace
  /// time to come back.
  ///
  /// - Parameter epoch: Not in use before, by this process or by the journal.
  init(restoring restored: RestoredTable, epoch: Epoch, random: RandomSource, limits: SyncLimits, at now: Instant) {
    var state = restored.state
    state.nextID = Self.firstID(under: epoch, after: state.nextID)
    self.init(
      name: restored.definition.name, typeText: restored.definition.typeText,
      table: Table(restoring: state, random: random), epoch: epoch, limits: limits)
    for (_, session) in restored.sessions.sorted(by: { $0.key < $1.key }) { restore(session, at: now) }
    sessions.reserveID(restored.lastSession)
    invites = restored.invites
    room.emptySince = now
    journal = TableJournal(of: restored)
    note(.opened(epoch))
  }

  /// Returns the id to go on from. A process that ran relaxed may have shown more than is restored. No item gets the id of
  /// one that was lost: this skips far more than can be made in the milliseconds of a lost tail.
  ///
  /// It depends on the epoch alone where it can: how often the journal got a snapshot depends on how long hidden faces are.
  private static func firstID(under epoch: Epoch, after last: UInt64) -> UInt64 {
    let distance: UInt64 = 1 << 24
    let first = epoch.rawValue < 1 << 32 ? epoch.rawValue * distance : 0
    return first >= last + distance / 2 ? first : last + distance
  }

  private mutating func restore(_ restored: RestoredTable.RestoredSession, at now: Instant) {
    guard let token = ResumeToken(restoring: restored.stored.token) else { return }
    let id = restored.stored.id
    let seat = table.state.seats.first { $0.session == id }?.number ?? .spectator
    let previous = ResumeToken(restoring: restored.stored.previousToken)
    var session = Session(
      id: id, name: restored.stored.name, seat: seat, credentials: Credentials(token, previous: previous))
    session.isSpectatorOnly = restored.stored.isSpectatorOnly
    session.answers = Answers(restored.outcomes.suffix(limits.pendingOperationsMax))
    session.memory = restored.memory
    session.connectivity = .lost(since: now)
    _ = sessions.insert(session)
  }

  // MARK: Members of a table that is read anew

  /// A connection whose table is being read anew.
  struct SuspendedMember {
    let connection: ConnectionID
    let session: SessionID
    let joined: TurnNumber
    let backlogBytes: Int
  }

  /// The members, with what is needed to let them go on at the table when it is read anew.
  var suspendedMembers: [SuspendedMember] {
    room.members.map {
      SuspendedMember(
        connection: $0.connection, session: sessions[$0.session].id, joined: $0.joined, backlogBytes: $0.backlog.bytes)
    }
  }

  /// The sessions whose drags others may have received.
  var knownDraggers: [SessionID] {
    sessions.indices.filter { sessions[$0].hasDragged }.map { sessions[$0].id }
  }

  /// Notes which sessions had dragged before the table was read anew.
  mutating func resume(draggers: [SessionID]) {
    for session in draggers {
      if let slot = sessions.slot(of: session) { sessions[slot].hasDragged = true }
    }
  }

  /// Lets a connection go on that was at the table before it was read anew. Of the drags that it may have received it will
  /// receive the ends.
  ///
  /// - Parameter draggers: ``knownDraggers``, asked once for all.
  /// - Returns: Its member, or `nil` where the journal does not know its session.
  mutating func readmit(_ suspended: SuspendedMember, draggers: [SessionID]) -> Int? {
    guard let slot = sessions.slot(of: suspended.session) else { return nil }
    sessions[slot].connectivity = .connected
    sessions[slot].answers.resume()
    sessions[slot].seatShown = sessions[slot].seat
    if sessions[slot].seat != .spectator { room.hasNewPresence = true }
    var member = Member(
      connection: suspended.connection, session: slot, seat: sessions[slot].seat, joined: suspended.joined)
    member.isReadmitted = true
    member.backlog = Backlog(bytes: suspended.backlogBytes)
    let index = room.add(member)
    room.beginSnapshot(index, of: table.state, sessions)
    room.members[index].draggersSeen = draggers
    return index
  }

  // MARK: Unloading

  /// Whether the table may be removed from memory: nobody is at it, no seat is kept for anyone, and the journal has all of
  /// it.
  func isIdle(committed: TurnNumber, at now: Instant) -> Bool {
    guard let journal, let emptySince = room.emptySince, room.members.isEmpty else { return false }
    return journal.isWritable && journal.isCommitted(committed) && room.log.isOpenEmpty
      && now.milliseconds(since: emptySince) >= limits.unloadSeconds * 1_000 && table.state.seats.isEmpty
  }

  /// Whether the table has done what may never be durable.
  func isAhead(of committed: TurnNumber) -> Bool {
    guard let journal else { return false }
    // While nothing can be written, a record only says that the table was opened.
    return !journal.isCommitted(committed) || (journal.isWritable && !room.log.isOpenEmpty)
  }

  /// The disk fails.
  mutating func suspendWriting() { journal?.suspendWriting(hasRecord: !room.log.isOpenEmpty) }

  /// Sets whether the disk accepts writes.
  mutating func setWritable(_ isWritable: Bool) { journal?.setWritable(isWritable) }
}
