public import BaizeSync
internal import BaizeTable

/// A journal in an SQLite file, in WAL mode with full synchronous commits: when ``commit()`` returns, the writes are
/// durable. The journal locks the file for as long as it exists.
///
/// A commit costs one flush and writes few pages, however many tables it concerns (see ``JournalFormat``). Appended writes
/// stay in memory until ``commit()`` succeeds, so a failed commit can be repeated.
public final class SQLiteJournal: Journal {
  let database: Database
  let rows: TableRows
  let statements: WriteStatements
  /// The minimum number of revisions of history to keep; `nil` to keep all.
  let keepRevisions: UInt64?
  /// The number of dead rows when the present sweep began.
  var deadAtSweep: Int64 = 0

  private var appended: [JournalWrite] = []
  private var hasFailed = false
  /// The recently written tables, by name.
  var cached: [String: CachedTable] = [:]
  var log: LogState
  /// The last row that the present sweep has visited; `nil` between sweeps.
  var sweep: Int64?

  /// Opens or creates the journal at `path`; `:memory:` creates one that lives as long as this object.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - keepRevisions: When a snapshot at revision r is complete, the history before the last snapshot at revision
  ///     r − `keepRevisions` or earlier is deleted, and so is the history before the last 1,024 snapshots (more for larger
  ///     numbers), since refusals take room without raising the revision. `nil` keeps everything.
  /// - Throws: ``JournalError``, usually of kind `unusable`. The file is unchanged then.
  public init(path: String, keepRevisions: UInt64? = nil) throws(JournalError) {
    database = try JournalFile.forWriting(path)
    rows = try TableRows(database)
    statements = try WriteStatements(database)
    self.keepRevisions = keepRevisions
    log = LogState()
    try loadState()
  }

  deinit { writeHeadsBeforeClosing() }

  // MARK: Writing

  public func append(_ writes: [JournalWrite]) { appended.append(contentsOf: writes) }

  public func commit() throws(JournalError) {
    guard !appended.isEmpty else { return }
    try transaction { () throws(JournalError) in
      for write in appended { try self.write(write) }
      try maintain(after: appended.count)
    }
    appended.removeAll(keepingCapacity: appended.count <= Self.appendedCapacityKept)
  }

  public func discard() { appended.removeAll() }

  public func probe() throws(JournalError) {
    try transaction { () throws(JournalError) in try statements.probe.set(Self.probeBytes).run() }
  }

  /// The capacity up to which the array of writes is reused.
  private static let appendedCapacityKept = 4096
  /// The size of a probe's write: that of a busy turn.
  private static let probeBytes: Int64 = 256 << 10

  private func transaction(_ body: () throws(JournalError) -> Void) throws(JournalError) {
    try recoverIfNeeded()
    do {
      try statements.begin.run()
      try body()
      try statements.commit.run()
    } catch {
      hasFailed = true
      throw error
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

  public func table(named name: String) throws(JournalError) -> StoredTable? {
    try recoverIfNeeded()
    guard let (id, definition) = try rows.definition(of: name) else { return nil }
    guard let snapshot = try rows.snapshots(of: id, limit: 1).first else { throw rows.hasNoSnapshot(name) }
    let head = if let table = cached[name] { table.head } else { try rows.head(of: id) }
    var stored = StoredTable(
      definition: definition, snapshot: try rows.parts(of: snapshot, of: id, named: name), records: [])
    for row in try rows.chain(of: id, to: head, after: snapshot.record) {
      stored.records.append(try rows.record(row, of: id, named: name))
    }
    return stored
  }
}
