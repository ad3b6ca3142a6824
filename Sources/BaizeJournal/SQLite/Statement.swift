internal import BaizeSync
internal import CSQLite

/// A prepared statement for repeated use.
///
/// Parameters count from 1, columns from 0, as in SQLite.
final class Statement {
  private let statement: OpaquePointer
  /// Keeps the connection open while the statement exists.
  private let database: Database

  init(_ statement: OpaquePointer, of database: Database) {
    self.statement = statement
    self.database = database
  }

  deinit { sqlite3_finalize(statement) }

  // MARK: Parameters

  /// Resets the statement and sets its parameters, starting with the first.
  func set(_ values: Int64...) -> Statement {
    reset()
    for (index, value) in values.enumerated() { sqlite3_bind_int64(statement, Int32(index + 1), value) }
    return self
  }

  func set(_ parameter: Int32, _ value: Int64) -> Statement {
    sqlite3_bind_int64(statement, parameter, value)
    return self
  }

  func set(_ parameter: Int32, _ text: String) -> Statement {
    var text = text
    text.withUTF8 { bytes in
      _ = bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(statement, parameter, $0.baseAddress, Int32($0.count), Self.transient)
      }
    }
    return self
  }

  /// `SQLITE_TRANSIENT`: SQLite copies the bytes.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// Runs the statement with `bytes` as a parameter, which SQLite reads in place.
  func run(_ parameter: Int32, _ bytes: ArraySlice<UInt8>) throws(JournalError) {
    let code = bytes.withUnsafeBytes { buffer -> Int32 in
      let bound =
        buffer.isEmpty
        ? sqlite3_bind_zeroblob(statement, parameter, 0)
        : sqlite3_bind_blob64(statement, parameter, buffer.baseAddress, UInt64(buffer.count), nil)
      guard bound == SQLITE_OK else { return bound }
      let code = sqlite3_step(statement)
      sqlite3_reset(statement)
      sqlite3_bind_null(statement, parameter)
      return code
    }
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw database.error(code) }
  }

  /// Runs an insert with `bytes` as a parameter and returns the first column of its `RETURNING` clause.
  func insert(_ parameter: Int32, _ bytes: ArraySlice<UInt8>) throws(JournalError) -> Int64 {
    let code = bytes.withUnsafeBytes {
      sqlite3_bind_blob64(statement, parameter, $0.baseAddress, UInt64($0.count), Self.transient)
    }
    try database.check(code)
    var result: Int64 = 0
    while try next() { result = try number(0) }
    return result
  }

  func run() throws(JournalError) {
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw database.error(code) }
  }

  /// Runs the statement and returns SQLite's code of its end, for an error message of its own.
  func finish() -> Int32 {
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    return code
  }

  func reset() { sqlite3_reset(statement) }

  // MARK: Results

  /// Steps to the next row. Returns `false` after the last one.
  func next() throws(JournalError) -> Bool {
    let code = sqlite3_step(statement)
    if code == SQLITE_ROW { return true }
    sqlite3_reset(statement)
    guard code == SQLITE_DONE else { throw database.error(code) }
    return false
  }

  /// Returns any number, such as a checksum.
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  /// Returns a number that is counted with: an id, a record's number, a revision, a size; 0 for none.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt` if it is negative or beyond ``numberMax``.
  func number(_ column: Int32) throws(JournalError) -> Int64 {
    let number = integer(column)
    guard 0...Self.numberMax ~= number else { throw database.outOfRange(number) }
    return number
  }

  /// As ``number(_:)``.
  func count(_ column: Int32) throws(JournalError) -> UInt64 { UInt64(try number(column)) }

  /// The highest number in a journal: no sum of some of them is too large.
  private static let numberMax: Int64 = 1 << 60

  func bytes(_ column: Int32) -> ArraySlice<UInt8> {
    let start = sqlite3_column_blob(statement, column)
    return ArraySlice(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }

  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
