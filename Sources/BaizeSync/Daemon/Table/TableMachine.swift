import BaizeTable
import BaizeWire

/// One table of the daemon: a ``Table``, its sessions, the room of their connections, and its journal.
struct TableMachine {
  let name: String
  /// The table type as the creator named it, options included.
  let typeText: String
  /// The move that gave the table its document, if it has not the one with which it was created.
  @Rare var migration: StoredMigration?
  var table: Table
  var sessions = Sessions()
  var room: Room
  var invites = Invites()
  /// The state of the table's journal; `nil` without one.
  var journal: TableJournal?
  /// The time that is left; `nil` if the table type limits none.
  @Rare var clock: TableClock?
  /// The connections that were removed from the room and have to be closed, with the reasons.
  var departures: [(connection: ConnectionID, goodbye: Goodbye)] = []
  /// The table's guaranteed work per turn, before it draws on the shard's pool.
  var share: WorkShare
  /// What the table has of a full turn.
  var quiet = QuietShare()
  /// The memory of the sessions as last counted, and what the shard has charged for the table, in bytes.
  var sessionBytes = 0
  /// A sum over the sessions' memory and accounts when they were charged last, which changes with any of them; `nil` if they have
  /// changed since.
  var sessionsSum: UInt64?
  var chargedBytes = 0
  var chargedContentBytes = 0
  /// Who is charged for it.
  var charges = TableCharges()
  /// The type that the shard has charged for the table.
  var chargedType: TableType?
  /// The end of the log when the table was charged last.
  var chargedEnd: RecordLog.Position = 0
  /// What it remembered then, in bytes.
  var chargedHistoryBytes = 0
  /// The end of the log at the last sweep.
  var sweptEnd: RecordLog.Position = -1
  /// The table's position among those that are active in this turn; `nil` if it is not active.
  var touchedPosition: Int?

  /// Creates the machine of a new table.
  init(name: String, typeText: String, table: Table, limits: SharedLimits, isJournalled: Bool) {
    self.init(name: name, typeText: typeText, table: table, epoch: Epoch(rawValue: 1), limits: limits)
    if isJournalled { journal = TableJournal(ofNew: &self) }
  }

  init(name: String, typeText: String, table: Table, epoch: Epoch, limits: SharedLimits) {
    self.name = name
    self.typeText = typeText
    self.table = table
    share = WorkShare(moveRules: table.state.type.ruleCost.units(items: 1))
    room = Room(epoch: epoch, of: table.state, limits: limits)
    clock = TableClock(table.state.type.timeLimits)
    setLimits(limits)
  }

  /// Sets the limits of the table and its room.
  mutating func setLimits(_ shared: SharedLimits) {
    room.sharedLimits = shared
    let limits = shared.value
    table.itemsMax = limits.tables.itemsPerTableMax
    table.contentBytesMax = limits.tables.contentBytesPerTableMax
    table.historyLimits = limits.tables.history
    table.itemsPerOperationMax = limits.tables.itemsPerOperationMax
  }

  var epoch: Epoch { room.epoch }
  var limits: SyncLimits { @inline(__always) get { room.limits } }

  /// Whether decisions that have to be written may be made.
  var isWritable: Bool { journal?.isWritable ?? true }

  var definition: TableDefinition {
    let type = table.state.type
    return TableDefinition(name: name, typeText: typeText, document: type.document, options: type.options)
  }

  // MARK: Publishing

  /// Records a diff of the table and sends it to all members.
  ///
  /// - Parameter slot: The slot of its author's session; `nil` for the daemon.
  mutating func publish(_ diff: Diff, of slot: Int?, into batch: FrameBatch) {
    let reachesAuthor = room.publish(diff, author: slot, into: batch)
    if $clock.isPresent {
      let limits = table.state.type.timeLimits
      clock?.note(diff, isParticipants: slot != nil, limits)
    }
    guard let slot else { return }
    sessions[slot].answers.record(diff, limit: limits.sessions.pendingOperationsMax)
    if reachesAuthor { sessions[slot].answers.markSent(diff.sequence) }
  }

  // MARK: The journal

  /// Records an entry that is neither a diff nor an outcome; only a journal keeps it.
  mutating func note(_ entry: JournalEntry) {
    guard journal != nil else { return }
    entry.append(to: &room.log)
    journal?.hold()
  }

  mutating func noteSession(_ slot: Int) { note(.session(sessions[slot].stored)) }

  // MARK: The turn

  /// Whether the table needs a turn even without an event.
  var wantsTurn: Bool { room.hasPartsToProduce || journal?.hasPartsToWrite == true }

  /// Whether a snapshot is being written that the table's unloading waits for.
  var hasPartsToFlush: Bool { room.emptySince != nil && isWritable && journal?.hasPartsToWrite == true }

  /// Whether the journal does not have everything yet.
  var hasToWrite: Bool { !room.log.isOpenEmpty || journal?.isNew == true || wantsTurn }

  /// Ends the table's turn: its record goes to the log and to the journal.
  ///
  /// - Parameters:
  ///   - parts: The number of snapshot parts that the shard's turn may still produce.
  ///   - now: The time of the turn's last event.
  /// - Returns: Whether the turn's frames depend on what is written, by the durability.
  mutating func endTurn(
    _ turn: TurnNumber, parts: inout Int, at now: Instant, into batch: FrameBatch, _ writes: inout [JournalWrite]
  ) -> (strict: Bool, relaxed: Bool) {
    room.sendMoves(into: batch)
    room.produceParts(&parts, &table, &sessions, into: batch)
    room.announcePresence(in: table.state, sessions, into: batch)
    room.sendValues(sessions, into: batch)
    room.announceWatchers(into: batch)
    announceTime(at: now, into: batch)
    room.endTurn()
    touchedPosition = nil
    guard var journal else {
      let hasRecord = !room.log.isOpenEmpty
      room.closeRecord(at: table.state.revision)
      return (hasRecord, false)
    }
    self.journal = nil
    defer { self.journal = journal }
    guard journal.beginsWriting() else { return (false, false) }
    let holds = (strict: !room.log.isOpenEmpty, relaxed: journal.mustHold)
    journal.write(&self, in: turn, into: &writes)
    room.closeRecord(at: table.state.revision)
    return holds
  }
}
