import BaizeTable
import BaizeWire

/// What the journal has of a table, and what it is yet to get.
struct Journalling {
  /// The last record.
  var record: UInt64 = 0
  /// The turn that it was written in.
  var turn = TurnNumber(rawValue: 0)
  /// The table is not in the journal yet.
  var isNew = false
  /// What was recorded this turn must be durable before anyone hears of it, even under ``Durability/relaxed``.
  var mustHold = false
  /// Whether the disk takes what is written.
  var isWritable = true
  /// What was decided before the disk was known to take nothing, and is written all the same: it stands.
  var hasLeftover = false
  /// The snapshot that is being written.
  var snapshot: StoredSnapshotProducer?
  /// The whole of a new table's first snapshot, where that was made beforehand.
  var prepared: [JournalSnapshotPart] = []
  /// What was recorded since the last snapshot was taken, and how long that is.
  var recordedBytes = 0
  var snapshotBytes = 0
}

/// What a turn writes to the journal.
extension TableMachine {
  /// Whether something may be decided that has to be written.
  var isWritable: Bool { journalling?.isWritable ?? true }

  /// Records what is no diff and no answer; only a journal wants to know.
  mutating func note(_ entry: JournalEntry) {
    guard journalling != nil else { return }
    entry.append(to: &record)
    journalling?.mustHold = true
  }

  mutating func noteSession(_ place: Int) {
    note(.session(sessions[place].stored))
  }

  /// Ends the table's turn: what it recorded goes to the log, and to the journal.
  ///
  /// - Returns: Whether the turn's frames depend on what is written, under each durability.
  mutating func endTurn(_ turn: TurnNumber, into writes: inout [JournalWrite]) -> (strict: Bool, relaxed: Bool) {
    turnCount += 1
    // What a table that was loaded begins with waits until the disk takes it.
    guard isWritable || journalling?.hasLeftover == true else { return (false, false) }
    journalling?.hasLeftover = false
    let hasRecord = !record.isEmpty
    let holds = (strict: hasRecord, relaxed: journalling?.mustHold ?? false)
    if hasRecord {
      log.append(
        record, at: table.state.revision,
        revisionsMax: loadingCount > 0 ? .max : TableLimits.historyRevisionsMax,
        bytesMax: loadingCount > 0 ? limits.logBytesWhileLoadingMax : limits.logBytesMax)
    }
    if journalling != nil { write(turn, into: &writes) }
    record.removeAll(keepingCapacity: true)
    return holds
  }

  private mutating func write(_ turn: TurnNumber, into writes: inout [JournalWrite]) {
    guard var journalling else { return }
    self.journalling = nil
    if journalling.isNew {
      writes.append(.table(definition))
      writes += journalling.takeParts(of: name).map { .snapshot($0) }
      journalling.isNew = false
      journalling.turn = turn
    }
    if !record.isEmpty {
      journalling.record += 1
      journalling.turn = turn
      journalling.recordedBytes += record.count
      journalling.mustHold = false
      writes.append(
        .record(
          JournalRecord(
            table: name, number: journalling.record, revision: table.state.revision, bytes: record[...])))
      if journalling.wantsSnapshot(limits) {
        journalling.snapshot = StoredSnapshotProducer(of: &self, record: journalling.record)
        journalling.recordedBytes = 0
      }
    }
    // One part a turn: no one waits for a long one.
    if let part = journalling.nextPart(of: name) {
      journalling.turn = turn
      writes.append(.snapshot(part))
    }
    self.journalling = journalling
  }

  private var definition: TableDefinition {
    let type = table.state.type
    return TableDefinition(name: name, typeText: typeText, document: type.document, options: type.options)
  }
}

extension Journalling {
  /// A table that was made now. Its first snapshot is of its set-up.
  init(ofNew table: inout TableMachine) {
    isNew = true
    mustHold = true
    snapshot = StoredSnapshotProducer(of: &table, record: 0)
  }

  /// So often that a journal is at most twice as long as its records, and loading takes no longer than the last snapshot
  /// or the bound.
  fileprivate func wantsSnapshot(_ limits: SyncLimits) -> Bool {
    snapshot == nil && recordedBytes >= max(limits.snapshotAfterBytes, snapshotBytes)
  }

  /// All parts of the snapshot of a new table, at once: it is in the journal as a whole, or not at all.
  mutating func takeParts(of table: String) -> [JournalSnapshotPart] {
    var parts: [JournalSnapshotPart] = []
    swap(&parts, &prepared)
    if parts.isEmpty {
      while let part = nextPart(of: table) { parts.append(part) }
    } else {
      snapshotBytes = parts.reduce(0) { $0 + $1.bytes.count }
      snapshot = nil
    }
    return parts
  }

  fileprivate mutating func nextPart(of table: String) -> JournalSnapshotPart? {
    guard let snapshot else { return nil }
    let part = snapshot.next(of: table)
    if part.isLast {
      snapshotBytes = snapshot.bytesProduced
      self.snapshot = nil
    }
    return part
  }
}
