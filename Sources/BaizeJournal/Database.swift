internal import BaizeSync
internal import CSQLite

/// A connection to an SQLite file. It and its ``Statement``s are the only ones that call SQLite.
///
/// Used from one thread at a time.
final class Database {
  let connection: OpaquePointer
  /// What messages call the file.
  let name: String
  /// A connection that has to stay open for as long as this one, for its lock.
  var holder: Database?

  /// How a file is opened. It is never made.
  enum Access {
    case memory
    case writing
    case reading
    /// Without locks and without what a journal beside the file says: for one that is whole and that nobody writes.
    case immutable
  }

  init(_ path: String, _ access: Access) throws(JournalError) {
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(Self.uri(path, access), &connection, Self.flags(access), nil)
    guard let connection else {
      throw JournalError(.unusable, "the journal '\(path)' cannot be opened: there is no memory")
    }
    self.connection = connection
    name = path
    guard code == SQLITE_OK else { throw cannotOpen }
    // A damaged file must not lead SQLite to act on it.
    _ = baize_sqlite3_switch(connection, SQLITE_DBCONFIG_DEFENSIVE, 1)
  }

  deinit { sqlite3_close_v2(connection) }

  private static func flags(_ access: Access) -> Int32 {
    let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
    switch access {
    case .memory, .writing: return common | SQLITE_OPEN_READWRITE
    case .reading, .immutable: return common | SQLITE_OPEN_READONLY
    }
  }

  /// SQLite takes some file names for something else; in a URI none is.
  private static func uri(_ path: String, _ access: Access) -> String {
    if access == .memory { return ":memory:" }
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    let hex = Array("0123456789ABCDEF".unicodeScalars)
    var uri = path.hasPrefix("/") ? "file://" : "file:./"
    for byte in path.utf8 {
      if plain.contains(byte) {
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        uri += "%"
        uri.unicodeScalars.append(hex[Int(byte >> 4)])
        uri.unicodeScalars.append(hex[Int(byte & 15)])
      }
    }
    return access == .immutable ? uri + "?immutable=1" : uri
  }

  // MARK: Asking

  /// Runs statements that give nothing.
  func run(_ sql: String) throws(JournalError) {
    try check(sqlite3_exec(connection, sql, nil, nil, nil))
  }

  func prepare(_ sql: String) throws(JournalError) -> Statement {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    guard let statement else { throw JournalError(.corrupt, "the journal '\(name)' cannot be asked") }
    return Statement(statement, of: self)
  }

  /// The first column of the first row; `nil` where there is none.
  func integer(_ sql: String) throws(JournalError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.next() ? statement.integer(0) : nil
  }

  /// - Throws: ``JournalError`` of kind `corrupt` if the rows of an SQLite table and what finds them do not agree.
  /// - Complexity: O(number of rows), some 3 ms for 10,000.
  func checkIntegrity(ofTable table: String) throws(JournalError) {
    let check = try prepare("PRAGMA integrity_check(\(table))")
    guard try check.next(), check.text(0) == "ok" else { throw error(SQLITE_CORRUPT) }
  }

  /// Whether a transaction is under way.
  var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }

  /// How much memory the file's pages take.
  var cacheBytes: Int {
    var now: Int32 = 0
    var most: Int32 = 0
    sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_USED, &now, &most, 0)
    return Int(now)
  }

  /// Whether the file could only be opened for reading.
  var isReadOnly: Bool { sqlite3_db_readonly(connection, "main") == 1 }

  /// What is committed stays in the log beside the file when this connection closes, or goes into the file.
  func checkpointsOnClose(_ isOn: Bool) {
    _ = baize_sqlite3_switch(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isOn ? 0 : 1)
  }

  // MARK: The file itself

  /// The first bytes of the file, at most `count`, without locking it, recovering it or believing it.
  func head(_ count: Int) throws(JournalError) -> [UInt8] {
    guard let file, let methods = file.pointee.pMethods else { throw cannotOpen }
    var size: sqlite3_int64 = 0
    try check(methods.pointee.xFileSize(file, &size))
    var bytes = [UInt8](repeating: 0, count: min(count, Int(size)))
    guard !bytes.isEmpty else { return [] }
    try check(methods.pointee.xRead(file, &bytes, Int32(bytes.count), 0))
    return bytes
  }

  /// Keeps others from writing for as long as this connection is open.
  ///
  /// - Returns: Whether nobody else writes.
  func share() -> Bool {
    guard let file, let methods = file.pointee.pMethods else { return false }
    return methods.pointee.xLock(file, SQLITE_LOCK_SHARED) == SQLITE_OK
  }

  private var file: UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    return file
  }

  // MARK: Errors

  func check(_ code: Int32) throws(JournalError) {
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// What SQLite's answer means to the one who asked.
  func error(_ code: Int32) -> JournalError {
    let reason = String(cString: sqlite3_errstr(code))
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: return Self.inUse(name)
    case SQLITE_FULL: return JournalError(.storage, "there is no room for the journal '\(name)': \(reason)")
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
      return JournalError(.corrupt, "the journal '\(name)' is damaged: \(reason)")
    default: return JournalError(.storage, "the disk fails the journal '\(name)': \(reason)")
    }
  }

  static func inUse(_ name: String) -> JournalError {
    JournalError(.unusable, "the journal '\(name)' is in use by another process; stop that one first")
  }

  private var cannotOpen: JournalError {
    let reason = String(cString: sqlite3_errmsg(connection))
    return JournalError(.unusable, "the journal '\(name)' cannot be opened: \(reason)")
  }
}
