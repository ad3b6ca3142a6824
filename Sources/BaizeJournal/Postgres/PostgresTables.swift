#if PostgreSQL
  internal import BaizeSync
  internal import Synchronization

  /// Reads tables from a journal in PostgreSQL on any thread, by a connection of its own, beside the commits of the journal's.
  ///
  /// A connection that is lost is replaced at the next use.
  final class PostgresTables: Sendable {
    private enum Link {
      case none
      case open(PostgresRows)
      case closed
    }

    private let database: PostgresDatabase
    private let link = Mutex(Link.none)

    init(_ database: PostgresDatabase) { self.database = database }

    /// Closes the connection once the present table is read, if one is.
    func close() { link.withLock { $0 = .closed } }

    func table(named name: String, bytesMax: Int) throws(JournalError) -> StoredTable? {
      try withRows { (rows) throws(JournalError) in try rows.table(named: name, bytesMax: bytesMax) }
    }

    /// Returns the size of a table's last snapshot; 0 if there is no such table.
    func bytes(ofTable name: String) throws(JournalError) -> Int {
      try withRows { (rows) throws(JournalError) in try rows.bytes(ofTable: name) }
    }

    func contains(tableNamed name: String) throws(JournalError) -> Bool {
      try withRows { (rows) throws(JournalError) in try rows.contains(tableNamed: name) }
    }

    private func withRows<Value: Sendable>(
      _ body: (PostgresRows) throws(JournalError) -> Value
    ) throws(JournalError) -> Value {
      try link.withLock { (link) throws(JournalError) in
        if case .open(let rows) = link {
          do throws(JournalError) {
            return try body(rows)
          } catch {
            // A statement that failed may not be prepared.
            link = .none
            guard error.kind == .unreachable else { throw error }
          }
        }
        if case .closed = link { throw JournalError(.storage, "the journal is closed") }
        do throws(PostgresFailure) {
          link = .open(PostgresRows(connection: try PostgresConnection(database)))
        } catch {
          throw error.journalError
        }
        guard case .open(let rows) = link else { throw JournalError(.storage, "the journal is closed") }
        return try body(rows)
      }
    }
  }
#endif
