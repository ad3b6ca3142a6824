internal import BaizeSync
internal import BaizeSystem

/// Opens journal files. It never writes to a file that is not a journal.
enum JournalFile {
  // MARK: Writing

  /// Opens the journal at `path` for statements. Creates it if the file is missing or empty.
  static func forWriting(_ path: String) throws(JournalError) -> Database {
    try createIfMissing(path)
    let database = try opened(path, .writing)
    guard !database.isReadOnly else {
      throw JournalError(
        .unusable, "the journal '\(path)' is not writable; change its permissions or name another file")
    }
    guard mode(path) & (S_IWGRP | S_IWOTH) == 0 else {
      throw JournalError(.unusable, "the journal '\(path)' can be written by other users; run: chmod 600 '\(path)'")
    }
    // A file that is refused below must stay as it is.
    database.checkpointsOnClose(false)
    database.lock = try .lockingJournal(path, .exclusive)
    try setUp(database)
    database.checkpointsOnClose(true)
    return database
  }

  private static func setUp(_ database: Database) throws(JournalError) {
    do {
      try database.run(
        """
        PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;
        PRAGMA secure_delete = OFF; PRAGMA temp_store = MEMORY;
        PRAGMA page_size = \(pageBytes); PRAGMA wal_autocheckpoint = \(checkpointPages);
        """)
      // Still in rollback mode, so that the header is in the file itself and not only in the write-ahead log.
      if try database.head(JournalFormat.headerBytes).isEmpty { try create(in: database) }
      try database.run(
        "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = \(logBytesKept); BEGIN IMMEDIATE; ROLLBACK")
      // The cache size only takes effect once the page size is fixed; before, SQLite would cache the whole file.
      try database.run("PRAGMA cache_size = -\(writingCacheKibibytes)")
      try checkContents(database)
      try database.run(JournalFormat.additions)
      if try version(of: database) != JournalFormat.version { try database.run(JournalFormat.raising) }
    } catch {
      throw error.kind == .storage ? cannotWriteBeside(database.name, error) : error
    }
  }

  /// A busy shard writes some ten to a hundred KiB of neighbouring rows per turn. Pages of 16 KiB halve the cost that
  /// SQLite's default of 4 KiB has.
  private static let pageBytes = 16 << 10
  /// The size of SQLite's page cache for reading a whole journal.
  private static let cacheKibibytes = 16_000
  /// The size of the page cache of a daemon, which changes the last pages of a few trees: as many as the log has before a checkpoint.
  static let writingCacheKibibytes = checkpointPages * pageBytes >> 10
  /// The length of the write-ahead log, in pages, at which a commit copies it into the file: some 4 MiB.
  private static let checkpointPages = 256
  /// The size to which a longer write-ahead log is truncated.
  static let logBytesKept: Int64 = 64 << 20

  private static func create(in database: Database) throws(JournalError) {
    try database.run("BEGIN EXCLUSIVE")
    do {
      try database.run(JournalFormat.schema)
      try database.run("COMMIT")
    } catch {
      if database.isInTransaction { try database.run("ROLLBACK") }
      throw error
    }
  }

  /// Checks the version again after recovery, since the recovered header may be newer. Checks the index of tables, since a
  /// table that is not found would be created again.
  private static func checkContents(_ database: Database) throws(JournalError) {
    try JournalFormat.check(JournalFormat.kind(ofVersion: try version(of: database)), of: database.name)
    try JournalFormat.checkSchema(of: database)
    try database.checkIntegrity(ofTable: "tables")
  }

  private static func version(of database: Database) throws(JournalError) -> Int64 {
    try database.integer("PRAGMA user_version") ?? 0
  }

  private static func cannotWriteBeside(_ path: String, _ error: JournalError) -> JournalError {
    JournalError(
      .unusable, "\(error.description); baized needs to write '\(path)' and '\(path)-wal' in the same directory")
  }

