#if PostgreSQL
  internal import BaizeSync
  internal import BaizeTable

  /// Reads a journal's rows in PostgreSQL and verifies their checksums.
  struct PostgresRows: StoredRows {
    let connection: PostgresConnection

    private func query(_ statement: PostgresStatement) throws(JournalError) -> PostgresResult {
      do throws(PostgresFailure) {
        return try connection.run([statement])[0]
      } catch {
        throw error.journalError
      }
    }

    // MARK: Definitions

    /// Returns a table's number and definition; `nil` if there is no such table.
    func definition(of name: String) throws(JournalError) -> (id: Int64, TableDefinition)? {
      let row = try query(
        PostgresStatement(
          """
          select t.no, t.checksum, t.type, t.options, d.checksum, d.text
          from baize_table t left join baize_document d on d.id = t.document where t.name = $1
          """
        ).with(name))
      guard row.count == 1 else { return nil }
      let options = row.bytes(0, 3)
      guard let attributes = TableRows.decoded(options) else { throw damaged("the options of table '\(name)'") }
      let table = TableDefinition(
        name: name, typeText: row.text(0, 2), document: row.text(0, 5), options: attributes)
      guard row.integer(0, 1) == TableRows.checksum(name, table.typeText, options),
        row.integer(0, 4) == TableRows.checksum(ofDocument: table.document)
      else { throw damaged("the definition of table '\(name)'") }
      return (row.integer(0, 0), table)
    }

    /// Returns the names and types of all tables with a snapshot, in the order of names.
    func tables() throws(JournalError) -> [(id: Int64, name: String, typeText: String)] {
      let rows = try query(
        PostgresStatement(
          """
          select no, name, type from baize_table t where exists (select from baize_snapshot s where s.table_no = t.no)
          order by name
          """))
      return (0..<rows.count).map { (rows.integer($0, 0), rows.text($0, 1), rows.text($0, 2)) }
    }

    // MARK: Snapshots

    /// Returns the complete snapshots of a table, last first.
    func snapshots(of table: Int64, limit: Int = .max) throws(JournalError) -> [TableRows.SnapshotRow] {
      let rows = try query(
        PostgresStatement(
          "select record, revision, parts from baize_snapshot where table_no = $1 order by record desc limit $2"
        ).with(table, Int64(limit)))
      return (0..<rows.count).map {
        TableRows.SnapshotRow(record: rows.integer($0, 0), revision: rows.integer($0, 1), parts: rows.integer($0, 2))
      }
    }

    /// Returns a part of a snapshot; `nil` if there is none of that number.
    func part(
      _ number: Int, of snapshot: TableRows.SnapshotRow, of table: Int64, named name: String
    ) throws(JournalError) -> JournalSnapshotPart? {
      let row = try query(
        PostgresStatement(
          "select checksum, bytes from baize_part where table_no = $1 and record = $2 and number = $3"
        ).with(table, snapshot.record, Int64(number)))
      guard row.count == 1 else { return nil }
      let bytes = row.bytes(0, 1)
      let key = (table: table, record: snapshot.record, revision: snapshot.revision)
      guard row.integer(0, 0) == TableRows.checksum(ofPart: bytes, Int64(number), of: key) else {
        throw damaged("a snapshot of table '\(name)'")
      }
      return JournalSnapshotPart(
        table: name, record: UInt64(bitPattern: snapshot.record),
        revision: Revision(rawValue: UInt64(bitPattern: snapshot.revision)), number: number,
        isLast: number + 1 == snapshot.parts, bytes: bytes)
    }

    /// Returns the size of a snapshot, without reading it.
    func bytes(of snapshot: TableRows.SnapshotRow, of table: Int64) throws(JournalError) -> Int {
      let row = try query(
        PostgresStatement(
          "select coalesce(sum(length(bytes)), 0)::bigint from baize_part where table_no = $1 and record = $2"
        ).with(table, snapshot.record))
      return Int(row.integer(0, 0))
    }

    // MARK: Records

    /// Returns some of the records after `last`, in order; none at the end.
    func records(
      after last: Int64, of table: Int64, named name: String, max count: Int64 = Self.recordsReadMax
    ) throws(JournalError) -> [JournalRecord] {
      let rows = try query(
        PostgresStatement(
          """
          select number, revision, checksum, records from baize_log where table_no = $1 and number > $2
          order by number limit $3
          """
        ).with(table, last, count))
      var records: [JournalRecord] = []
      for row in 0..<rows.count {
        let (number, revision, bytes) = (rows.integer(row, 0), rows.integer(row, 1), rows.bytes(row, 3))
        guard number == last + Int64(row) + 1, rows.integer(row, 2) == Checksum.of(bytes, table, number, revision)
        else {
          throw damaged("the record \(last + Int64(row) + 1) of table '\(name)'")
        }
        records.append(
          JournalRecord(
            table: name, number: UInt64(bitPattern: number),
            revision: Revision(rawValue: UInt64(bitPattern: revision)), bytes: bytes))
      }
      return records
    }

    /// The number of records to read at once.
    static let recordsReadMax: Int64 = 256

    // MARK: Tables

    /// Returns what a table is restored from; `nil` if there is no such table.
    ///
    /// - Throws: ``JournalError``, of kind `tooLarge` for a snapshot of more than `bytesMax`.
    func table(named name: String, bytesMax: Int = .max) throws(JournalError) -> StoredTable? {
      guard let (id, definition) = try definition(of: name), let last = try snapshots(of: id, limit: 1).first else {
        return nil
      }
      guard try bytesMax == .max ? true : bytes(of: last, of: id) <= bytesMax else {
        throw JournalError(.tooLarge, "there is no room for table '\(name)'")
      }
      var table = StoredTable(definition: definition, snapshot: [], records: [])
      table.snapshot = try parts(of: last, of: id, named: name)
      var record = last.record
      while true {
        let records = try records(after: record, of: id, named: name)
        guard !records.isEmpty else { return table }
        record += Int64(records.count)
        table.records += records
      }
    }

    /// Adds a table's records, and the size of what is stored of it, to its summary.
    func addSizes(of table: Int64, to summary: inout TableSummary) throws(JournalError) {
      let rows = try query(
        PostgresStatement("select number, revision, length(records)::bigint from baize_log where table_no = $1").with(
          table))
      for row in 0..<rows.count {
        summary.add(
          record: UInt64(bitPattern: rows.integer(row, 0)),
          Revision(rawValue: UInt64(bitPattern: rows.integer(row, 1))), bytes: Int(rows.integer(row, 2)))
      }
      let parts = try query(
        PostgresStatement("select coalesce(sum(length(bytes)), 0)::bigint from baize_part where table_no = $1").with(
          table))
      summary.bytes += Int(parts.integer(0, 0))
    }

    /// Returns the journal's key; `nil` if it has none yet.
    func accessKey() throws(JournalError) -> AccessKey? {
      let row = try query(PostgresStatement("select high, low, unsealed, checksum from baize_access"))
      guard row.count > 0 else { return nil }
      let (high, low, unsealed) = (row.integer(0, 0), row.integer(0, 1), row.integer(0, 2))
      guard row.integer(0, 3) == Checksum.of([], high, low, unsealed) else {
        throw damaged(
          "the key of its invites, without which they are worth nothing (delete from baize_access makes a new one),")
      }
      return AccessKey(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low), acceptsUnsealed: unsealed != 0)
    }

    /// Returns the document of what is revoked of signed tokens; `nil` if there is none.
    ///
    /// - Throws: ``JournalError`` of kind `corrupt` if it is damaged or too large.
    func revocations() throws(JournalError) -> [UInt8]? {
      // A database that no daemon has opened since it has a place for them.
      guard try query(PostgresSchema.findRevocations).integer(0, 0) == 1 else { return nil }
      let size = try query(PostgresStatement("select length(document)::bigint from baize_revocation"))
      guard size.count > 0 else { return nil }
      guard size.integer(0, 0) <= ServerLimits.revocationBytesMax else { throw tooManyRevocations }
      let row = try query(PostgresStatement("select checksum, document from baize_revocation"))
      let document = row.bytes(0, 1)
      guard row.integer(0, 0) == Checksum.of(document) else {
        throw damaged("what is revoked of signed tokens (delete from baize_revocation revokes nothing any more)")
      }
      return Array(document)
    }

    func damaged(_ part: String) -> JournalError {
      JournalError(.corrupt, "\(PostgresFailure.name) is damaged: \(part) cannot be read")
    }
  }
#endif
