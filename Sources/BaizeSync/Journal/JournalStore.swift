public import BaizeTable

/// The storage behind a journal whose commits are synchronous, such as a file: ``commit(_:)`` makes writes durable, or none of
/// them.
///
/// It is used from one thread at a time. A daemon's ``Journal`` has a thread of its own for it; tools use it directly.
public protocol JournalStore: AnyObject {
  /// Makes writes durable, in order: all of them or none. They may be those of several turns.
  ///
  /// - Throws: ``JournalError``. The store is as it was before, and may be used again. With the kind `unreachable` nobody knows
  ///   whether the writes are durable: the next commit has the same writes, and only writes what is not there.
  func commit(_ writes: [JournalWrite]) throws(JournalError)

  /// Writes meaningless data durably, to find out whether the disk accepts writes again after a failed commit.
  func probe() throws(JournalError)

  /// Checks that what was committed is still there. Called after each commit and now and then; nothing is acknowledged if it
  /// fails.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt`.
  func verify() throws(JournalError)

  /// Frees, in a commit of its own, a bounded part of the room of deleted tables. Called now and then.
  ///
  /// - Returns: Whether there is more to free.
  func tidy() throws(JournalError) -> Bool

  /// Finds tables that nobody has used for so long that they are to be deleted, a bounded number. Called now and then.
  ///
  func expire() throws(JournalError) -> ExpiredTables

  /// Returns the key that seals what tables give out, after storing `new` if there was none.
  func accessKey(orNew new: AccessKey) throws(JournalError) -> AccessKey

  /// Returns the document of what is revoked of signed tokens, which the journal does not read; `nil` if there is none.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt` if it is damaged, or larger than any that is written.
  func revocations() throws(JournalError) -> [UInt8]?

  /// Returns sentences for the operator about what is not as durable as it could be.
  func warnings() throws(JournalError) -> [String]

  /// Takes over limits that were read again.
  func reload(_ limits: SyncLimits.Journal)

  /// Returns the number of tables.
  func tableCount() throws(JournalError) -> Int

  /// Returns the durable data of a table, from its last complete snapshot on; `nil` if there is no such table. A table whose
  /// first snapshot is incomplete does not exist.
  func table(named name: String) throws(JournalError) -> StoredTable?

  /// Returns a reading of the same data for another thread, while this store goes on.
  ///
  /// The table must not be written before it is read.
  func reading(tableNamed name: String) throws(JournalError) -> TableReading

  /// Returns a search for a table by name, for any thread, while this store goes on.
  func search() -> TableSearch
}

/// The tables that a step of the search for expired ones has found.
public struct ExpiredTables: Hashable, Sendable {
  /// The tables' names.
  public let names: [String]
  /// Whether the next step may follow at once.
  public let hasMore: Bool
  /// Whether the tables are only to be named, and stay.
  public let isDryRun: Bool

  public init(names: [String] = [], hasMore: Bool = false, isDryRun: Bool = false) {
    (self.names, self.hasMore, self.isDryRun) = (names, hasMore, isDryRun)
  }
}

/// Returns whether a journal has a table of a name.
public typealias TableSearch = @Sendable (_ name: String) throws(JournalError) -> Bool

extension JournalStore {
  /// Checks nothing: nobody else can change the store.
  public func verify() throws(JournalError) {}

  /// Frees nothing: deletions leave nothing.
  public func tidy() throws(JournalError) -> Bool { false }

  /// Finds nothing: tables do not expire.
  public func expire() throws(JournalError) -> ExpiredTables { ExpiredTables() }

  /// Returns the new key: the store ends with the process.
  public func accessKey(orNew new: AccessKey) throws(JournalError) -> AccessKey { new }

  /// Returns nothing: no such document is kept.
  public func revocations() throws(JournalError) -> [UInt8]? { nil }

  /// Returns nothing: commits are durable.
  public func warnings() throws(JournalError) -> [String] { [] }

  /// Takes over nothing: there are no limits.
  public func reload(_ limits: SyncLimits.Journal) {}

  /// Returns a reading of what ``table(named:)`` returns now.
  public func reading(tableNamed name: String) throws(JournalError) -> TableReading {
    TableReading(try table(named: name))
  }
}
