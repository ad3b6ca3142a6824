/// The storage of tables behind a journal. ``commit()`` makes all appended writes durable, or none of them.
///
/// The host appends the writes of one or more turns in order and commits them; only then does it call the shard's
/// ``ShardMachine/committed(_:)``. An implementation is used from one thread at a time.
public protocol JournalStore: AnyObject {
  /// Appends the writes of a turn. They are not durable before ``commit()``.
  ///
  /// - Throws: ``JournalError``. All writes since the last commit are void then: the host calls ``discard()``.
  func append(_ writes: [JournalWrite]) throws(JournalError)

  /// Makes all appended writes durable, or none of them.
  func commit() throws(JournalError)

  /// Discards the writes since the last commit.
  func discard()

  /// Writes meaningless data durably, to find out whether the disk accepts writes again after a failed commit.
  func probe() throws(JournalError)

  /// Checks that what was committed is still there: the host calls it after each commit and now and then, and releases
  /// nothing if it fails.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt`.
  func verify() throws(JournalError)

  /// Frees, in a commit of its own, a bounded part of the room of deleted tables. The host calls it now and then.
  ///
  /// - Returns: Whether there is more to free.
  func tidy() throws(JournalError) -> Bool

  /// Finds tables that nobody has used for so long that they are to be deleted, a bounded number. The host calls it now and
  /// then, and deletes those that are not in use.
  func expire() throws(JournalError) -> ExpiredTables

  /// Returns the durable data of a table, from its last complete snapshot on; `nil` if there is no such table.
  func table(named name: String) throws(JournalError) -> StoredTable?

  /// Returns what reads the same on another thread, while this journal goes on; `nil` if only ``table(named:)`` can.
  ///
  /// The table must not be written before it is read.
  func reading(tableNamed name: String) throws(JournalError) -> TableReading?
}

extension JournalStore {
  /// Checks nothing, for a journal that no one else can change.
  public func verify() throws(JournalError) {}

  /// Frees nothing, for a journal whose deletions leave nothing.
  public func tidy() throws(JournalError) -> Bool { false }

  /// Finds nothing, for a journal whose tables do not expire.
  public func expire() throws(JournalError) -> ExpiredTables { ExpiredTables() }

  public func reading(tableNamed name: String) throws(JournalError) -> TableReading? { nil }
}

/// The tables that a step of the search for expired ones has found.
public struct ExpiredTables: Hashable, Sendable {
  /// The tables' names.
  public var names: [String] = []
  /// Whether the next step may follow at once.
  public var hasMore = false

  public init() {}
}
