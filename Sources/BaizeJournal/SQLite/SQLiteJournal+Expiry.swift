public import BaizeSync
internal import BaizeTransport

/// When a journal gives up tables that nobody uses.
public struct ExpiryRule: Hashable, Sendable {
  /// The time without use after which a table expires, in days of 24 hours for which a daemon has run with such a rule.
  public let days: Int
  /// Whether tables that have expired are only named.
  public let isDryRun: Bool

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - days: The time without use, in days of 24 hours for which a daemon runs.
  ///   - isDryRun: Whether nothing is to be deleted. A table is found once then, and stays due.
  public init(days: Int, isDryRun: Bool = false) { (self.days, self.isDryRun) = (days, isDryRun) }
}

// Finds tables that nobody uses any more.
//
// Each table has the hour of its last use: every use of a table begins with a record, since loading it opens an epoch. Hours are
// those that daemons with this journal have run, by a clock that nobody sets: neither a long stop nor a wrong date makes tables
// expire.
extension SQLiteJournal {
  /// The maximum numbers of tables that one step visits, and finds.
  static let tablesVisitedMax: Int64 = 256
  static let tablesExpiredMax = 64
  private static let secondsPerHour: Int64 = 3_600
  /// The least time that is worth a commit, in seconds. A crash loses less, which delays expiry.
  private static let secondsNoted: Int64 = 60

  /// The seconds since some moment, by a clock that nobody sets and that stands while the machine sleeps.
  public static var uptimeSeconds: Int64 { Int64(MonotonicClock.now() / 1_000_000_000) }

  /// Looks at some tables, in a commit of its own. The tables found are not found again before as much time has passed again: a
  /// table that is in use, without being written, is kept.
  ///
  /// - Returns: The tables; none without a rule.
  public func expire() throws(JournalError) -> ExpiredTables {
    guard let expiry else { return ExpiredTables() }
    var found = ExpiredTables()
    try transaction { () throws(JournalError) in
      try countTime()
      found = try findExpired(expiry)
    }
    return found
  }

  /// Notes that a table is used in the present hour.
  func markUsed(_ table: CachedTable) throws(JournalError) {
    guard expiry != nil, table.usedHour != running.hour else { return }
    try setUsed(table.id)
    table.usedHour = running.hour
  }

  private func setUsed(_ table: Int64) throws(JournalError) {
    try statements.setUsed.set(table, running.hour, Checksum.of([], table, running.hour)).run()
  }

  // MARK: Time

  /// The time for which daemons have run with this journal.
  struct RunningTime {
    /// Without what has passed since ``countedAt``.
    var seconds: Int64 = 0
    /// The clock's time up to which it is counted.
    var countedAt: Int64

    var hour: Int64 { seconds / SQLiteJournal.secondsPerHour }
    var checksum: Int64 { Checksum.of([], seconds) }
  }

  /// Reads the running time. One that is damaged begins anew, so that no table expires too early.
  func loadRunningTime() throws(JournalError) {
    running = RunningTime(countedAt: clock())
    let row = try database.prepare("SELECT seconds, checksum FROM running")
    guard try row.next() else { return }
    let stored = row.integer(0)
    if 0...(1 << 40) ~= stored, row.integer(1) == Checksum.of([], stored) { running.seconds = stored }
  }

  /// Counts the time that has passed: at most an hour at once, since a daemon that was stopped for longer served nobody.
  private func countTime() throws(JournalError) {
    let now = clock()
    let passed = min(now - running.countedAt, Self.secondsPerHour)
    guard passed >= Self.secondsNoted else { return }
    running = RunningTime(seconds: running.seconds + passed, countedAt: now)
    try statements.setRunning.set(running.seconds, running.checksum).run()
  }

  // MARK: Searching

  private func findExpired(_ expiry: ExpiryRule) throws(JournalError) -> ExpiredTables {
    var names: [String] = []
    var marked: [Int64] = []
    var visited: Int64 = 0
    let row = statements.findUsed.set(expiryPosition, Self.tablesVisitedMax)
    defer { row.reset() }
    while names.count < Self.tablesExpiredMax, try row.next() {
      visited += 1
      let (id, used) = (try row.number(0), row.integer(2))
      expiryPosition = id
      let isKnown = row.integer(3) == Checksum.of([], id, used) && 0...running.hour ~= used
      if isKnown, running.hour - used < Int64(expiry.days) * 24 { continue }
      guard isKnown, expiry.isDryRun else {
        if isKnown { names.append(row.text(1)) }
        marked.append(id)
        continue
      }
      if named.insert(id).inserted { names.append(row.text(1)) }
    }
    for id in marked { try setUsed(id) }
    let hasMore = visited == Self.tablesVisitedMax || names.count == Self.tablesExpiredMax
    if !hasMore { expiryPosition = 0 }
    return ExpiredTables(names: names, hasMore: hasMore, isDryRun: expiry.isDryRun)
  }
}
