public import BaizeSync
internal import BaizeTable

/// The journal in an SQLite file, in WAL mode with full synchronous commits: what ``commit()`` took is on the disk when it
/// returns. The file is this journal's alone while it is there.
///
/// A commit costs one flush, and writes few pages however many tables it concerns (see ``JournalFormat``). Nothing is
/// written before ``commit()``, so that one that failed can be tried again.
public final class SQLiteJournal: Journal {
  let database: Database
  let rows: TableRows
  let writing: WritingStatements
  /// How many revisions of history a table keeps at least before its last snapshot; `nil` for all.
  let keepRevisions: UInt64?
  /// How many rows were over when the sweep began.
  var deadAtSweep: Int64 = 0

  private var appended: [JournalWrite] = []
  private var hasFailed = false
  /// By name: the tables that were written lately.
  var known: [String: KnownTable] = [:]
  var log: LogState
  /// The row up to which the log was swept; `nil` between sweeps.
  var sweep: Int64?

  /// Opens the journal at `path`, or makes it; `:memory:` is one that ends with this object.
  ///
  /// - Parameter keepRevisions: When a snapshot of revision r is whole, what stands before the last whole snapshot of
  ///   revision r − `keepRevisions` or earlier is deleted, and so is what stands before the last 1,024 whole snapshots (more
  ///   for larger numbers): refusals take room, too. `nil` keeps everything.
  /// - Throws: ``JournalError``, most often `unusable`; the file is as it was.
  public init(path: String, keepRevisions: UInt64? = nil) throws(JournalError) {
    database = try JournalFile.forWriting(path)
    rows = try TableRows(database)
    writing = try WritingStatements(database)
    self.keepRevisions = keepRevisions
    log = LogState()
    try remember()
  }

  deinit { noteHeadsAtEnd() }

  // MARK: Writing

  public func append(_ writes: [JournalWrite]) { appended.append(contentsOf: writes) }

  public func commit() throws(JournalError) {
    guard !appended.isEmpty else { return }
    try transaction { () throws(JournalError) in
      for write in appended { try keep(write) }
      try tidy(after: appended.count)
    }
    appended.removeAll(keepingCapacity: appended.count <= Self.appendedKept)
  }

  public func discard() { appended.removeAll() }

  public func probe() throws(JournalError) {
    try transaction { () throws(JournalError) in try writing.probe.set(Self.probeBytes).run() }
  }

  /// Larger arrays of writes are let go after their commit.
  private static let appendedKept = 4096
  /// What a probe writes: as much as a busy turn does.
  private static let probeBytes: Int64 = 256 << 10

  private func transaction(_ body: () throws(JournalError) -> Void) throws(JournalError) {
    try goOn()
    do {
      try writing.begin.run()
      try body()
      try writing.commit.run()
    } catch {
      hasFailed = true
      throw error
    }
  }

  /// After a transaction that failed, what is remembered is read from the file again.
  private func goOn() throws(JournalError) {
    guard hasFailed else { return }
    if database.isInTransaction { try database.run("ROLLBACK") }
    try remember()
    hasFailed = false
  }

  // MARK: Reading

  public func table(named name: String) throws(JournalError) -> StoredTable? {
    try goOn()
    guard let (id, definition) = try rows.definition(of: name) else { return nil }
    guard let snapshot = try rows.snapshots(of: id, limit: 1).first else { throw rows.hasNoSnapshot(name) }
    let head = if let table = known[name] { table.head } else { try rows.head(of: id) }
    var stored = StoredTable(
      definition: definition, snapshot: try rows.parts(of: snapshot, of: id, named: name), records: [])
    for row in try rows.chain(of: id, to: head, after: snapshot.record) {
      stored.records.append(try rows.record(row, of: id, named: name))
    }
    return stored
  }
}
