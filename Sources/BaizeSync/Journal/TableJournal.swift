import BaizeTable
import BaizeWire

/// The state of a table's journal: what is written, and what has to be written.
struct TableJournal {
  /// The number of the last record.
  private(set) var record: UInt64 = 0
  /// The last turn in which something was written.
  private(set) var turn = TurnNumber(rawValue: 0)
  /// The first turn in which something was written: it makes the table's epoch durable. `nil` before.
  private var firstTurn: TurnNumber?
  private(set) var isNew = false
  /// Whether this turn's record must be durable before its frames are sent, even under ``Durability/relaxed``.
  private(set) var mustHold = false
  /// Whether the disk accepts writes.
  private(set) var isWritable = true
  /// The last turn in which something was written when the disk last began to accept writes again.
  private var turnAtRecovery = TurnNumber(rawValue: 0)
  /// Whether the present turn made decisions before the disk failure was known. They remain and are written.
  private(set) var hasLeftover = false
  /// The snapshot that is being written.
  private var snapshot: StoredSnapshotProducer?
  /// The first snapshot of a new table, if it was encoded beforehand, as far as it is not written.
  private var prepared: [JournalSnapshotPart] = []
  /// The size in bytes of what is written of it already, with the table's definition.
  private var writtenBytes = 0
  /// The bytes recorded since the last snapshot, and the size of that snapshot.
  private var recordedBytes = 0
  private var snapshotBytes = 0

  /// Creates the journal of a new table. Its first snapshot contains its set-up.
  init(ofNew table: inout TableMachine) {
    isNew = true
    mustHold = true
    snapshot = StoredSnapshotProducer(of: &table, record: 0)
  }

  init(of restored: RestoredTable) {
    record = restored.record
    recordedBytes = restored.recordedBytes
    snapshotBytes = restored.snapshotBytes
  }

  /// Takes over the first snapshot of a new table.
  mutating func prepare(_ made: MadeTable) {
    prepared = made.snapshot
    writtenBytes = made.writtenBytes
  }

  // MARK: Storage

  mutating func setWritable(_ isWritable: Bool) {
    if isWritable, !self.isWritable { turnAtRecovery = turn }
    self.isWritable = isWritable
  }

  /// Handles a disk failure.
  ///
  /// - Parameter hasRecord: Whether the present turn has recorded anything.
  mutating func suspendWriting(hasRecord: Bool) {
    if isWritable { hasLeftover = hasRecord }
    isWritable = false
  }

  /// Returns whether the ending turn may be written. The first record of a restored table waits until the disk accepts it.
  mutating func beginsWriting() -> Bool {
    let mayWrite = isWritable || hasLeftover
    hasLeftover = false
    return mayWrite
  }

  /// Returns whether everything up to the present turn is durable.
  func isCommitted(_ committed: TurnNumber) -> Bool { !isNew && turn <= committed }

  /// Returns whether no other state can ever have the table's epoch: it is durable, or nothing happened in it.
  func isEpochDurable(_ committed: TurnNumber) -> Bool { firstTurn.map { $0 <= committed } ?? true }

  /// Returns whether turns that were written before a disk failure are not durable yet. What waited for them was dropped, so that a
  /// frame that depends on them has to wait for a record of its own.
  func isCatchingUp(_ committed: TurnNumber) -> Bool { turnAtRecovery > committed }

  /// Returns the approximate memory of the state that a snapshot is being written from, in bytes.
  func memoryBytes(of state: TableState) -> Int {
    prepared.reduce(0) { $0 + $1.bytes.count } + (snapshot?.pinnedBytes(besides: state) ?? 0)
  }

  /// Whether a snapshot is being written, of which every turn writes a part.
  var hasPartsToWrite: Bool { snapshot != nil }

  // MARK: Writing

  /// Requires this turn's record to be durable before its frames are sent.
  mutating func hold() { mustHold = true }

  mutating func write(_ table: inout TableMachine, in turn: TurnNumber, into writes: inout [JournalWrite]) {
    let name = table.name
    if isNew {
      if writtenBytes == 0 { writes.append(.table(table.definition)) }
      writes += takeParts(of: name).map { .snapshot($0) }
      isNew = false
      note(turn)
    }
    if !table.room.log.isOpenEmpty {
      let bytes = [UInt8](table.room.log.open)
      note(turn)
      recordedBytes += bytes.count
      mustHold = false
      append(bytes, leadingTo: table.table.state.revision, of: table, into: &writes)
      if wantsSnapshot(table.limits) {
        snapshot = StoredSnapshotProducer(of: &table, record: record)
        recordedBytes = 0
      }
    }
    // One part per turn, so that a long snapshot delays nobody.
    if let part = nextPart(of: name) {
      note(turn)
      writes.append(.snapshot(part))
    }
  }

  private mutating func note(_ turn: TurnNumber) {
    self.turn = turn
    if firstTurn == nil { firstTurn = turn }
  }

  /// Appends a turn's record, divided between entries if it is too long for one row.
  private mutating func append(
    _ bytes: [UInt8], leadingTo revision: Revision, of table: TableMachine, into writes: inout [JournalWrite]
  ) {
    let bytesMax = table.limits.tables.recordBytesMax
    let parts = bytes.count <= bytesMax ? [(bytes[...], revision)] : Self.divide(bytes, revision, bytesMax)
    for (bytes, revision) in parts {
      record += 1
      writes.append(.record(JournalRecord(table: table.name, number: record, revision: revision, bytes: bytes)))
    }
  }

  /// Divides a record into parts of at most `bytesMax`, or of one entry.
  private static func divide(
    _ bytes: [UInt8], _ last: Revision, _ bytesMax: Int
  ) -> [(ArraySlice<UInt8>, Revision)] {
    do throws(JournalError) {
      return try JournalEntry.divided(bytes[...], bytesMax: bytesMax, leadingTo: last)
    } catch {
      preconditionFailure("the log of a table cannot be read: \(error)")
    }
  }

  /// Returns whether a snapshot is due: often enough that a restart reads at most as many bytes of records as the last
  /// snapshot has, or as the bound allows, and rarely enough that snapshots at most double the journal.
  private func wantsSnapshot(_ limits: SyncLimits) -> Bool {
    snapshot == nil && recordedBytes >= max(limits.tables.snapshotAfterBytes, snapshotBytes)
  }

  /// Returns the parts of a new table's snapshot that are not written, so that the journal has the table or nothing of it.
  mutating func takeParts(of table: String) -> [JournalSnapshotPart] {
    var parts: [JournalSnapshotPart] = []
    swap(&parts, &prepared)
    if parts.isEmpty {
      while let part = nextPart(of: table) { parts.append(part) }
    } else {
      snapshotBytes = writtenBytes + parts.reduce(0) { $0 + $1.bytes.count }
      snapshot = nil
    }
    return parts
  }

  private mutating func nextPart(of table: String) -> JournalSnapshotPart? {
    guard let snapshot else { return nil }
    let part = snapshot.next(of: table)
    if part.isLast {
      snapshotBytes = snapshot.bytesProduced
      self.snapshot = nil
    }
    return part
  }
}
