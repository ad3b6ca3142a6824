public import BaizeSync
internal import BaizeSystem
public import BaizeTable

/// A journal in an SQLite file, in WAL mode with full synchronous commits: when ``commit(_:)`` returns, the writes are
/// durable. The journal locks the file against other journals for as long as it exists. Tables are read by a connection of
/// their own (``TableReader``).
///
/// A commit costs one flush and writes few pages, however many tables it concerns (see ``JournalFormat``).
public final class SQLiteJournal: JournalStore {
  let database: Database
  let rows: TableRows
  let statements: WriteStatements
  /// The minimum number of revisions of history to keep; `nil` to keep all.
  let keepRevisions: UInt64?
  private(set) package var limits: SyncLimits.Journal
  /// The number of dead rows when the present sweep began.
  var deadAtSweep: Int64 = 0
  /// The approximate size of the records that became dead since the last sweep began, in bytes.
  var deadBytes = 0

  private var hasFailed = false
  private var watch: FileWatch
  private let reader: TableReader
  /// Whether the files at the path are no longer those that were opened.
  private var isLost = false
  /// The recently written tables, by name.
  var cached: [String: CachedTable] = [:]
  var log: LogState
  /// Whether there are deleted tables of which something is still to be freed.
  var hasDeleted = false
  /// The last row that the present sweep has visited; `nil` between sweeps.
  var sweep: Int64?
  /// When tables expire; `nil` for never.
  let expiry: ExpiryRule?
  /// Returns the time in seconds, by a clock that nobody sets.
  let clock: @Sendable () -> Int64
  var running: RunningTime
  /// The tables that a dry run has named.
  var named: Set<Int64> = []
  /// The last table that the present search for expired tables has visited.
  var expiryPosition: Int64 = 0

  /// Opens or creates the journal at `path`.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - keepRevisions: When a snapshot at revision r is complete, the history before the last snapshot at revision
  ///     r − `keepRevisions` or earlier is deleted, and so is the history before the last 1,024 snapshots (more for larger
  ///     numbers), since refusals take room without raising the revision. `nil` keeps everything.
  ///   - limits: The limits of the file and of each table's history. The latter do not apply if everything is kept.
  ///   - expiry: When ``expire()`` finds a table; `nil` for never.
  ///   - clock: Returns the time in seconds since any moment, by a clock that nobody sets.
  /// - Throws: ``JournalError``, usually of kind `unusable`. The file is unchanged then.
  public init(
    path: String, keepRevisions: UInt64? = nil, limits: SyncLimits.Journal = SyncLimits.Journal(),
    expiry: ExpiryRule? = nil, clock: @escaping @Sendable () -> Int64 = { SQLiteJournal.uptimeSeconds }
  ) throws(JournalError) {
    database = try JournalFile.forWriting(path)
    rows = try TableRows(database)
    statements = try WriteStatements(database)
    reader = try TableReader(path)
    watch = try FileWatch(path, logBytesKept: JournalFile.logBytesKept)
    self.keepRevisions = keepRevisions
    self.limits = limits
    self.expiry = expiry
    self.clock = clock
    running = RunningTime(countedAt: clock())
    log = LogState()
    try loadState()
    dropIncompleteTables()
    database.isOpen = true
  }

  deinit {
    reader.close()
    // What is cached after a failed commit describes rows that are not there.
    if !isLost, !hasFailed { writeHeadsBeforeClosing() }
  }

  // MARK: Writing

  public func commit(_ writes: [JournalWrite]) throws(JournalError) {
    guard !writes.isEmpty else { return }
    try transaction { () throws(JournalError) in
      for write in writes { try self.write(write) }
      try maintain(after: writes.count)
    }
  }

  public func probe() throws(JournalError) {
    try transaction { () throws(JournalError) in try statements.probe.set(Self.probeBytes).run() }
  }

  public func tidy() throws(JournalError) -> Bool {
    guard hasDeleted else { return false }
    try transaction { () throws(JournalError) in try continueDeletion() }
    return hasDeleted
  }

  public func reload(_ limits: SyncLimits.Journal) { self.limits = limits }

  public func verify() throws(JournalError) {
    do throws(JournalError) {
      try watch.check()
    } catch {
      // The file at the path now may be another journal's, with a log of its own: closing must not touch it.
      database.checkpointsOnClose(false)
      isLost = true
      throw error
    }
  }

  /// Returns whether other users may read the file at `path`, with every face and token. A file that they may write is
  /// refused.
  public static func isReadableByOthers(_ path: String) -> Bool { JournalFile.isReadableByOthers(path) }

  /// The size of a probe's write: that of a busy turn.
  private static let probeBytes: Int64 = 256 << 10

  func transaction(_ body: () throws(JournalError) -> Void) throws(JournalError) {
    try recoverIfNeeded()
    do {
      try checkRoom()
      try statements.begin.run()
      try body()
      try statements.commit.run()
    } catch {
      hasFailed = true
      throw error
    }
  }

  /// Deletes what there is of tables whose creation was interrupted by a crash. They do not exist in any case.
  private func dropIncompleteTables() {
    let names = cached.filter { $0.value.isIncomplete }.keys
    guard !names.isEmpty else { return }
    do {
      try statements.begin.run()
      for name in names { try delete(name) }
      try statements.commit.run()
    } catch {
      // Without room on the disk, they stay; the next transaction begins by rolling this one back.
      hasFailed = true
    }
  }

  /// Checks the size of the file and the free space on its disk.
  private func checkRoom() throws(JournalError) {
    // The size of the files is known; unused pages are asked for only where it matters.
    guard try watch.bytes < limits.bytesMax ? true : database.usedBytes() < limits.bytesMax else {
      throw JournalError(
        .storage,
        "the journal '\(database.name)' has reached its limit of \(limits.bytesMax) bytes (--journal-bytes-max)")
    }
    guard watch.hasReserve(limits.reserveBytes) else {
      throw JournalError(
        .storage, "the disk of the journal '\(database.name)' has too little free space (--journal-reserve)")
    }
  }

  /// Rolls a failed transaction back and reads the cached state from the file again.
  private func recoverIfNeeded() throws(JournalError) {
    guard hasFailed else { return }
    if database.isInTransaction { try database.run("ROLLBACK") }
    try loadState()
    hasFailed = false
  }

  // MARK: Reading

  /// Returns the number of tables in the journal.
  ///
  /// - Complexity: O(number of tables); some 20 ms for a million.
  public func tableCount() throws(JournalError) -> Int { Int(try database.integer("SELECT count(*) FROM tables") ?? 0) }

  public func table(named name: String) throws(JournalError) -> StoredTable? {
    try recoverIfNeeded()
    return try rows.table(named: name, to: cached[name]?.head)
  }

  public func reading(tableNamed name: String) throws(JournalError) -> TableReading {
    try recoverIfNeeded()
    let head = cached[name]?.head
    return TableReading(
      bytes: { [reader] () throws(JournalError) in try reader.bytes(ofTable: name) },
      read: { [reader] (bytesMax) throws(JournalError) in try reader.table(named: name, to: head, bytesMax: bytesMax) })
  }

  public func search() -> TableSearch {
    { [reader] (name) throws(JournalError) in try reader.contains(tableNamed: name) }
  }
}
