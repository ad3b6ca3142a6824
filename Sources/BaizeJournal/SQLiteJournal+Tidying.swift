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
    guard let keepRevisions, revision.rawValue >= keepRevisions else { return }
    let oldest = writing.lastSnapshot.set(table.id, Int64(bitPattern: revision.rawValue - keepRevisions))
    defer { oldest.reset() }
    guard try oldest.next() else { return }
    let floor = oldest.integer(0)
    guard floor > table.head.floor else { return }
    try writing.dropSnapshots.set(table.id, floor).run()
    try writing.dropParts.set(table.id, floor).run()
    log.dead += floor - table.head.floor
    table.head.floor = floor
    table.isDirty = true
  }

  /// Deletes a little more of the records that are over. They lie scattered over the log, so it is swept from its
  /// beginning to its end, again and again, rather than searched for those of one table.
  private func sweepOn(_ count: Int) throws(JournalError) {
    if sweep == nil {
      guard log.dead >= Self.deadMin, log.dead * 3 >= log.rows else { return }
      sweep = 0
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
  }

  /// The last row that a step from `start` on looks at; `nil` if it comes to the end.
  private func sweepEnd(_ start: Int64, _ count: Int) throws(JournalError) -> Int64? {
    let end = writing.sweepEnd.set(start, log.indexed, Int64(count))
    defer { end.reset() }
    return try end.next() ? end.integer(0) : nil
  }
}
