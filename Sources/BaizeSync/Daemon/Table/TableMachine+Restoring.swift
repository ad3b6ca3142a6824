import BaizeTable
import BaizeWire

/// Restoring a table from the journal, and unloading it.
extension TableMachine {
  // MARK: Restoring

  /// Creates the machine of a table that was read from the journal. It continues under a new epoch and without members; its
  /// sessions have the grace time to reconnect.
  ///
  /// - Parameter epoch: An epoch that neither this process nor the journal has used.
  init(restoring restored: RestoredTable, epoch: Epoch, random: RandomSource, limits: SharedLimits, at now: Instant) {
    var state = restored.state
    state.nextID = Self.firstID(under: epoch, after: state.nextID)
    // Otherwise whose an item is would depend on when the last snapshot was taken.
    state.forgetOrigins()
    var privateIDs = restored.privateIDs
    privateIDs.skip(to: Self.firstID(under: epoch, after: privateIDs.next))
    self.init(
      name: restored.definition.name, typeText: restored.definition.typeText,
      table: Table(restoring: state, privateIDs: privateIDs, random: random), epoch: epoch, limits: limits)
    sessions =
      restored.preparedSessions ?? Sessions(of: restored, answersMax: limits.value.sessions.pendingOperationsMax)
    sessions.markLost(since: now)
    invites = restored.invites
    room.emptySince = now
    journal = TableJournal(of: restored)
    migration = restored.migration
    charges = TableCharges(restoring: restored.charges)
    note(.opened(epoch))
    for entry in restored.newMigration?.entries ?? [] { note(entry) }
  }

  /// Returns the id, or the number of an id, to continue from. Under `relaxed`, clients may have received items that were
  /// lost. No item may get the id of a lost one, so this skips far more ids than can be used in the milliseconds of a lost
  /// tail.
  ///
  /// It depends on the epoch alone where possible: the frequency of snapshots depends on the size of hidden faces.
  private static func firstID(under epoch: Epoch, after last: UInt64) -> UInt64 {
    let distance: UInt64 = 1 << 24
    let first = epoch.rawValue < 1 << 26 ? epoch.rawValue * distance : 0
    return first >= last + distance / 2 ? first : last + distance
  }

  // MARK: Members of a table that is restored

  /// A connection whose table is being restored.
  struct SuspendedMember {
    let connection: ConnectionID
    let table: String
    let session: SessionID
    let attempt: UInt64
    let claim: SeatClaim?
    let joined: TurnNumber
    let backlogBytes: Int
  }

  /// The members, with what is needed to readmit them after the table is restored.
  var suspendedMembers: [SuspendedMember] {
    room.members.map {
      SuspendedMember(
        connection: $0.connection, table: name, session: sessions[$0.session].id,
        attempt: sessions[$0.session].attempt, claim: sessions[$0.session].claim, joined: $0.joined,
        backlogBytes: $0.backlog.bytes)
    }
  }

  /// The sessions whose drags others may have received.
  var knownDraggers: [SessionID] {
    sessions.indices.filter { sessions[$0].hasDragged }.map { sessions[$0].id }
  }

  /// Records which sessions had dragged before the table was restored.
  mutating func resume(draggers: [SessionID]) {
    for session in draggers {
      if let slot = sessions.slot(of: session) { sessions[slot].hasDragged = true }
    }
  }

  /// Readmits a connection that was a member before the table was restored. It will receive the ends of the drags that it
  /// may have received.
  ///
  /// - Parameter draggers: ``knownDraggers``, computed once for all members.
  mutating func readmit(_ suspended: SuspendedMember, draggers: [SessionID]) -> Readmission {
    guard let slot = sessions.slot(of: suspended.session) else { return .unknown }
    guard !sessions[slot].isConnected else { return .displaced }
    // What its signed token has changed may be lost.
    let seat = sessions[slot].seat
    if let claim = suspended.claim, seat != .spectator, !claim.admits(to: seat) { return .unknown }
    sessions[slot].claim = suspended.claim
    sessions[slot].connectivity = .connected
    sessions[slot].attempt = suspended.attempt
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
    return .member(index)
  }

  enum Readmission {
    case member(Int)
    /// The session has continued on another connection meanwhile.
    case displaced
    /// The journal does not have its session, or that has a seat which its signed token does not admit.
    case unknown
  }

  // MARK: Unloading

  /// Returns whether the table may be unloaded: it has no members, no seat whose session is expected
  /// back within the grace time, and all of it is durable.
  ///
  /// Without a journal it is discarded instead, with its sessions.
  ///
  /// - Parameter isShort: Whether memory is short: then a table that the journal has is unloaded as soon as no seat is reserved.
  func isIdle(committed: TurnNumber, isShort: Bool, at now: Instant) -> Bool {
    guard let emptySince = room.emptySince, room.members.isEmpty else { return false }
    let milliseconds = now.milliseconds(since: emptySince)
    guard let journal else {
      return milliseconds >= limits.tables.discardSeconds * 1_000
    }
    return journal.isWritable && journal.isCommitted(committed) && room.log.isOpenEmpty
      && table.state.seats.allSatisfy(\.isAbsent)
      && (isShort || milliseconds >= limits.tables.unloadSeconds * 1_000)
  }

  /// Returns whether the table has effects that may never be durable.
  func isAhead(of committed: TurnNumber) -> Bool {
    guard let journal else { return false }
    // During a storage failure, a record contains only that the table was opened.
    return !journal.isCommitted(committed) || (journal.isWritable && !room.log.isOpenEmpty)
  }

  mutating func suspendWriting() { journal?.suspendWriting(hasRecord: !room.log.isOpenEmpty) }

  mutating func setWritable(_ isWritable: Bool) { journal?.setWritable(isWritable) }
}
