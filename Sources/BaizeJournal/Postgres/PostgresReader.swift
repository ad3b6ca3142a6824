#if PostgreSQL
  public import BaizeSync
  internal import BaizeTable

  /// Reads a journal in PostgreSQL for tools, in one transaction that only reads: beside a daemon it reads what was durable when it
  /// was opened.
  public final class PostgresReader: StoredJournal {
    private let connection: PostgresConnection
    private let rows: PostgresRows

    /// Opens the journal in the database that libpq's environment names.
    ///
    /// - Throws: ``JournalError`` of kind `unusable`.
    public convenience init() throws(JournalError) { try self.init(PostgresDatabase()) }

    init(_ database: PostgresDatabase) throws(JournalError) {
      let version: Int64?
      do throws(PostgresFailure) {
        connection = try PostgresConnection(database)
        _ = try connection.run([PostgresStatement("begin isolation level repeatable read read only")])
        version = try PostgresSchema.version(connection)
      } catch {
        throw error.atOpening
      }
      try PostgresSchema.check(version)
      rows = PostgresRows(connection: connection)
    }

    public func check() throws(JournalError) -> JournalContents {
      _ = try accessKey()
      _ = try revocations()
      return try countHistories()
    }

    public func names() throws(JournalError) -> [String] { try rows.tables().map(\.name) }

    public func tables() throws(JournalError) -> [TableSummary] {
      var summaries: [TableSummary] = []
      for table in try rows.tables() {
        var summary = TableSummary(name: table.name, typeText: table.typeText)
        for snapshot in try rows.snapshots(of: table.id).reversed() {
          summary.add(
            snapshot: UInt64(bitPattern: snapshot.record), Revision(rawValue: UInt64(bitPattern: snapshot.revision)))
        }
        try rows.addSizes(of: table.id, to: &summary)
        summaries.append(summary)
      }
      return summaries
    }

    public func definition(ofTable name: String) throws(JournalError) -> TableDefinition? {
      guard let stored = try table(named: name), let head = stored.snapshot.first else { return nil }
      var present = try stored.definition.present(in: head)
      for record in stored.records { present = try present.present(after: record) }
      return present
    }

    public func table(named name: String) throws(JournalError) -> StoredTable? { try rows.table(named: name) }

    public func history(ofTable name: String) throws(JournalError) -> TableHistory? {
      guard let (id, definition) = try rows.definition(of: name) else { return nil }
      let snapshots = try rows.snapshots(of: id)
      guard !snapshots.isEmpty else { return nil }
      // The records that were read ahead.
      var ahead: ArraySlice<JournalRecord> = []
      return TableHistory(definition, snapshots: snapshots) { [rows] (snapshot) throws(JournalError) in
        try rows.parts(of: snapshot, of: id, named: name)
      } record: { [rows] (number) throws(JournalError) in
        if ahead.isEmpty { ahead = try rows.records(after: number - 1, of: id, named: name)[...] }
        return ahead.popFirst()
      }
    }

    public func accessKey() throws(JournalError) -> AccessKey? { try rows.accessKey() }

    public func revocations() throws(JournalError) -> [UInt8]? { try rows.revocations() }
  }
#endif
