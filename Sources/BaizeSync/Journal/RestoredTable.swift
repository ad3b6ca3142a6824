public import BaizeTable
import BaizeWire

/// A table restored from its journal, for a shard to continue or for a replay.
///
/// It is a plain value that may be created on any thread.
public struct RestoredTable: Sendable {
  /// The table's name and present type.
  public internal(set) var definition: TableDefinition
  /// The number of the last record that it contains.
  public internal(set) var record: UInt64
  public internal(set) var epoch: Epoch
  /// The view hash that was stored with the snapshot.
  public let storedHash: UInt64
  var table: Table
  /// The move that gave the table its document, if it has not the one with which it was created.
  var migration: StoredMigration?
  /// The last move, if it is not in the journal yet.
  var newMigration: NewMigration?
  let types: any TableTypeReader
  var random: RandomSource
  var sessions: [SessionID: RestoredSession] = [:]
  /// The sessions as a table's machine has them, instead of ``sessions``, if they were prepared.
  var preparedSessions: Sessions?
  private(set) var lastSession = SessionID.daemon
  private(set) var invites = Invites()
  /// Who is charged for what of the contents, as last recorded.
  private(set) var charges: [StoredCharge] = []
  private(set) var snapshotBytes = 0
  /// The size of the records after it.
  private(set) var recordedBytes = 0

  struct RestoredSession: Sendable {
    var stored: StoredSession
    var outcomes = RecordedOutcomes()
  }

  /// The maximum number of outcomes that are restored of a session.
  private static let outcomesMax = 4_096

  /// Creates a table without sessions that no journal is read for.
  init(
    _ definition: TableDefinition, epoch: Epoch, _ table: Table, invites: Invites, lastSession: SessionID,
    migration: StoredMigration?, types: any TableTypeReader, random: RandomSource
  ) {
    (self.definition, self.epoch, self.table, self.invites) = (definition, epoch, table, invites)
    (self.lastSession, self.migration, self.types, self.random) = (lastSession, migration, types, random)
    (record, storedHash) = (0, 0)
  }

  /// Restores the table from its snapshot and all records.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt` if the stored data is inconsistent.
  /// - Complexity: O(n log n) for n items and diffs.
  public init(
    _ stored: StoredTable, types: any TableTypeReader, random: RandomSource = RandomSource(seed: 0)
  ) throws(JournalError) {
    try self.init(stored.definition, snapshot: stored.snapshot, types: types, random: random)
    for record in stored.records { _ = try apply(record) }
  }

  /// Restores the table from a complete snapshot.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt` if the snapshot is incomplete or inconsistent.
  public init(
    _ definition: TableDefinition, snapshot: [JournalSnapshotPart], types: any TableTypeReader,
    random: RandomSource = RandomSource(seed: 0)
  ) throws(JournalError) {
    guard let last = snapshot.last, last.isLast else {
      throw JournalError(.corrupt, "table \(definition.name) has no whole snapshot")
    }
    record = last.record
    self.types = types
    self.random = random
    let head = try StoredSnapshotPart(decoding: snapshot[0].bytes)
    migration = head.migration
    self.definition = definition
    if let migration { self.definition.move(by: migration) }
    let type = try Self.type(of: self.definition, types)
    var loader = StateLoader(type: type, for: .authority)
    var highest = SessionID.daemon
    for (number, part) in snapshot.enumerated() {
      let stored = number == 0 ? head : try StoredSnapshotPart(decoding: part.bytes)
      snapshotBytes += part.bytes.count
      do throws(DiffMismatch) {
        try loader.add(stored.state)
      } catch {
        throw JournalError(.corrupt, "a snapshot of table \(definition.name) is inconsistent: \(error.detail)")
      }
      for session in stored.sessions {
        let last = session.outcomes.last.rawValue
        guard last < Self.numbersMax else {
          throw JournalError(.corrupt, "the number \(last) of an operation of table \(definition.name) is too high")
        }
        sessions[session.session.id] = RestoredSession(session)
        highest = max(highest, session.session.id)
      }
    }
    do throws(DiffMismatch) {
      try loader.reserve(head.handlesEnd)
    } catch {
      throw JournalError(.corrupt, "a snapshot of table \(definition.name) is inconsistent: \(error.detail)")
    }
    epoch = head.state.epoch
    storedHash = head.viewHash
    lastSession = max(head.lastSession, highest)
    invites = head.invites
    charges = head.charges
    var state = loader.finish(
      revision: head.state.revision, status: head.state.status, variables: head.state.variables,
      seats: head.state.seats)
    state.nextID = max(state.nextID, head.nextID)
    guard let privateIDs = head.privateIDs ?? (type.hasPrivateCollections ? nil : PrivateIDs(key: (0, 0))) else {
      throw JournalError(.corrupt, "a snapshot of table \(definition.name) has no key for ids")
    }
    do throws(DiffMismatch) {
      try state.checkAliases()
    } catch {
      throw JournalError(.corrupt, "a snapshot of table \(definition.name) is inconsistent: \(error.detail)")
    }
    table = Table(restoring: state, privateIDs: privateIDs, random: random)
    guard table.viewHash() == storedHash else {
      throw JournalError(.corrupt, "a snapshot of table \(definition.name) is not what was stored")
    }
    try checkNumbers()
  }

