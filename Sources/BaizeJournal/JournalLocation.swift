public import BaizeSync
public import BaizeTable

/// Where a journal is: what decides its engine.
public enum JournalLocation: Hashable, Sendable, CustomStringConvertible {
  /// An SQLite file at a path.
  case file(String)
  /// The PostgreSQL database that libpq's environment names.
  case postgres

  /// The word for a journal in PostgreSQL; a file of this name is `./postgresql`.
  public static let postgresWord = "postgresql"

  /// Reads a location as it is written on a command line: the word for PostgreSQL, or the path of a file.
  public init(_ text: String) { self = text == Self.postgresWord ? .postgres : .file(text) }

  public var description: String {
    switch self {
    case .file(let path): path
    case .postgres: Self.postgresWord
    }
  }

  /// Opens the journal for reading, as it is now. A daemon may use it meanwhile.
  ///
  /// - Throws: ``JournalError``, usually of kind `unusable`.
  public func openForReading() throws(JournalError) -> any StoredJournal {
    switch self {
    case .file(let path): return try JournalReader(path: path)
    case .postgres:
      #if PostgreSQL
        return try PostgresReader()
      #else
        throw Self.withoutPostgres
      #endif
    }
  }

  /// Opens the journal for writing; makes it if there is none.
  ///
  /// - Parameters:
  ///   - owner: Who opens it. A file is never taken over from a daemon that uses it.
  ///   - keepRevisions: The minimum number of revisions of history to keep; `nil` to keep all.
  ///   - limits: The limits of the journal and of each table's history.
  ///   - expiry: When a table expires; `nil` for never.
  /// - Throws: ``JournalError``, usually of kind `unusable`.
  public func open(
    for owner: JournalOwner = .tool, keepRevisions: UInt64? = nil, limits: SyncLimits.Journal = SyncLimits.Journal(),
    expiry: ExpiryRule? = nil
  ) throws(JournalError) -> any JournalStore {
    switch self {
    case .file(let path):
      return try SQLiteJournal(path: path, keepRevisions: keepRevisions, limits: limits, expiry: expiry)
    case .postgres:
      #if PostgreSQL
        guard expiry == nil else {
          throw JournalError(.unusable, "tables in PostgreSQL do not expire; start baized without --expire")
        }
        return try PostgresJournal(for: owner, keepRevisions: keepRevisions, limits: limits)
      #else
        throw Self.withoutPostgres
      #endif
    }
  }

  #if !PostgreSQL
    private static var withoutPostgres: JournalError {
      JournalError(
        .unusable, "this baized was built without PostgreSQL; build it with '--traits PostgreSQL', or name a file")
    }
  #endif
}

/// Who opens a journal that several programs can reach.
public enum JournalOwner: Sendable {
  /// A tool, which takes it from nobody.
  case tool
  /// A daemon, which takes it over from an earlier one.
  case daemon
  /// One of several daemons, which waits while another one uses it.
  case node(JournalNode)
}
