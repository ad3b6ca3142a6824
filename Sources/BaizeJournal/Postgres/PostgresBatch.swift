#if PostgreSQL
  internal import BaizeSync

  /// The rows of a commit, by table of the database. Those that a later write of the same commit makes superfluous are left out.
  struct PostgresBatch {
    private(set) var tables: [TableRow] = []
    private var documents: [DocumentRow] = []
    private var records: [RecordRow] = []
    private var parts: [PartRow] = []
    private var snapshots: [SnapshotRow] = []
    private var deleted: [Int64] = []
    /// The parts of abandoned snapshots.
    private var abandoned: [(table: Int64, record: Int64)] = []
    /// The document of what is revoked, if it changes.
    var revocations: ArraySlice<UInt8>?

    struct TableRow {
      var id: Int64
      var name: String
      var document: Int64
      var checksum: Int64
      var type: ArraySlice<UInt8>
      var options: ArraySlice<UInt8>
    }

    struct DocumentRow {
      var id: Int64
      var checksum: Int64
      var text: ArraySlice<UInt8>
    }

    struct RecordRow {
      var table: Int64
      var number: Int64
      var revision: Int64
      var checksum: Int64
      var bytes: ArraySlice<UInt8>
    }

    struct PartRow {
      var table: Int64
      var record: Int64
      var number: Int64
      var checksum: Int64
      var bytes: ArraySlice<UInt8>
    }

    struct SnapshotRow {
      var table: Int64
      var record: Int64
      var revision: Int64
      var parts: Int64
      /// The oldest snapshot to keep by the size of the table's history.
      var floor: Int64
    }

    mutating func add(_ row: TableRow) { tables.append(row) }
    mutating func add(_ row: DocumentRow) { documents.append(row) }
    mutating func add(_ row: RecordRow) { records.append(row) }
    mutating func add(_ row: PartRow) { parts.append(row) }
    mutating func add(_ row: SnapshotRow) { snapshots.append(row) }

    mutating func delete(_ table: Int64) {
      tables.removeAll { $0.id == table }
      records.removeAll { $0.table == table }
      parts.removeAll { $0.table == table }
      snapshots.removeAll { $0.table == table }
      deleted.append(table)
    }

    mutating func abandonSnapshot(of table: Int64, at record: Int64) {
      parts.removeAll { $0.table == table && $0.record == record }
      abandoned.append((table, record))
    }

    /// Returns the statements, in an order in which names and parts are free before they are used again.
    ///
    /// - Parameter keepRevisions: The minimum number of revisions of history to keep; `nil` to keep all.
    func statements(keepRevisions: UInt64?) -> [PostgresStatement] {
      var statements: [PostgresStatement] = []
      if !deleted.isEmpty {
        statements += [
          PostgresStatement("delete from baize_table where no = any($1::bigint[])").with(deleted),
          PostgresStatement("delete from baize_snapshot where table_no = any($1::bigint[])").with(deleted),
          PostgresStatement("insert into baize_deleted select unnest($1::bigint[])").with(deleted),
        ]
      }
      if !abandoned.isEmpty {
        statements.append(
          PostgresStatement(
            """
            delete from baize_part p using unnest($1::bigint[], $2::bigint[]) a(no, record)
            where p.table_no = a.no and p.record = a.record
            """
          ).with(abandoned.map(\.table)).with(abandoned.map(\.record)))
      }
      if !documents.isEmpty {
        statements.append(
          PostgresStatement("insert into baize_document select * from unnest($1::bigint[], $2::bigint[], $3::bytea[])")
            .with(documents.map(\.id)).with(documents.map(\.checksum)).with(documents.map(\.text)))
      }
      if !tables.isEmpty {
        statements.append(
          PostgresStatement(
            """
            insert into baize_table (no, name, document, checksum, type, options)
            select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bytea[])
            """
          ).with(tables.map(\.id)).with(tables.map(\.name)).with(tables.map(\.document)).with(tables.map(\.checksum))
            .with(tables.map(\.type)).with(tables.map(\.options)))
      }
      if !records.isEmpty {
        statements.append(
          PostgresStatement(
            """
            insert into baize_log
            select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[])
            """
          ).with(records.map(\.table)).with(records.map(\.number)).with(records.map(\.revision))
            .with(records.map(\.checksum)).with(records.map(\.bytes)))
      }
      if !parts.isEmpty {
        statements.append(
          PostgresStatement(
            """
            insert into baize_part
            select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[])
            """
          ).with(parts.map(\.table)).with(parts.map(\.record)).with(parts.map(\.number))
            .with(parts.map(\.checksum)).with(parts.map(\.bytes)))
      }
      if let revocations {
        statements.append(
          PostgresStatement(
            """
            insert into baize_revocation values (1, $1, $2)
            on conflict (id) do update set checksum = excluded.checksum, document = excluded.document
            """
          ).with(Checksum.of(revocations)).with(revocations))
      }
      if !snapshots.isEmpty { statements += self.snapshotStatements(keepRevisions) }
      return statements
    }

    private func snapshotStatements(_ keepRevisions: UInt64?) -> [PostgresStatement] {
      let (ids, revisions) = (snapshots.map(\.table), snapshots.map(\.revision))
      let insert = PostgresStatement(
        "insert into baize_snapshot select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])"
      ).with(ids).with(snapshots.map(\.record)).with(revisions).with(snapshots.map(\.parts))
      guard let keep = keepRevisions.map({ Int64(clamping: $0) }) else { return [insert] }
      let trim = PostgresStatement(
        """
        with floors as materialized (
          select c.no, max(greatest(c.floor,
            (select max(record) from baize_snapshot s where s.table_no = c.no and s.revision <= c.revision - $4),
            (select record from baize_snapshot s where s.table_no = c.no order by record desc limit 1 offset $5))) as record
          from unnest($1::bigint[], $2::bigint[], $3::bigint[]) c(no, revision, floor) group by c.no),
        records as (delete from baize_log l using floors f where l.table_no = f.no and l.number <= f.record),
        parts as (delete from baize_part p using floors f where p.table_no = f.no and p.record < f.record)
        delete from baize_snapshot s using floors f where s.table_no = f.no and s.record < f.record
        """
      ).with(ids).with(revisions).with(snapshots.map(\.floor))
        .with(
          keep, Int64(clamping: max(SQLiteJournal.snapshotsMin, UInt64(keep) / SQLiteJournal.revisionsPerSnapshotMin)))
      return [insert, trim]
    }
  }
#endif
