internal import BaizeSync
internal import BaizeSystem
internal import CSQLite

/// A connection to an SQLite file. Only this type and ``Statement`` call SQLite.
///
/// One thread uses it at a time.
final class Database {
  let connection: OpaquePointer
  /// The file's path, for error messages.
  let name: String
  /// Another connection that holds a lock for as long as this one is open.
  var holder: Database?
  /// The lock on the file among Baize's programs.
  var lock: FileLock?
  /// Whether the file was opened: another process's lock passes then.
  var isOpen = false

  /// The mode in which a file is opened. None creates the file.
  enum Access {
    case writing
    case reading
    /// Without locks, and ignoring a write-ahead log: for a complete file that no one writes.
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
    sqlite3_busy_timeout(connection, Self.busyMilliseconds)
    // A file that someone else has made, or that is damaged, must not lead SQLite to act on it.
    _ = baize_sqlite3_switch(connection, SQLITE_DBCONFIG_DEFENSIVE, 1)
    for feature in [SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA] {
      _ = baize_sqlite3_switch(connection, feature, 0)
    }
    for (limit, value) in Self.limits { sqlite3_limit(connection, limit, value) }
  }

  /// What the statements of a journal need, with room: a schema cannot ask for more. One database is attached for a copy.
  private static let limits: [(limit: Int32, value: Int32)] = [
    (SQLITE_LIMIT_SQL_LENGTH, 65_536), (SQLITE_LIMIT_COLUMN, 64), (SQLITE_LIMIT_EXPR_DEPTH, 64),
    (SQLITE_LIMIT_COMPOUND_SELECT, 8), (SQLITE_LIMIT_FUNCTION_ARG, 16), (SQLITE_LIMIT_ATTACHED, 1),
    (SQLITE_LIMIT_VARIABLE_NUMBER, 64), (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
  ]

  /// The time to wait for a lock of SQLite, such as that of a checkpoint.
  private static let busyMilliseconds: Int32 = 1_000

  deinit { sqlite3_close_v2(connection) }

  private static func flags(_ access: Access) -> Int32 {
    let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
    switch access {
    case .writing: return common | SQLITE_OPEN_READWRITE
    case .reading, .immutable: return common | SQLITE_OPEN_READONLY
    }
  }

  /// Returns the path as a URI: SQLite gives some file names a special meaning, but not there.
  private static func uri(_ path: String, _ access: Access) -> String {
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

  // MARK: Queries

  /// Runs statements that return no rows.
  func run(_ sql: String) throws(JournalError) {
    try check(sqlite3_exec(connection, sql, nil, nil, nil))
  }

  func prepare(_ sql: String) throws(JournalError) -> Statement {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    guard let statement else { throw JournalError(.corrupt, "the journal '\(name)' cannot be queried") }
    return Statement(statement, of: self)
  }

  /// Returns the first column of the first row; `nil` if there is no row.
  func integer(_ sql: String) throws(JournalError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.next() ? statement.integer(0) : nil
  }

  /// - Throws: ``JournalError`` of kind `corrupt` if an SQLite table and its indices disagree.
  /// - Complexity: O(number of rows); some 3 ms for 10,000.
  func checkIntegrity(ofTable table: String) throws(JournalError) {
    try checkIntegrity("PRAGMA integrity_check(\(table))")
  }

  /// - Throws: ``JournalError`` of kind `corrupt` if the file's structure is damaged.
  /// - Complexity: O(size of the file).
  func checkIntegrity() throws(JournalError) { try checkIntegrity("PRAGMA integrity_check") }

  private func checkIntegrity(_ pragma: String) throws(JournalError) {
    let check = try prepare(pragma)
    guard try check.next(), check.text(0) == "ok" else { throw error(SQLITE_CORRUPT) }
  }

  /// Copies the database, as one read transaction, into an empty file.
  ///
  /// The file is not durable when this returns.
  func copy(into path: String) throws(JournalError) {
    let code = try prepare("VACUUM INTO ?").set(1, path).finish()
    guard code == SQLITE_DONE else {
      throw JournalError(
        .storage, "the journal '\(name)' cannot be copied to '\(path)': \(String(cString: sqlite3_errmsg(connection)))")
    }
  }

  /// Returns the size of the file in bytes, without unused pages.
  func usedBytes() throws(JournalError) -> Int {
    let pages = try (integer("PRAGMA page_count") ?? 0) - (integer("PRAGMA freelist_count") ?? 0)
    return Int(pages * (try integer("PRAGMA page_size") ?? 0))
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }

  var cacheBytes: Int {
    var now: Int32 = 0
    var most: Int32 = 0
    sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_USED, &now, &most, 0)
    return Int(now)
  }

  /// Whether the file could be opened for reading only.
  var isReadOnly: Bool { sqlite3_db_readonly(connection, "main") == 1 }

  /// Sets whether closing this connection copies the write-ahead log into the file.
  func checkpointsOnClose(_ isOn: Bool) {
    _ = baize_sqlite3_switch(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isOn ? 0 : 1)
  }

  // MARK: The file itself

  /// Returns up to `count` bytes from the start of the file, without locking or recovering it.
  func head(_ count: Int) throws(JournalError) -> [UInt8] {
    guard let file, let methods = file.pointee.pMethods else { throw cannotOpen }
    var size: sqlite3_int64 = 0
    try check(methods.pointee.xFileSize(file, &size))
    var bytes = [UInt8](repeating: 0, count: min(count, Int(size)))
    guard !bytes.isEmpty else { return [] }
    try check(methods.pointee.xRead(file, &bytes, Int32(bytes.count), 0))
    return bytes
  }

  /// Takes a shared lock, which keeps other processes from writing while this connection is open.
  ///
  /// - Returns: Whether no other process writes.
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

  func error(_ code: Int32) -> JournalError {
    let reason = String(cString: sqlite3_errstr(code))
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED:
      guard isOpen else { return Self.inUse(name) }
      return JournalError(.storage, "another process holds a lock on the journal '\(name)'")
    case SQLITE_TOOBIG: return JournalError(.tooLarge, "a row is too large for the journal '\(name)'")
    case SQLITE_FULL: return JournalError(.storage, "the disk has no room for the journal '\(name)': \(reason)")
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
      return JournalError(.corrupt, "the journal '\(name)' is damaged: \(reason)")
    default: return JournalError(.storage, "the journal '\(name)' cannot be read or written: \(reason)")
    }
  }

  func outOfRange(_ number: Int64) -> JournalError {
    JournalError(.corrupt, "the journal '\(name)' is damaged: it has the number \(number)")
  }

  static func inUse(_ name: String) -> JournalError {
    JournalError(.unusable, "the journal '\(name)' is in use by another process; stop that one first")
  }

  private var cannotOpen: JournalError {
    let reason = String(cString: sqlite3_errmsg(connection))
    return JournalError(.unusable, "the journal '\(name)' cannot be opened: \(reason)")
  }
}
