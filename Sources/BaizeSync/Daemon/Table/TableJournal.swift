import BaizeTable
import BaizeWire

/// What the journal has of a table, and what it is yet to get.
struct TableJournal {
  /// The number of the last record.
  private(set) var record: UInt64 = 0
  /// The turn in which something was written last.
  private(set) var turn = TurnNumber(rawValue: 0)
  /// Whether the table is not in the journal yet.
  private(set) var isNew = false
  /// Whether this turn's record must be durable before anyone sees it, even under ``Durability/relaxed``.
  private(set) var mustHold = false
  /// Whether the disk accepts writes.
  private(set) var isWritable = true
  /// Whether something was decided before the disk was known to fail. It stands, and is written all the same.
  private(set) var hasLeftover = false
  /// The snapshot that is being written.
  private var snapshot: StoredSnapshotProducer?
  /// The whole of a new table's first snapshot, where that was made beforehand.
  var prepared: [JournalSnapshotPart] = []
  /// The bytes recorded since the last snapshot was taken, and the size of that.
  private var recordedBytes = 0
  private var snapshotBytes = 0

  /// The journal of a table that was created now. Its first snapshot contains its set-up.
  init(ofNew table: inout TableMachine) {
    isNew = true
    mustHold = true
    snapshot = StoredSnapshotProducer(of: &table, record: 0)
  }

  /// The journal of a table that was read from it.
  init(of restored: RestoredTable) {
    record = restored.record
    recordedBytes = restored.recordedBytes
    snapshotBytes = restored.snapshotBytes
  }

  // MARK: Whether it can be written

  mutating func setWritable(_ isWritable: Bool) { self.isWritable = isWritable }

  /// The disk fails.
  ///
  /// - Parameter hasRecord: Whether the present turn has recorded something.
  mutating func suspendWriting(hasRecord: Bool) {
    if isWritable { hasLeftover = hasRecord }
    isWritable = false
  }

  /// Whether the turn that ends may be written. What a restored table begins with waits until the disk accepts it.
  mutating func beginsWriting() -> Bool {
    let mayWrite = isWritable || hasLeftover
    hasLeftover = false
    return mayWrite
  }

  /// Whether everything up to the present turn is durable.
  func isCommitted(_ committed: TurnNumber) -> Bool { !isNew && turn <= committed }

  /// Whether a snapshot is being written, of which every turn writes a part.
  var hasPartsToWrite: Bool { snapshot != nil }

  // MARK: Writing

  /// Notes that this turn's record must be durable before anyone sees it.
  mutating func hold() { mustHold = true }

  /// Writes what the table did in a turn.
  mutating func write(_ table: inout TableMachine, in turn: TurnNumber, into writes: inout [JournalWrite]) {
    let name = table.name
    if isNew {
      writes.append(.table(table.definition))
      writes += takeParts(of: name).map { .snapshot($0) }
      isNew = false
      self.turn = turn
    }
    if !table.room.log.isOpenEmpty {
      let bytes = [UInt8](table.room.log.open)
      record += 1
      self.turn = turn
      recordedBytes += bytes.count
      mustHold = false
      writes.append(
        .record(JournalRecord(table: name, number: record, revision: table.table.state.revision, bytes: bytes[...])))
      if wantsSnapshot(table.limits) {
        snapshot = StoredSnapshotProducer(of: &table, record: record)
        recordedBytes = 0
      }
    }
    // One part a turn: no one waits for a long snapshot.
    if let part = nextPart(of: name) {
      self.turn = turn
      writes.append(.snapshot(part))
    }
  }

  /// So often that a journal is at most twice as long as its records, and loading takes no longer than the last snapshot
  /// or the bound.
  private func wantsSnapshot(_ limits: SyncLimits) -> Bool {
    snapshot == nil && recordedBytes >= max(limits.snapshotAfterBytes, snapshotBytes)
  }

  /// Returns all parts of the snapshot of a new table, at once: it is in the journal as a whole, or not at all.
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