  /// Checks that no stored counter is so high that it could overflow, whatever the file contains.
  private func checkNumbers() throws(JournalError) {
    let largest = max(record, table.state.revision.rawValue, epoch.rawValue, lastSession.rawValue)
    guard largest < Self.numbersMax else {
      throw JournalError(.corrupt, "the number \(largest) of table \(definition.name) is too high")
    }
    let largestID = max(table.state.nextID, table.privateIDs.next)
    guard largestID < ItemID.privateBit - Self.idsInReserve else {
      throw JournalError(.corrupt, "the id \(largestID) of table \(definition.name) is too high")
    }
  }

  private static let numbersMax: UInt64 = 1 << 62
  /// More ids than a table skips when it is loaded.
  private static let idsInReserve: UInt64 = 1 << 32

  static func type(
    of definition: TableDefinition, _ types: any TableTypeReader
  ) throws(JournalError) -> TableType {
    do {
      return try types.tableType(document: definition.document, options: definition.options)
    } catch {
      throw JournalError(.corrupt, "the type of table \(definition.name) cannot be read: \(error)")
    }
  }

  /// The table's state, with every face.
  public var state: TableState { table.state }

  /// The source of the ids of items in private collections.
  var privateIDs: PrivateIDs { table.privateIDs }

  public mutating func viewHash() -> UInt64 { table.viewHash() }

  /// Applies the next record.
  ///
  /// - Returns: Its entries.
  /// - Throws: ``JournalError`` of kind `corrupt` if it does not follow the previous record, or does not fit the state.
  public mutating func apply(_ record: JournalRecord) throws(JournalError) -> [JournalEntry] {
    guard record.number == self.record &+ 1 else {
      throw JournalError(
        .corrupt, "record \(record.number) of table \(definition.name) follows record \(self.record)")
    }
    let entries = try JournalEntry.entries(of: record.bytes)
    for entry in entries { try apply(entry) }
    self.record = record.number
    recordedBytes += record.bytes.count
    try checkNumbers()
    guard record.revision == table.state.revision else {
      throw JournalError(
        .corrupt,
        "record \(record.number) of table \(definition.name) leads to revision \(table.state.revision.rawValue), "
          + "not \(record.revision.rawValue)")
    }
    return entries
  }

  private mutating func apply(_ entry: JournalEntry) throws(JournalError) {
    switch entry {
    case .diff(let diff):
      do throws(DiffMismatch) {
        try table.apply(diff)
      } catch {
        throw JournalError(.corrupt, "table \(definition.name): \(error.detail)")
      }
      if diff.author != .daemon {
        try answer(diff.author, diff.sequence) { $0.outcomes.append(diff, limit: Self.outcomesMax) }
      }
    case .outcome(let author, let outcome):
      try answer(author, outcome.sequence) { $0.outcomes.append(outcome, limit: Self.outcomesMax) }
    case .session(let stored):
      sessions[stored.id, default: RestoredSession(stored: stored)].stored = stored
      lastSession = max(lastSession, stored.id)
    case .forgotten(let session): sessions[session] = nil
    case .opened(let epoch): self.epoch = epoch
    case .invite(let role, let text): invites[role] = Invite(restoring: text)
    case .migrated(let migration): try apply(migration)
    case .charged(let charges): self.charges = charges
    }
  }

  /// Records the answer to a session's next operation by calling `note`.
  private mutating func answer(
    _ id: SessionID, _ sequence: SequenceNumber, _ note: (inout RestoredSession) -> Void
  ) throws(JournalError) {
    guard var session = sessions.removeValue(forKey: id) else {
      throw JournalError(.corrupt, "table \(definition.name) has no session \(id.rawValue)")
    }
    guard sequence == session.outcomes.last.next else {
      throw JournalError(
        .corrupt,
        "session \(id.rawValue) of table \(definition.name) has an answer to operation "
          + "\(sequence.rawValue) after operation \(session.outcomes.last.rawValue)")
    }
    note(&session)
    sessions[id] = session
  }
}

extension RestoredTable.RestoredSession {
  fileprivate init(_ state: StoredSnapshotPart.SessionState) {
    stored = state.session
    outcomes = state.outcomes
  }
}
