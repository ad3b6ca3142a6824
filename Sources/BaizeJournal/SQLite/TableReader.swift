internal import BaizeSync
internal import Synchronization

/// Reads tables from a journal's file on any thread, beside the commits of the journal's own thread: in WAL mode a reader and
/// the writer do not wait for each other. It reads part by part, each in a transaction of its own, so that the write-ahead
/// log can be checkpointed meanwhile: nothing that a table is restored from changes while it is not in memory.
final class TableReader: Sendable {
  private let connection: Mutex<Connection?>

  private struct Connection {
    let database: Database
    let rows: TableRows

    init(_ path: String) throws(JournalError) {
      database = try Database(path, .writing)
      database.checkpointsOnClose(false)
      try database.run(
        "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -\(TableReader.cacheKibibytes)")
      rows = try TableRows(database)
      database.isOpen = true
    }
  }

  private static let cacheKibibytes = 2_000

  init(_ path: String) throws(JournalError) { connection = Mutex(try Connection(path)) }

  /// Closes the connection once the present table is read, if one is.
  func close() { connection.withLock { $0 = nil } }

  /// - Parameters:
  ///   - head: The end of the table's chain of records; `nil` if `heads` has it.
  ///   - bytesMax: The size in bytes of the largest snapshot to read.
  /// - Throws: ``JournalError``, of kind `tooLarge` for a larger one.
  func table(named name: String, to head: Head?, bytesMax: Int) throws(JournalError) -> StoredTable? {
    let first = try withRows { (rows) throws(JournalError) in
      try StoredTableCursor(rows, tableNamed: name, to: head, bytesMax: bytesMax)
    }
    guard var cursor = first else { return nil }
    // In between, other threads read smaller tables.
    while try withRows({ (rows) throws(JournalError) in try cursor.readNext(rows) }) {}
    return cursor.table
  }

  /// Returns the size of a table's last snapshot; 0 if there is no such table.
  func bytes(ofTable name: String) throws(JournalError) -> Int {
    try withRows { (rows) throws(JournalError) in try rows.bytes(ofTable: name) }
  }

  /// - Complexity: O(log *n*) for *n* tables.
  func contains(tableNamed name: String) throws(JournalError) -> Bool {
    try withRows { (rows) throws(JournalError) in try rows.contains(tableNamed: name) }
  }

  private func withRows<Value: Sendable>(
    _ body: (TableRows) throws(JournalError) -> Value
  ) throws(JournalError) -> Value {
    try connection.withLock { (connection) throws(JournalError) in
      guard let rows = connection?.rows else { throw JournalError(.storage, "the journal is closed") }
      return try body(rows)
    }
  }
}
