#if PostgreSQL
  internal import BaizeSync

  /// The tables of a journal in PostgreSQL, in the first schema of the role's `search_path`.
  ///
  /// ```
  /// baize_format     the version of the schema
  /// baize_lease      whose the journal is: a holder, which each start of a daemon draws, and an epoch, which each of its connections
  ///                  raises. Nothing is written but by a turn of the present holder and epoch
  /// baize_turn       the commits of an epoch, which tell whether one is there whose answer was lost
  /// baize_table, baize_document      the definitions of tables; each document is stored once
  /// baize_log        the records of each table, one row per table and turn
  /// baize_snapshot   the complete snapshots; a row is inserted together with the last part
  /// baize_part       the parts of snapshots
  /// baize_deleted    the deleted tables whose parts and records are still to be freed
  /// baize_access     the key that seals invites and tokens
  /// baize_revocation the document of what is revoked of signed tokens
  /// ```
  enum PostgresSchema {
    static let version: Int64 = 1

    /// A part that the first journals of this version did not have. Older programs do not look at it.
    private static let revocations = PostgresStatement(
      "create table baize_revocation (id int primary key, checksum bigint not null, document bytea not null)")
    static let findRevocations = PostgresStatement("select (to_regclass('baize_revocation') is not null)::int")

    private static let tables: [PostgresStatement] = [
      PostgresStatement("create table baize_format (id int primary key, version int not null)"),
      PostgresStatement("insert into baize_format values (1, 1)"),
      PostgresStatement(
        """
        create table baize_lease (
          id int primary key, node text not null, address text not null, epoch bigint not null, holder bigint not null,
          expires_at timestamptz)
        """),
      PostgresStatement("insert into baize_lease values (1, '', '', 0, 0)"),
      PostgresStatement(
        "create table baize_turn (lease int, epoch bigint, turn bigint, primary key (lease, epoch, turn))"),
      PostgresStatement(
        "create table baize_document (id bigint primary key, checksum bigint not null, text bytea not null)"),
      PostgresStatement("create index baize_document_by_checksum on baize_document (checksum)"),
      PostgresStatement(
        """
        create table baize_table (
          no bigint primary key, name text collate "C" not null unique, lease int not null default 1,
          epoch bigint not null default 1, document bigint not null, checksum bigint not null, type bytea not null,
          options bytea not null)
        """),
      PostgresStatement(
        """
        create table baize_log (
          table_no bigint, number bigint, revision bigint not null, checksum bigint not null, records bytea not null,
          primary key (table_no, number))
        """),
      PostgresStatement(
        """
        create table baize_snapshot (
          table_no bigint, record bigint, revision bigint not null, parts bigint not null, primary key (table_no, record))
        """),
      PostgresStatement(
        """
        create table baize_part (
          table_no bigint, record bigint, number bigint, checksum bigint not null, bytes bytea not null,
          primary key (table_no, record, number))
        """),
      PostgresStatement("create table baize_deleted (table_no bigint primary key)"),
      PostgresStatement(
        """
        create table baize_access (
          id int primary key, high bigint not null, low bigint not null, unsealed bigint not null, checksum bigint not null)
        """),
      revocations,
      // Records hardly compress, and what reads or writes them need not try.
      PostgresStatement("alter table baize_log alter column records set storage external"),
      PostgresStatement("alter table baize_part alter column bytes set storage external"),
    ]

    /// Returns the version of the schema; `nil` if there is none.
    static func version(_ connection: PostgresConnection) throws(PostgresFailure) -> Int64? {
      let found = PostgresStatement("select (to_regclass('baize_format') is not null)::int")
      guard try connection.run([found])[0].integer(0, 0) == 1 else { return nil }
      let rows = try connection.run([PostgresStatement("select version::bigint from baize_format")])[0]
      return rows.count == 1 ? rows.integer(0, 0) : nil
    }

    /// Makes the tables that are not there, for daemons that may start at once.
    static func make(_ connection: PostgresConnection) throws(PostgresFailure) {
      let version = try version(connection)
      // Those of another version are refused later.
      guard version == nil || version == Self.version else { return }
      if version != nil {
        guard try connection.run([findRevocations])[0].integer(0, 0) == 0 else { return }
      }
      do {
        _ = try connection.run(version == nil ? tables : [revocations])
      } catch  where error.code == "42P07" || error.code == "23505" {
        // Another daemon makes them, or has made the one that was missing.
        guard version == nil else { return }
        throw PostgresFailure(.connection, "another daemon makes its tables now; start this one again")
      }
    }

    /// - Throws: ``JournalError`` if the tables are those of another version.
    static func check(_ version: Int64?) throws(JournalError) {
      guard version != Self.version else { return }
      guard let version else {
        throw JournalError(.unusable, "there is no journal in this database (PGDATABASE); start baized with it once")
      }
      throw JournalError(
        .unusable,
        "\(PostgresFailure.name) has format \(version), and this baized reads format \(Self.version): use the version that "
          + "wrote it, or name another database")
    }
  }
#endif
