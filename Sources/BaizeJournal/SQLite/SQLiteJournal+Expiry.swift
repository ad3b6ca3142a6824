public import BaizeSync

// Finds tables that nobody uses any more.
//
// Each table has the day of its last use: every use of a table begins with a record, since loading it opens an epoch. Days are
// counted, and only those on which a journal searches: neither a long stop nor a wrong clock makes tables expire.
extension SQLiteJournal {
  /// The maximum numbers of tables that one step visits, and finds.
  static let tablesVisitedMax: Int64 = 256
  static let tablesExpiredMax = 64

  /// Looks at some tables, in a commit of its own. The tables found are not found again before as many days have passed
  /// again: a table that is in use, without being written, is kept.
  ///
  /// - Returns: The tables; none without ``expireDays``.
  public func expire() throws(JournalError) -> (names: [String], hasMore: Bool) {
    guard let expireDays else { return ([], false) }
    var found: (names: [String], hasMore: Bool) = ([], false)
    try transaction { () throws(JournalError) in
      try advanceDay()
      found = try findExpired(after: Int64(expireDays))
    }
    return found
  }

  /// Notes that a table is used today.
  func markUsed(_ table: CachedTable) throws(JournalError) {
    guard expireDays != nil, table.usedDay != day.count else { return }
    try setUsed(table.id)
    table.usedDay = day.count
  }

  private func setUsed(_ table: Int64) throws(JournalError) {
    try statements.setUsed.set(table, day.count, Checksum.of([], table, day.count)).run()
  }

  // MARK: Days

  /// The present day.
  struct Day: Equatable {
    /// The number of days on which a journal searched.
    var count: Int64 = 0
    /// The last of them, in days since 1970.
    var date: Int64 = 0

    var checksum: Int64 { Checksum.of([], count, date) }
  }

  /// Reads the present day. One that is damaged begins anew, so that no table expires too early.
  func loadDay() throws(JournalError) {
    day = Day()
    let row = try database.prepare("SELECT count, date, checksum FROM days")
    guard try row.next() else { return }
    let stored = Day(count: row.integer(0), date: row.integer(1))
    if stored.checksum == row.integer(2) { day = stored }
  }

  private func advanceDay() throws(JournalError) {
    let date = today()
    guard date != day.date else { return }
    // A clock that was put back counts no day.
    day = Day(count: date > day.date ? day.count + 1 : day.count, date: date)
    try statements.setDay.set(day.count, day.date, day.checksum).run()
  }

  // MARK: Searching

  private func findExpired(after days: Int64) throws(JournalError) -> (names: [String], hasMore: Bool) {
    var names: [String] = []
    var marked: [Int64] = []
    var visited: Int64 = 0
    let row = statements.findUsed.set(expiryPosition, Self.tablesVisitedMax)
    defer { row.reset() }
    while names.count < Self.tablesExpiredMax, try row.next() {
      visited += 1
      let (id, used) = (row.integer(0), row.integer(2))
      expiryPosition = id
      let isKnown = row.integer(3) == Checksum.of([], id, used) && used <= day.count
      if isKnown, day.count - used < days { continue }
      if isKnown { names.append(row.text(1)) }
      marked.append(id)
    }
    for id in marked { try setUsed(id) }
    let hasMore = visited == Self.tablesVisitedMax || names.count == Self.tablesExpiredMax
    if !hasMore { expiryPosition = 0 }
    return (names, hasMore)
  }
}
