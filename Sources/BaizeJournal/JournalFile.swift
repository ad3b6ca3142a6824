internal import BaizeSync

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Opens the files that journals are in. What is not a journal is never written to.
enum JournalFile {
  // MARK: To write

  /// The journal at `path`, which is made if it is not there, or is empty.
  static func forWriting(_ path: String) throws(JournalError) -> Database {
    guard path != ":memory:" else {
      let database = try Database(path, .memory)
      try make(in: database)
      return database
    }
    try makeIfMissing(path)
    let database = try opened(path, .writing)
    guard !database.isReadOnly else {
      throw JournalError(
        .unusable, "the journal '\(path)' may not be written; change its permissions or name another file")
    }
    // A file that is refused after all stays as it is.
    database.checkpointsOnClose(false)
    try setUp(database)
    database.checkpointsOnClose(true)
    return database
  }

  private static func setUp(_ database: Database) throws(JournalError) {
    do {
      try database.run(
        """
        PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;
        PRAGMA secure_delete = OFF; PRAGMA temp_store = MEMORY;
        PRAGMA page_size = \(pageBytes); PRAGMA wal_autocheckpoint = \(checkpointPages);
        """)
      // In a rollback journal: the header is in the file, and not beside it, from the first moment on.
      if try database.head(JournalFormat.headerBytes).isEmpty { try make(in: database) }
      try database.run(
        "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = \(walBytesKept); BEGIN IMMEDIATE; ROLLBACK")
      // Only now that the length of its pages stands: a bound that was set before does not hold, and SQLite would keep all
      // of the file in memory.
      try database.run("PRAGMA cache_size = -\(cacheKibibytes)")
      try checkWithin(database)
    } catch {
      throw error.kind == .storage ? cannotWriteBeside(database.name, error) : error
    }
  }

  /// A turn of a busy shard is some ten to a hundred KiB of neighbouring rows: in pages of 16 KiB it costs half of what it
  /// does in SQLite's usual ones of 4 KiB.
  private static let pageBytes = 16 << 10
  /// How much of the file is kept in memory.
  static let cacheKibibytes = 16_000
  /// After so many pages in the write-ahead log they are brought into the file, while a commit waits: some 4 MiB.
  private static let checkpointPages = 256
  /// How much of the write-ahead log stays on the disk once it was longer.
  private static let walBytesKept = 64 << 20

  private static func make(in database: Database) throws(JournalError) {
    try database.run("BEGIN EXCLUSIVE")
    do {
      try database.run(JournalFormat.schema)
      try database.run("COMMIT")
    } catch {
      if database.isInTransaction { try database.run("ROLLBACK") }
      throw error
    }
  }

  /// Now that it was recovered: its header may say something newer than the file's did. And no table may seem not to be
  /// there, since it would be made anew.
  private static func checkWithin(_ database: Database) throws(JournalError) {
    let version = try database.integer("PRAGMA user_version") ?? 0
    try JournalFormat.check(version == JournalFormat.version ? .journal : .newer(version), of: database.name)
    try database.checkIntegrity(ofTable: "tables")
  }

  private static func cannotWriteBeside(_ path: String, _ error: JournalError) -> JournalError {
    JournalError(
      .unusable, "\(error.description); baized writes the file, and '\(path)-wal' beside it, in the same directory")
  }

  /// Makes an empty file that only its owner may read: it will hold what lets a session resume.
  private static func makeIfMissing(_ path: String) throws(JournalError) {
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      close(descriptor)
    } else if errno != EEXIST {
      throw JournalError(.unusable, "the journal '\(path)' cannot be made: \(String(cString: strerror(errno)))")
    }
  }

  // MARK: To read

  /// The journal at `path`, as it is: nothing is made or changed, and no daemon writes meanwhile.
  static func forReading(_ path: String) throws(JournalError) -> Database {
    guard bytes(path + "-journal") == 0 else {
      throw JournalError(.unusable, "the journal '\(path)' was left half made; start baized with it once")
    }
    return try bytes(path + "-wal") == 0 ? alone(path) : withLog(path)
  }

  /// A file with all that belongs to it.
  private static func alone(_ path: String) throws(JournalError) -> Database {
    let holder = try opened(path, .reading)
    guard holder.share() else { throw Database.inUse(path) }
    guard try !holder.head(1).isEmpty else { throw JournalError(.unusable, "'\(path)' is empty: no journal yet") }
    let database = try Database(path, .immutable)
    database.holder = holder
    try checkWithin(database)
    return database
  }

  /// A file whose last writer did not end well: what it wrote last stands beside it, and stays there.
  private static func withLog(_ path: String) throws(JournalError) -> Database {
    let database = try opened(path, .writing)
    guard !database.isReadOnly else {
      throw JournalError(
        .unusable, "the journal '\(path)' has to be read with '\(path)-wal', which takes the right to write; copy both")
    }
    database.checkpointsOnClose(false)
    try database.run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON; PRAGMA trusted_schema = OFF")
    try checkWithin(database)
    return database
  }

  /// The length of a file; 0 if it is not there.
  private static func bytes(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  // MARK: Both

  private static func opened(_ path: String, _ access: Database.Access) throws(JournalError) -> Database {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw JournalError(.unusable, "the journal '\(path)' cannot be opened: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw JournalError(
        .unusable, "'\(path)' is \(status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "no file"); name a file")
    }
    let database = try Database(path, access)
    let header = try database.head(JournalFormat.headerBytes)
    // SQLite takes a file of one byte for an empty one, and would make it its own.
    let isEmpty = status.st_size == 0 && header.isEmpty
    try JournalFormat.check(isEmpty ? .empty : JournalFormat.kind(ofHeader: header), of: path)
    return database
  }
}
