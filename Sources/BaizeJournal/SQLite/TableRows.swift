internal import BaizeSync
internal import BaizeTable
internal import BaizeWire

/// Reads a journal's rows and verifies their checksums.
struct TableRows: StoredRows {
  let database: Database
  private let definition: Statement
  private let snapshots: Statement
  private let part: Statement
  private let partsBytes: Statement
  private let head: Statement
  private let state: Statement
  private let row: Statement

  init(_ database: Database) throws(JournalError) {
    self.database = database
    definition = try database.prepare(
      """
      SELECT t.id, t.checksum, t.type, t.options, d.checksum, d.text
      FROM tables t LEFT JOIN documents d ON d.id = t.document WHERE t.name = ?
      """)
    snapshots = try database.prepare(
      "SELECT record, revision, parts FROM snapshots WHERE table_id = ? ORDER BY record DESC")
    part = try database.prepare("SELECT checksum, bytes FROM parts WHERE table_id = ? AND record = ? AND number = ?")
    partsBytes = try database.prepare("SELECT sum(length(bytes)) FROM parts WHERE table_id = ? AND record = ?")
    head = try database.prepare(
      """
      SELECT h.log_id, h.number, h.floor, h.checksum, h.table_id IS NOT NULL, s.tables
      FROM log_state s LEFT JOIN heads h ON h.table_id = ?
      """)
    state = try database.prepare("SELECT indexed, tables, rows, dead, checksum FROM log_state")
    row = try database.prepare("SELECT table_id, number, previous, revision, checksum, entries FROM log WHERE id = ?")
  }

  // MARK: Tables

  /// Returns what a table is restored from; `nil` if there is no such table.
  ///
  /// - Parameters:
  ///   - head: The end of the table's chain of records; `nil` if `heads` has it.
  ///   - bytesMax: The size in bytes of the largest snapshot to read.
  /// - Throws: ``JournalError``, of kind `tooLarge` for a larger one.
  func table(named name: String, to head: Head?, bytesMax: Int = .max) throws(JournalError) -> StoredTable? {
    guard var cursor = try StoredTableCursor(self, tableNamed: name, to: head, bytesMax: bytesMax) else { return nil }
    while try cursor.readNext(self) {}
    return cursor.table
  }

  // MARK: Definitions

  /// Returns a table's id and definition; `nil` if there is no such table.
  func definition(of name: String) throws(JournalError) -> (id: Int64, TableDefinition)? {
    let row = definition.set(1, name)
    defer { row.reset() }
    guard try row.next() else { return nil }
    let options = row.bytes(3)
    let table = TableDefinition(name: name, typeText: row.text(2), document: row.text(5), options: try read(options))
    guard row.integer(1) == Self.checksum(name, table.typeText, options),
      row.integer(4) == Self.checksum(ofDocument: table.document)
    else { throw damaged("the definition of table '\(name)'") }
    return (try row.number(0), table)
  }

  static func checksum(_ name: String, _ typeText: String, _ options: ArraySlice<UInt8>) -> Int64 {
    var checksum = Checksum()
    checksum.combine(name)
    checksum.combine(typeText)
    options.withUnsafeBytes { checksum.combine($0) }
    return checksum.value
  }

  static func checksum(ofDocument text: String) -> Int64 {
    var checksum = Checksum()
    checksum.combine(text)
    return checksum.value
  }

  // MARK: Snapshots

  struct SnapshotRow {
    var record: Int64
    var revision: Int64
    var parts: Int64
  }

  static func checksum(
    ofPart bytes: ArraySlice<UInt8>, _ number: Int64, of snapshot: (table: Int64, record: Int64, revision: Int64)
  ) -> Int64 {
    Checksum.of(bytes, snapshot.table, snapshot.record, snapshot.revision, number)
  }

  /// Returns the complete snapshots of a table, last first.
  func snapshots(of table: Int64, limit: Int = .max) throws(JournalError) -> [SnapshotRow] {
    let row = snapshots.set(table)
    defer { row.reset() }
    var rows: [SnapshotRow] = []
    while rows.count < limit, try row.next() {
      rows.append(try SnapshotRow(record: row.number(0), revision: row.number(1), parts: row.number(2)))
    }
    return rows
  }

