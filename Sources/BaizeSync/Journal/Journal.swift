public import BaizeTable

/// The storage of tables. ``commit()`` makes all appended writes durable, or none of them.
///
/// The host appends the writes of one or more turns in order and commits them; only then does it call the shard's
/// ``ShardMachine/committed(_:)``. An implementation is used from one thread at a time.
public protocol Journal: AnyObject {
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

extension Journal {
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

/// Reads a table from a journal, on any thread.
public struct TableReading: Sendable {
  private let size: @Sendable () throws(JournalError) -> Int
  private let body: @Sendable (_ bytesMax: Int) throws(JournalError) -> StoredTable?

  public init(
    size: @escaping @Sendable () throws(JournalError) -> Int = { 0 },
    _ body: @escaping @Sendable (_ bytesMax: Int) throws(JournalError) -> StoredTable?
  ) {
    self.size = size
    self.body = body
  }

  /// Returns the size in bytes of the snapshot to read; 0 if there is no such table.
  public func bytes() throws(JournalError) -> Int { try size() }

  /// - Parameter bytesMax: The size in bytes of the largest snapshot to read.
  /// - Throws: ``JournalError``, of kind `tooLarge` for a larger one.
  public func read(bytesMax: Int) throws(JournalError) -> StoredTable? { try body(bytesMax) }
}

/// One write of a turn.
public enum JournalWrite: Hashable, Sendable {
  /// The definition of a new table. Its first snapshot follows, in the same turn or in parts over several turns; the table
  /// exists once that is complete.
  case table(TableDefinition)
  case record(JournalRecord)
  case snapshot(JournalSnapshotPart)
  /// The deletion of a table with its whole history, or of what there is of its first snapshot, if the journal has any of it.
  /// A table of the same name may follow.
  case deletion(String)

  /// The name of the table that it concerns.
  public var tableName: String {
    switch self {
    case .table(let definition): definition.name
    case .record(let record): record.table
    case .snapshot(let part): part.table
    case .deletion(let table): table
    }
  }
}

/// The name and type that a table was created with.
public struct TableDefinition: Hashable, Sendable {
  public var name: String
  /// The type as the creator named it, such as `klondike?draw=3`.
  public var typeText: String
  /// The table type's JSON document.
  public var document: String
  /// The creator's choice for each of the document's options, including defaults.
  public var options: [Attribute]

  public init(name: String, typeText: String, document: String, options: [Attribute]) {
    self.name = name
    self.typeText = typeText
    self.document = document
    self.options = options
  }
}

/// The entries of one turn for one table. They must be durable before a client receives them.
public struct JournalRecord: Hashable, Sendable {
  public var table: String
  /// The record's number: 1, 2, 3 … for each table.
  public var number: UInt64
  /// The table's revision after the record.
  public var revision: Revision
  /// The encoded ``JournalEntry`` values, each preceded by its length.
  public var bytes: ArraySlice<UInt8>

  public init(table: String, number: UInt64, revision: Revision, bytes: ArraySlice<UInt8>) {
    self.table = table
    self.number = number
    self.revision = revision
    self.bytes = bytes
  }
}

/// A part of a snapshot. A snapshot replaces the records up to its own. Its parts may be written over many turns, with
/// records between them; the snapshot is valid when its last part is durable.
public struct JournalSnapshotPart: Hashable, Sendable {
  public var table: String
  /// The number of the last record that the snapshot contains; 0 for a table's first snapshot.
  public var record: UInt64
  /// The revision of the snapshot's state.
  public var revision: Revision
  /// The part's number within the snapshot, from 0.
  public var number: Int
  /// Whether the part completes the snapshot.
  public var isLast: Bool
  public var bytes: ArraySlice<UInt8>

  public init(
    table: String, record: UInt64, revision: Revision, number: Int, isLast: Bool, bytes: ArraySlice<UInt8>
  ) {
    self.table = table
    self.record = record
    self.revision = revision
    self.number = number
    self.isLast = isLast
    self.bytes = bytes
  }
}

/// The stored data of a table, sufficient to restore it.
public struct StoredTable: Hashable, Sendable {
  /// The name and type that the table was created with.
  public var definition: TableDefinition
  /// The parts of the last complete snapshot, in order.
  public var snapshot: [JournalSnapshotPart]
  /// The records after it, in order and without gaps.
  public var records: [JournalRecord]

  /// The size of the parts and records, in bytes.
  public var bytes: Int { snapshot.reduce(0) { $0 + $1.bytes.count } + records.reduce(0) { $0 + $1.bytes.count } }

  public init(definition: TableDefinition, snapshot: [JournalSnapshotPart], records: [JournalRecord]) {
    self.definition = definition
    self.snapshot = snapshot
    self.records = records
  }
}

public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// The disk is full or fails. It may recover.
    case storage
    /// The stored data cannot be read, or is inconsistent.
    case corrupt
    /// There is no room in memory for what is stored.
    case tooLarge
    /// The file is not a journal, has another format, is in use, or cannot be opened. It was not changed.
    case unusable
  }

  public let kind: Kind
  /// A sentence for the operator.
  public let description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
