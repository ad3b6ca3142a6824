public import BaizeSync
public import BaizeTable

/// Reads a journal file for tools, without changing it.
///
/// Beside a daemon that uses the file, it reads what was durable when it was opened. Otherwise it keeps daemons from opening the
/// file meanwhile.
public final class JournalReader: StoredJournal {
  private let database: Database
  private let rows: TableRows

  /// Opens the journal at `path`.
  ///
  /// - Throws: ``JournalError``, usually of kind `unusable`.
  public init(path: String) throws(JournalError) {
    database = try JournalFile.forReading(path)
    rows = try TableRows(database)
  }

  init(_ database: Database) throws(JournalError) {
    self.database = database
    rows = try TableRows(database)
  }

  // MARK: Checking

  /// Reads every table's history, and checks the file's structure and the checksum of every row.
  public func check() throws(JournalError) -> JournalContents {
    try database.checkIntegrity()
    _ = try accessKey()
    _ = try revocations()
    var contents = try countHistories()
    contents.bytes = try database.usedBytes()
    return contents
  }

  public func accessKey() throws(JournalError) -> AccessKey? { try rows.accessKey() }

  public func revocations() throws(JournalError) -> [UInt8]? { try rows.revocations() }

  // MARK: Tables

  /// Returns the names of all tables, sorted.
  public func names() throws(JournalError) -> [String] {
    var names: [String] = []
    let row = try database.prepare("SELECT name FROM tables WHERE id IN (SELECT table_id FROM snapshots)")
    while try row.next() { names.append(row.text(0)) }
    return names.sorted()
  }

  /// Returns a summary of every table, sorted by name.
  ///
  /// - Complexity: O(number of records in the file).
  public func tables() throws(JournalError) -> [TableSummary] {
    var summaries: [Int64: TableSummary] = [:]
    let names = try database.prepare("SELECT id, name, type FROM tables")
    while try names.next() { summaries[names.integer(0)] = TableSummary(name: names.text(1), typeText: names.text(2)) }
    try addSnapshots(&summaries)
    try addRecords(&summaries)
    // One without a snapshot does not exist yet.
    return summaries.values.filter { $0.snapshots > 0 }.sorted { $0.name < $1.name }
  }

  private func addSnapshots(_ summaries: inout [Int64: TableSummary]) throws(JournalError) {
    let snapshots = try database.prepare("SELECT table_id, record, revision FROM snapshots ORDER BY table_id, record")
    while try snapshots.next() {
      try summaries[snapshots.integer(0)]?.add(snapshot: snapshots.count(1), Revision(rawValue: snapshots.count(2)))
    }
    let parts = try database.prepare("SELECT table_id, length(bytes) FROM parts")
    while try parts.next() { summaries[parts.integer(0)]?.bytes += try Int(parts.number(1)) }
  }

  private func addRecords(_ summaries: inout [Int64: TableSummary]) throws(JournalError) {
    let records = try database.prepare("SELECT table_id, number, revision, length(entries) FROM log")
    while try records.next() {
      try summaries[records.integer(0)]?.add(
        record: records.count(1), Revision(rawValue: records.count(2)), bytes: Int(records.number(3)))
    }
  }

  /// Returns a table's name and present type; `nil` if there is no such table.
  ///
  /// - Complexity: O(size of the records since its last snapshot).
  public func definition(ofTable name: String) throws(JournalError) -> TableDefinition? {
    guard let (id, created) = try rows.definition(of: name), let last = try rows.snapshots(of: id, limit: 1).first,
      let head = try rows.part(0, of: last, of: id, named: name)
    else { return nil }
    var present = try created.present(in: head)
    for row in try rows.chain(of: id, to: try self.head(of: id), after: last.record) {
      present = try present.present(after: rows.record(row, of: id, named: name))
    }
    return present
  }

  /// Returns what a table is restored from; `nil` if there is no such table.
  public func table(named name: String) throws(JournalError) -> StoredTable? {
    guard let (id, _) = try rows.definition(of: name) else { return nil }
    return try rows.table(named: name, to: try head(of: id))
  }

  // MARK: History

  /// Returns the history of a table as far as it is kept; `nil` if there is no such table.
  public func history(ofTable name: String) throws(JournalError) -> TableHistory? {
    guard let (id, definition) = try rows.definition(of: name) else { return nil }
    let snapshots = try rows.snapshots(of: id)
    guard let first = snapshots.last else {
      guard try head(of: id).number == 0 else { throw rows.hasNoSnapshot(name) }
      return nil
    }
    let chain = try rows.chain(of: id, to: try head(of: id), after: first.record)
    return TableHistory(definition, snapshots: snapshots) { [rows] (snapshot) throws(JournalError) in
      try rows.parts(of: snapshot, of: id, named: name)
    } record: { [rows] (number) throws(JournalError) in
      let index = Int(number - first.record) - 1
      return index < chain.count ? try rows.record(chain[index], of: id, named: name) : nil
    }
  }

  /// Returns the end of a table's chain, including rows that `heads` does not cover yet.
  private func head(of table: Int64) throws(JournalError) -> Head {
    var head = try rows.head(of: table)
    let last = try database.prepare(
      """
      SELECT id, number FROM log WHERE id > (SELECT indexed FROM log_state) AND table_id = ? ORDER BY id DESC LIMIT 1
      """
    ).set(table)
    if try last.next() {
      head.row = try last.number(0)
      head.number = try last.number(1)
    }
    return head
  }
}

/// The size of what a journal holds of one table.
public struct TableSummary: Hashable, Sendable {
  public let name: String
  /// The table type with its options, as the table's creator wrote it.
  public let typeText: String
  public private(set) var revision = Revision.zero
  public private(set) var oldestRevision = Revision.zero
  /// The number of records since the oldest snapshot.
  public private(set) var records = 0
  /// The number of complete snapshots.
  public private(set) var snapshots = 0
  /// The size of records and snapshots in bytes, without SQLite's overhead.
  public internal(set) var bytes = 0
  private var oldestRecord: UInt64 = 0

  init(name: String, typeText: String) {
    self.name = name
    self.typeText = typeText
  }

  /// Adds a snapshot. Snapshots are added in order, before records.
  mutating func add(snapshot record: UInt64, _ revision: Revision) {
    if snapshots == 0 {
      oldestRevision = revision
      oldestRecord = record
    }
    snapshots += 1
    self.revision = max(self.revision, revision)
  }

  mutating func add(record number: UInt64, _ revision: Revision, bytes: Int) {
    guard number > oldestRecord else { return }
    records += 1
    self.bytes += bytes
    self.revision = max(self.revision, revision)
  }
}