  /// Returns a part of a snapshot; `nil` if there is none of that number.
  func part(
    _ number: Int, of snapshot: SnapshotRow, of table: Int64, named name: String
  ) throws(JournalError) -> JournalSnapshotPart? {
    let row = part.set(table, snapshot.record, Int64(number))
    defer { row.reset() }
    guard try row.next() else { return nil }
    let bytes = row.bytes(1)
    guard row.integer(0) == Self.checksum(ofPart: bytes, Int64(number), of: (table, snapshot.record, snapshot.revision))
    else { throw damaged("a snapshot of table '\(name)'") }
    return JournalSnapshotPart(
      table: name, record: UInt64(bitPattern: snapshot.record),
      revision: Revision(rawValue: UInt64(bitPattern: snapshot.revision)), number: number,
      isLast: number + 1 == snapshot.parts, bytes: bytes)
  }

  /// Returns the size of a snapshot, without reading it.
  func bytes(of snapshot: SnapshotRow, of table: Int64) throws(JournalError) -> Int {
    let row = partsBytes.set(table, snapshot.record)
    defer { row.reset() }
    return try row.next() ? Int(try row.number(0)) : 0
  }

  // MARK: Heads

  /// Returns the end of a table's chain of records, as `heads` has it.
  func head(of table: Int64) throws(JournalError) -> Head {
    let row = head.set(table)
    defer { row.reset() }
    guard try row.next() else { throw damaged("the state of the log") }
    // A table that `heads` does not cover yet has no row.
    guard row.integer(4) != 0 else {
      guard table > row.integer(5) else { throw damaged("the end of a table's records") }
      return Head()
    }
    let found = try Head(row: row.number(0), number: row.number(1), floor: row.number(2))
    guard row.integer(3) == found.checksum(of: table) else { throw damaged("the end of a table's records") }
    return found
  }

  /// Returns the state of the log as of the last update of `heads`.
  func logState() throws(JournalError) -> LogState {
    defer { state.reset() }
    guard try state.next() else { throw damaged("the state of the log") }
    let found = try LogState(
      indexed: state.number(0), tables: state.number(1), rows: state.number(2), dead: state.number(3),
      last: state.number(0), lastTable: state.number(1))
    guard state.integer(4) == found.checksum else { throw damaged("the state of the log") }
    return found
  }

  // MARK: Records

  /// Returns the log rows of the records after `last`, in order.
  ///
  /// - Complexity: O(number of records).
  func chain(of table: Int64, to head: Head, after last: Int64) throws(JournalError) -> [Int64] {
    var ids: [Int64] = []
    var id = head.row
    var number = head.number
    while number > last {
      let row = row.set(id)
      defer { row.reset() }
      guard try row.next(), row.integer(0) == table, row.integer(1) == number, row.integer(2) < id else {
        throw damaged("the record \(number) of a table")
      }
      ids.append(id)
      id = try row.number(2)
      number -= 1
    }
    ids.reverse()
    return ids
  }

  func record(_ id: Int64, of table: Int64, named name: String) throws(JournalError) -> JournalRecord {
    let row = row.set(id)
    defer { row.reset() }
    guard try row.next() else { throw damaged("a record of table '\(name)'") }
    let bytes = row.bytes(5)
    guard row.integer(4) == Checksum.of(bytes, table, row.integer(1), row.integer(3)) else {
      throw damaged("the record \(row.integer(1)) of table '\(name)'")
    }
    return try JournalRecord(
      table: name, number: row.count(1), revision: Revision(rawValue: row.count(3)), bytes: bytes)
  }

  func hasNoSnapshot(_ name: String) -> JournalError { damaged("a snapshot of table '\(name)'") }

  func damaged(_ part: String) -> JournalError {
    JournalError(.corrupt, "the journal '\(database.name)' is damaged: \(part) cannot be read")
  }

  // MARK: Options

  /// Encodes options as length-prefixed attributes, as the wire does.
  static func encoded(_ options: [Attribute]) -> [UInt8] {
    var writer = ByteWriter()
    writer.attributes(1, options)
    return writer.withUnsafeBytes { Array($0) }
  }

  private func read(_ bytes: ArraySlice<UInt8>) throws(JournalError) -> [Attribute] {
    guard let options = Self.decoded(bytes) else { throw damaged("a table's options") }
    return options
  }

  /// Decodes options; `nil` if they are malformed.
  static func decoded(_ bytes: ArraySlice<UInt8>) -> [Attribute]? {
    try? bytes.withUnsafeBufferPointer { (elements) throws(DecodeError) in
      try [Attribute](ByteReader(UnsafeRawBufferPointer(elements)))
    }
  }
}
