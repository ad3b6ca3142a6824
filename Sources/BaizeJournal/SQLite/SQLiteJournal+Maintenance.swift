internal import BaizeSync
internal import BaizeTable

// Maintenance within each commit, in small steps: keeps the file small and quick to open.
extension SQLiteJournal {
  /// The number of rows and tables that `heads` may lag behind, which opening the file has to read.
  static let headsLagMax: Int64 = 4096
  /// The maximum number of cached tables after a commit.
  static let cachedTablesMax = 16_384
  /// The minimum number of dead rows for a sweep.
  private static let deadMin: Int64 = 1024
  /// The size of dead records for a sweep, however few they are.
  private static let deadBytesMin = 16 << 20
  /// The number of snapshots that are kept however few revisions apart they are.
  static let snapshotsMin: UInt64 = 1024
  /// The minimum number of revisions between two snapshots of a table whose records are diffs.
  static let revisionsPerSnapshotMin: UInt64 = 64
  /// The number of rows a sweep visits for each row written. A sweep must be faster than the writer.
  private static let rowsSweptPerWrite = 4

  func maintain(after writes: Int) throws(JournalError) {
    let isCacheFull = cached.count > Self.cachedTablesMax
    let lag = log.last - log.indexed + log.lastTable - log.tables
    if lag >= Self.headsLagMax || isCacheFull { try writeHeads() }
    if isCacheFull { cached = cached.filter { $0.value.isIncomplete } }
    try continueSweep(writes * Self.rowsSweptPerWrite)
    if hasDeleted { try continueDeletion() }
  }

  // MARK: Heads

  /// Writes the cached heads that have changed.
  func writeHeads() throws(JournalError) {
    for table in cached.values where table.isDirty { try writeHead(of: table) }
    log.indexed = log.last
    // Opening the file looks at those that are incomplete.
    let incomplete = cached.values.lazy.filter(\.isIncomplete).map(\.id).min()
    log.tables = incomplete.map { min(log.lastTable, $0 - 1) } ?? log.lastTable
    try statements.setLogState.set(log.indexed, log.tables, log.rows, log.dead, log.checksum).run()
  }

  private func writeHead(of table: CachedTable) throws(JournalError) {
    let head = table.head
    try statements.setHead.set(table.id, head.row, head.number, head.floor, head.checksum(of: table.id)).run()
    table.isDirty = false
  }

  /// Writes the heads before closing, so that opening the file need not read its log. A failure only costs that time.
  func writeHeadsBeforeClosing() {
    guard cached.values.contains(where: \.isDirty) else { return }
    do {
      try statements.begin.run()
      try writeHeads()
      try statements.commit.run()
    } catch {
      // Closing rolls the open transaction back.
    }
  }

  // MARK: Trimming

  /// Deletes the snapshots and marks the records that a newly completed snapshot has made superfluous.
  func trim(_ table: CachedTable, at revision: Revision) throws(JournalError) {
    guard let keepRevisions else { return }
    let byHistory = max(try floor(of: table, at: revision, keepRevisions), try floor(of: table, keepRevisions))
    let floor = max(byHistory, floorBySize(of: table))
    guard floor > table.head.floor else { return }
    countDeadBytes(of: table, before: floor)
    try statements.dropSnapshots.set(table.id, floor).run()
    try statements.dropParts.set(table.id, floor).run()
    log.dead += floor - table.head.floor
    table.head.floor = floor
    table.isDirty = true
  }

  /// Returns the oldest snapshot to keep by its revision.
  private func floor(of table: CachedTable, at revision: Revision, _ keep: UInt64) throws(JournalError) -> Int64 {
    guard revision.rawValue >= keep else { return 0 }
    let oldest = statements.lastSnapshot.set(table.id, Int64(bitPattern: revision.rawValue - keep))
    defer { oldest.reset() }
    return try oldest.next() ? oldest.number(0) : 0
  }

  /// Returns the oldest snapshot to keep by count: refusals and sessions are recorded without raising the revision.
  private func floor(of table: CachedTable, _ keep: UInt64) throws(JournalError) -> Int64 {
    let count = max(Self.snapshotsMin, keep / Self.revisionsPerSnapshotMin)
    let oldest = statements.olderSnapshot.set(table.id, Int64(clamping: count))
    defer { oldest.reset() }
    return try oldest.next() ? oldest.number(0) : 0
  }

  /// Returns the oldest snapshot to keep by the size of the table's history, as far as it was written since it was cached.
  private func floorBySize(of table: CachedTable) -> Int64 {
    guard table.writtenBytes - (table.snapshots.first?.bytesBefore ?? 0) > limits.bytesPerTableMax else { return 0 }
    let kept = table.snapshots.first { table.writtenBytes - $0.bytesBefore <= limits.bytesPerTableMax }
    return (kept ?? table.snapshots.last)?.record ?? 0
  }

  private func countDeadBytes(of table: CachedTable, before floor: Int64) {
    let before = table.snapshots.first?.bytesBefore ?? table.writtenBytes
    table.snapshots.removeAll { $0.record < floor }
    deadBytes += (table.snapshots.first?.bytesBefore ?? table.writtenBytes) - before
  }

  /// Deletes some dead records. They are scattered over the log, so it is swept from beginning to end, repeatedly, rather
  /// than searched for the records of one table.
  private func continueSweep(_ count: Int) throws(JournalError) {
    if sweep == nil {
      let areMany = log.dead >= Self.deadMin && log.dead * 3 >= log.rows
      guard areMany || deadBytes >= Self.deadBytesMin else { return }
      deadBytes = 0
      sweep = 0
      deadAtSweep = log.dead
      // The sweep reads each table's floor from `heads`.
      try writeHeads()
    }
    guard let start = sweep else { return }
    let end = try sweepEnd(start, count)
    let swept = statements.sweep.set(start, end ?? log.indexed)
    defer { swept.reset() }
    while try swept.next() {
      log.rows -= 1
      log.dead -= 1
    }
    sweep = end
    // After a crash `dead` may include rows that are swept already: a whole sweep without effect resets it.
    if end == nil, log.dead >= deadAtSweep { log.dead = 0 }
  }

  /// Returns the last row of a step that begins at `start`; `nil` if the step reaches the end of the log.
  private func sweepEnd(_ start: Int64, _ count: Int) throws(JournalError) -> Int64? {
    let end = statements.sweepEnd.set(start, log.indexed, Int64(count))
    defer { end.reset() }
    return try end.next() ? end.number(0) : nil
  }
}
