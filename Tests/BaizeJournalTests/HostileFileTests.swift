import BaizeLaboratory
import BaizeSync
import TestSupport
import Testing

@testable import BaizeJournal

/// Journals that someone else has made or changed (I12): each is refused, or read, and nothing in it is carried out.
@Suite(.dedicatedThreads) struct HostileFileTests {
  private static func journal(_ folder: TemporaryFolder) throws -> String {
    let path = folder.path("journal")
    let journal = try SQLiteJournal(path: path, expiry: ExpiryRule(days: 1)) { 0 }
    _ = try journal.accessKey(orNew: AccessKey(high: 1, low: 2))
    try journal.commit(Writes.table("a") + Writes.table("b") + Writes.table("c"))
    try journal.commit((1...3).map { Writes.record("a", $0) } + (1...3).map { Writes.record("b", $0) })
    try journal.commit([Writes.snapshot("a", record: 3, revision: 3), .deletion("c"), .revocations([1, 2, 3])])
    return path
  }

  // MARK: Schema

  @Test(arguments: [
    "CREATE TRIGGER x AFTER INSERT ON log BEGIN DELETE FROM tables; END",
    "CREATE VIEW x AS SELECT 1", "CREATE TABLE x (y)", "CREATE INDEX x ON log (table_id)",
    "ALTER TABLE probe ADD COLUMN y DEFAULT (1)",
  ])
  func `a file with what Baize has not made is refused, and stays as it is`(sql: String) throws {
    let folder = try TemporaryFolder()
    let path = try Self.journal(folder)
    do { try SQLiteJournal(path: path).database.run(sql) }
    let before = try folder.bytes("journal")
    func refuses(_ body: () throws(JournalError) -> Void) {
      let error = #expect(throws: JournalError.self) { try body() }
      #expect(
        error?.kind == .unusable && error?.description.contains("is not Baize's") == true,
        "\(String(describing: error))")
    }
    refuses { () throws(JournalError) in _ = try SQLiteJournal(path: path) }
    refuses { () throws(JournalError) in _ = try JournalReader(path: path) }
    #expect(try folder.bytes("journal") == before)
  }

  @Test func `SQLite's own statistics are no change`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.journal(folder)
    do { try SQLiteJournal(path: path).database.run("ANALYZE") }
    #expect(try SQLiteJournal(path: path).tableCount() == 2)
  }

  // MARK: Values

  private static let extremes = [
    "-9223372036854775808", "-1", "0", "1", "4294967296", "1152921504606846976", "9223372036854775806",
    "9223372036854775807", "1e308", "NULL", "''", "'x'", "zeroblob(0)", "zeroblob(70000)", "x'ff'",
  ]

  /// Every column of every table at the extremes of its type, with checksums that fit, since whoever makes a file can compute
  /// them.
  @Test func `no value of any column leads to a trap`() throws {
    var columns: [(table: String, column: String)] = []
    do {
      let folder = try TemporaryFolder()
      let database = try SQLiteJournal(path: Self.journal(folder)).database
      let row = try database.prepare(
        "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'")
      while try row.next() { columns.append((row.text(0), row.text(1))) }
    }
    #expect(columns.count > 40)
    var outcomes: [String: Int] = [:]
    for (table, column) in columns {
      for value in Self.extremes {
        let folder = try TemporaryFolder()
        let path = try Self.journal(folder)
        do {
          let database = try JournalFile.forWriting(path)
          let last = "rowid = (SELECT max(rowid) FROM \(table))"
          let hasRowID = !["snapshots", "parts"].contains(table)
          // What the schema itself refuses is no case.
          guard
            (try? database.run("UPDATE \(table) SET \(column) = \(value)\(hasRowID ? " WHERE \(last)" : "")")) != nil
          else { continue }
          if column != "checksum" { try Self.sealAll(database) }
        }
        outcomes[Self.use(path), default: 0] += 1
      }
    }
    // Some are noticed, and some change nothing that matters.
    #expect(outcomes["read", default: 0] > 20 && outcomes["refused", default: 0] > 20, "\(outcomes)")
  }

  /// Computes all checksums anew.
  private static func sealAll(_ database: Database) throws {
    func update(_ table: String, _ columns: String, _ checksum: (Statement) -> Int64) throws {
      let row = try database.prepare("SELECT rowid, \(columns) FROM \(table)")
      var sums: [(Int64, Int64)] = []
      while try row.next() { sums.append((row.integer(0), checksum(row))) }
      for (id, sum) in sums { try database.run("UPDATE \(table) SET checksum = \(sum) WHERE rowid = \(id)") }
    }
    try update("heads", "table_id, log_id, number, floor") {
      Head(row: $0.integer(2), number: $0.integer(3), floor: $0.integer(4)).checksum(of: $0.integer(1))
    }
    try update("log_state", "indexed, tables, rows, dead") {
      Checksum.of([], $0.integer(1), $0.integer(2), $0.integer(3), $0.integer(4))
    }
    try update("log", "table_id, number, revision, entries") {
      Checksum.of($0.bytes(4), $0.integer(1), $0.integer(2), $0.integer(3))
    }
    try update("tables", "name, type, options") { TableRows.checksum($0.text(1), $0.text(2), $0.bytes(3)) }
    try update("documents", "text") { TableRows.checksum(ofDocument: $0.text(1)) }
    try update("running", "seconds") { Checksum.of([], $0.integer(1)) }
    try update("last_uses", "table_id, hour") { Checksum.of([], $0.integer(1), $0.integer(2)) }
    try update("access", "high, low, unsealed") { Checksum.of([], $0.integer(1), $0.integer(2), $0.integer(3)) }
    try update("revocations", "document") { Checksum.of($0.bytes(1)) }
    let part = try database.prepare(
      """
      SELECT p.table_id, p.record, p.number, p.bytes, s.revision FROM parts p
      LEFT JOIN snapshots s ON s.table_id = p.table_id AND s.record = p.record
      """)
    var sums: [(Int64, Int64, Int64, Int64)] = []
    while try part.next() {
      let (table, record, number) = (part.integer(0), part.integer(1), part.integer(2))
      sums.append(
        (TableRows.checksum(ofPart: part.bytes(3), number, of: (table, record, part.integer(4))), table, record, number)
      )
    }
    for (sum, table, record, number) in sums {
      try database.run(
        "UPDATE parts SET checksum = \(sum) WHERE table_id = \(table) AND record = \(record) AND number = \(number)")
    }
  }

  /// Does everything with a journal that a daemon and its tools do.
  private static func use(_ path: String) -> String {
    var isRefused = false
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { isRefused = true }
    }
    attempt { _ = try JournalReader(path: path).check() }
    attempt { _ = try JournalReader(path: path).tables() }
    attempt {
      let journal = try SQLiteJournal(path: path, keepRevisions: 1, expiry: ExpiryRule(days: 1)) { 0 }
      for name in ["a", "b"] {
        attempt {
          let number = try journal.table(named: name)?.records.last?.number ?? 3
          try journal.commit([Writes.record(name, number &+ 1)])
          try journal.commit([Writes.snapshot(name, record: number &+ 1, revision: number &+ 1)])
        }
      }
      attempt { try journal.commit(Writes.table("new")) }
      attempt { _ = try journal.accessKey(orNew: AccessKey(high: 1, low: 2)) }
      attempt { _ = try journal.revocations() }
      attempt { try journal.commit([.revocations([4])]) }
      attempt { _ = try journal.expire() }
      attempt { while try journal.tidy() {} }
      attempt { try journal.commit([.deletion("a")]) }
    }
    return isRefused ? "refused" : "read"
  }
}
