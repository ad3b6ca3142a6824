internal import BaizeSync
internal import BaizeTable

/// What keeps a journal small, and quick to open: done in small steps, each within a commit.
extension SQLiteJournal {
  /// How many rows and tables `heads` may not know of: what opening the file reads.
  static let headsEvery: Int64 = 4096
  /// How many tables are remembered at most after a commit.
  static let knownMax = 16_384
  /// A sweep begins when there is this much to gain.
  private static let deadMin: Int64 = 1024
  /// Whole snapshots of a table that are kept however few revisions they are apart, and how many revisions there are
  /// between two at least where diffs are what is recorded.
  private static let snapshotsMin: UInt64 = 1024
  private static let revisionsPerSnapshotMin: UInt64 = 64
  /// How many rows a sweep looks at for each that is written: it has to be faster than what it sweeps behind.
  private static let sweptPerWrite = 4

  func tidy(after writes: Int) throws(JournalError) {
    let isForgetful = known.count > Self.knownMax
    let behind = log.last - log.indexed + log.lastTable - log.tables
    if behind >= Self.headsEvery || isForgetful { try noteHeads() }
    if isForgetful { known = [:] }
    try sweepOn(writes * Self.sweptPerWrite)
  }

  // MARK: Heads

  /// Brings `heads` up to the log.
  private func noteHeads() throws(JournalError) {
    for table in known.values where table.isDirty { try note(table) }
    log.indexed = log.last
    log.tables = log.lastTable
    try writing.setLogState.set(log.indexed, log.tables, log.rows, log.dead, log.checksum).run()
  }

  private func note(_ table: KnownTable) throws(JournalError) {
    let head = table.head
    try writing.setHead.set(table.id, head.row, head.number, head.floor, head.checksum(of: table.id)).run()
    table.isDirty = false
  }

  /// A file that is closed in good order opens without reading its log. If it cannot, it does that.
  func noteHeadsAtEnd() {
    guard known.values.contains(where: \.isDirty) else { return }
    do {
      try writing.begin.run()
      try noteHeads()
      try writing.commit.run()
    } catch {
      // Closing takes back what is not committed.
    }
  }

  // MARK: Trimming

  /// A snapshot has become whole: what nobody goes back to is over.
  func trim(_ table: KnownTable, at revision: Revision) throws(JournalError) {
    guard let keepRevisions else { return }
    let floor = max(try floor(of: table, at: revision, keepRevisions), try floor(of: table, keepRevisions))
    guard floor > table.head.floor else { return }
    try writing.dropSnapshots.set(table.id, floor).run()
    try writing.dropParts.set(table.id, floor).run()
    log.dead += floor - table.head.floor
    table.head.floor = floor
    table.isDirty = true
  }

  /// The snapshot to keep for its revision.
  private func floor(of table: KnownTable, at revision: Revision, _ keep: UInt64) throws(JournalError) -> Int64 {
    guard revision.rawValue >= keep else { return 0 }
    let oldest = writing.lastSnapshot.set(table.id, Int64(bitPattern: revision.rawValue - keep))
    defer { oldest.reset() }
    return try oldest.next() ? oldest.integer(0) : 0
  }

  /// The snapshot to keep for their number: refusals and sessions are recorded too, and raise no revision.
  private func floor(of table: KnownTable, _ keep: UInt64) throws(JournalError) -> Int64 {
    let count = max(Self.snapshotsMin, keep / Self.revisionsPerSnapshotMin)
    let oldest = writing.olderSnapshot.set(table.id, Int64(clamping: count))
    defer { oldest.reset() }
    return try oldest.next() ? oldest.integer(0) : 0
  }

  /// Deletes a little more of the records that are over. They lie scattered over the log, so it is swept from its
  /// beginning to its end, again and again, rather than searched for those of one table.
  private func sweepOn(_ count: Int) throws(JournalError) {
    if sweep == nil {
      guard log.dead >= Self.deadMin, log.dead * 3 >= log.rows else { return }
      sweep = 0
      deadAtSweep = log.dead
      // The sweep reads there where the history of each table begins.
      try noteHeads()
    }
    guard let start = sweep else { return }
    let end = try sweepEnd(start, count)
    let swept = writing.sweep.set(start, end ?? log.indexed)
    defer { swept.reset() }
    while try swept.next() {
      log.rows -= 1
      log.dead -= 1
    }
    sweep = end
    // A killed process has not noted all that it swept: what nobody finds is not there.
    if end == nil, log.dead >= deadAtSweep { log.dead = 0 }
  }

  /// The last row that a step from `start` on looks at; `nil` if it comes to the end.
  private func sweepEnd(_ start: Int64, _ count: Int) throws(JournalError) -> Int64? {
    let end = writing.sweepEnd.set(start, log.indexed, Int64(count))
    defer { end.reset() }
    return try end.next() ? end.integer(0) : nil
  }
}