  /// Creates an empty file that only its owner may read: it will hold hidden faces, and the secrets by which tables are joined.
  private static func createIfMissing(_ path: String) throws(JournalError) {
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      close(descriptor)
    } else if errno != EEXIST {
      throw JournalError(.unusable, "the journal '\(path)' cannot be created: \(String(cString: strerror(errno)))")
    }
  }

  static func isReadableByOthers(_ path: String) -> Bool { mode(path) & (S_IRGRP | S_IROTH) != 0 }

  /// Returns the mode of a file; 0 if it does not exist.
  private static func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode : 0
  }

  // MARK: Reading

  /// Opens the journal at `path` for reading, as it is now, and changes nothing. If no daemon uses the file, none can open it
  /// meanwhile.
  static func forReading(_ path: String) throws(JournalError) -> Database {
    guard bytes(path + "-journal") == 0 else {
      throw JournalError(.unusable, "the journal '\(path)' is only partly created; start baized with it once")
    }
    guard let lock = try FileLock.sharingJournal(path) else {
      let database = try beside(path)
      // One read transaction, so that what is read later fits what was read first.
      try database.run("PRAGMA query_only = ON; BEGIN")
      _ = try database.integer("PRAGMA user_version")
      return database
    }
    let database = try bytes(path + "-wal") == 0 ? withoutLog(path) : withLog(path)
    database.lock = lock
    return database
  }

  /// Opens the journal at `path` for reading beside a daemon that may have it open, without a lock among Baize's programs: in
  /// WAL mode a reader and the writer do not wait for each other.
  static func beside(_ path: String) throws(JournalError) -> Database {
    let hasLog = bytes(path + "-wal") > 0
    let database = try opened(path, .writing)
    // The log of another process is its own. Without one there is nothing to copy, and closing only removes the new log.
    database.checkpointsOnClose(!hasLog)
    try database.run("PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -\(cacheKibibytes)")
    database.isOpen = true
    guard try !database.head(1).isEmpty else {
      throw JournalError(.unusable, "'\(path)' is empty: it is not a journal yet")
    }
    try checkContents(database)
    return database
  }

  /// Opens the complete copy of a journal, which no one else uses.
  static func copied(_ path: String) throws(JournalError) -> Database {
    let database = try Database(path, .immutable)
    try JournalFormat.check(JournalFormat.kind(ofHeader: database.head(JournalFormat.headerBytes)), of: path)
    try JournalFormat.checkSchema(of: database)
    return database
  }

  /// Opens a file without a write-ahead log.
  private static func withoutLog(_ path: String) throws(JournalError) -> Database {
    let holder = try opened(path, .reading)
    guard holder.share() else { throw Database.inUse(path) }
    guard try !holder.head(1).isEmpty else {
      throw JournalError(.unusable, "'\(path)' is empty: it is not a journal yet")
    }
    let database = try Database(path, .immutable)
    database.holder = holder
    try checkContents(database)
    return database
  }

  /// Opens a file that was not closed cleanly: the last commits are in its write-ahead log and stay there.
  private static func withLog(_ path: String) throws(JournalError) -> Database {
    let database = try opened(path, .writing)
    guard !database.isReadOnly else {
      throw JournalError(
        .unusable, "reading the journal '\(path)' with '\(path)-wal' needs write permission; copy both files")
    }
    database.checkpointsOnClose(false)
    try database.run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON; PRAGMA trusted_schema = OFF")
    try checkContents(database)
    return database
  }

  /// Returns the length of a file; 0 if it does not exist.
  private static func bytes(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  // MARK: Shared

  private static func opened(_ path: String, _ access: Database.Access) throws(JournalError) -> Database {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw JournalError(.unusable, "the journal '\(path)' cannot be opened: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw JournalError(
        .unusable, "'\(path)' is \(status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "not a file"); name a file")
    }
    let database = try Database(path, access)
    let header = try database.head(JournalFormat.headerBytes)
    // SQLite treats a file of one byte as empty and would overwrite it.
    let isEmpty = status.st_size == 0 && header.isEmpty
    try JournalFormat.check(isEmpty ? .empty : JournalFormat.kind(ofHeader: header), of: path)
    return database
  }
}
