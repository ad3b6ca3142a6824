internal import BaizeSync

/// The SQLite schema of a journal.
///
/// ```
/// log        the records of all tables in the order of writing; each row refers to the previous row of its table, so a
///            table's records form a chain that is read backwards from its head. Rows are only appended: a commit of a
///            hundred tables writes a few neighbouring pages, where a log ordered by table would write a hundred.
/// heads      the end of each table's chain, brought up to date from time to time; `log_state` says up to which row.
///            Opening the file reads the log behind it. Records up to `floor` precede the oldest snapshot kept.
/// snapshots  the complete snapshots; a row is inserted together with the last part
/// parts      the parts of snapshots
/// tables, documents      the definitions of tables; each document is stored once
/// access     the key that seals invites and tickets
/// revocations  the document of what is revoked of signed tokens
/// deleted    the deleted tables whose parts and records are still to be freed, a bounded number in each commit
/// ```
enum JournalFormat {
  /// `Baiz`, in the header of the file.
  static let applicationID: Int64 = 0x4261_697A
  static let version: Int64 = 3
  /// The oldest version that is read, too, and raised when a daemon opens the file. In journals of version 2 sessions have no
  /// credential: nobody can take them up again.
  private static let readableVersionMin: Int64 = 2
  static let raising = "PRAGMA user_version = \(version)"

  /// The length of SQLite's file header.
  static let headerBytes = 100

  static let schema = """
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    CREATE TABLE documents (id INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, text TEXT NOT NULL);
    CREATE INDEX documents_by_checksum ON documents (checksum);
    CREATE TABLE tables (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, document INTEGER NOT NULL, checksum INTEGER NOT NULL,
      type TEXT NOT NULL, options BLOB NOT NULL);
    CREATE TABLE log (
      id INTEGER PRIMARY KEY, table_id INTEGER NOT NULL, number INTEGER NOT NULL, previous INTEGER NOT NULL,
      revision INTEGER NOT NULL, checksum INTEGER NOT NULL, entries BLOB NOT NULL);
    CREATE TABLE log_state (
      indexed INTEGER NOT NULL, tables INTEGER NOT NULL, rows INTEGER NOT NULL, dead INTEGER NOT NULL,
      checksum INTEGER NOT NULL);
    INSERT INTO log_state VALUES (0, 0, 0, 0, \(LogState().checksum));
    CREATE TABLE heads (
      table_id INTEGER PRIMARY KEY, log_id INTEGER NOT NULL, number INTEGER NOT NULL, floor INTEGER NOT NULL,
      checksum INTEGER NOT NULL);
    CREATE TABLE snapshots (
      table_id INTEGER NOT NULL, record INTEGER NOT NULL, revision INTEGER NOT NULL, parts INTEGER NOT NULL,
      PRIMARY KEY (table_id, record)) WITHOUT ROWID;
    CREATE TABLE parts (
      table_id INTEGER NOT NULL, record INTEGER NOT NULL, number INTEGER NOT NULL, checksum INTEGER NOT NULL,
      bytes BLOB NOT NULL, PRIMARY KEY (table_id, record, number)) WITHOUT ROWID;
    CREATE TABLE probe (id INTEGER PRIMARY KEY, filler BLOB NOT NULL);
    """

  /// The parts of the schema that the first journals of this format did not have. Older programs do not look at it.
  static let additions = """
    CREATE TABLE IF NOT EXISTS deleted (
      table_id INTEGER PRIMARY KEY, log_id INTEGER NOT NULL, floor INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS last_uses (table_id INTEGER PRIMARY KEY, hour INTEGER NOT NULL, checksum INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS running (
      id INTEGER PRIMARY KEY CHECK (id = 1), seconds INTEGER NOT NULL, checksum INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS access (
      id INTEGER PRIMARY KEY CHECK (id = 1), high INTEGER NOT NULL, low INTEGER NOT NULL, unsealed INTEGER NOT NULL,
      checksum INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS revocations (
      id INTEGER PRIMARY KEY CHECK (id = 1), checksum INTEGER NOT NULL, document BLOB NOT NULL);
    """

  /// The parts of the schema of earlier journals of this format, which nothing reads any more.
  private static let formerTables: Set = ["used", "days"]

  /// Refuses a file with anything that Baize has not made: SQLite would act on triggers and views, and on what a definition
  /// computes.
  ///
  /// - Throws: ``JournalError`` of kind `unusable`.
  static func checkSchema(of database: Database) throws(JournalError) {
    let own = Set(
      (schema + additions).split(separator: ";").map {
        $0.trimmingPrefix(while: \.isWhitespace).replacing(" IF NOT EXISTS", with: "")
      })
    // Names that begin so are SQLite's, such as those of statistics.
    let row = try database.prepare("SELECT type, name, sql FROM sqlite_schema WHERE substr(name, 1, 7) <> 'sqlite_'")
    while try row.next() {
      let (type, name, sql) = (row.text(0), row.text(1), row.text(2))
      guard own.contains(sql[...]) || (type == "table" && formerTables.contains(name)) else {
        throw JournalError(
          .unusable,
          "the \(type) '\(name)' in the journal '\(database.name)' is not Baize's: someone has changed the file; name another one"
        )
      }
    }
  }

  enum Kind: Equatable {
    case empty
    case journal
    /// A journal written by another version of Baize.
    case otherVersion(Int64)
    case otherDatabase
    case notSQLite
  }

  static func kind(ofHeader header: [UInt8]) -> Kind {
    guard header.count == headerBytes, header.starts(with: Array("SQLite format 3\0".utf8)) else { return .notSQLite }
    guard number(in: header, at: 68) == applicationID else { return .otherDatabase }
    return kind(ofVersion: number(in: header, at: 60))
  }

  static func kind(ofVersion version: Int64) -> Kind {
    (readableVersionMin...self.version).contains(version) ? .journal : .otherVersion(version)
  }

  /// Reads four bytes, big-endian.
  private static func number(in header: [UInt8], at offset: Int) -> Int64 {
    header[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }

  /// - Throws: ``JournalError`` if the file is not a journal of this version.
  static func check(_ kind: Kind, of name: String) throws(JournalError) {
    switch kind {
    case .empty, .journal: return
    case .otherVersion(let version):
      throw JournalError(
        .unusable,
        "the journal '\(name)' has format \(version), and this baized reads format \(Self.version): use the version "
          + "that wrote it, or name another file")
    case .otherDatabase:
      throw JournalError(
        .unusable, "'\(name)' is an SQLite file of another program, not a journal of Baize; name another file")
    case .notSQLite:
      throw JournalError(.unusable, "'\(name)' is not a journal of Baize; name another file")
    }
  }
}
