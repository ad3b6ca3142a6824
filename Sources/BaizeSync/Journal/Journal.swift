public import BaizeTable

/// The storage of tables: what was appended is durable as a whole when ``commit()`` returns, or not at all.
///
/// The host appends the writes of one turn, or of several, in order; it commits; only then does it call the shard's
/// ``ShardMachine/committed(_:)``. An implementation is used from one thread at a time.
public protocol Journal: AnyObject {
  /// Appends what a turn wrote. It is not durable before ``commit()``.
  ///
  /// - Throws: ``JournalError``. What was appended since the last commit is then void: the host calls ``discard()``.
  func append(_ writes: [JournalWrite]) throws(JournalError)

  /// Makes everything appended durable, or nothing of it.
  func commit() throws(JournalError)

  /// Discards what was appended since the last commit.
  func discard()

  /// Writes something without a meaning, durably, to see whether the disk accepts writes again after a commit has failed.
  func probe() throws(JournalError)

  /// Returns what is durable of a table, from its last whole snapshot on; `nil` where there is no such table.
  func table(named name: String) throws(JournalError) -> StoredTable?
}

/// One thing that a turn writes.
public enum JournalWrite: Hashable, Sendable {
  /// A table was created. Its first snapshot follows in the same turn.
  case table(TableDefinition)
  case record(JournalRecord)
  case snapshot(JournalSnapshotPart)
}

/// What a table was created from.
public struct TableDefinition: Hashable, Sendable {
  public var name: String
  /// The type as the creator named it, such as `klondike?draw=3`.
  public var typeText: String
  /// The table type's JSON document.
  public var document: String
  /// The creator's choice for each of the document's options, defaults included.
  public var options: [Attribute]

  public init(name: String, typeText: String, document: String, options: [Attribute]) {
    self.name = name
    self.typeText = typeText
    self.document = document
    self.options = options
  }
}

/// One table's part of a turn: what must be durable before anyone sees it.
public struct JournalRecord: Hashable, Sendable {
  public var table: String
  /// Counts the table's records: 1, 2, 3 …
  public var number: UInt64
  /// The revision that the record leads to.
  public var revision: Revision
  /// ``JournalEntry`` after ``JournalEntry``, each behind its length.
  public var bytes: ArraySlice<UInt8>

  public init(table: String, number: UInt64, revision: Revision, bytes: ArraySlice<UInt8>) {
    self.table = table
    self.number = number
    self.revision = revision
    self.bytes = bytes
  }
}

/// A part of a snapshot, which replaces everything recorded before it. The parts of one snapshot may be written over many
/// turns, with records between them; the snapshot counts when its last part is durable.
public struct JournalSnapshotPart: Hashable, Sendable {
  public var table: String
  /// The last record that is in the snapshot; 0 for a table's first one.
  public var record: UInt64
  /// The revision of the state.
  public var revision: Revision
  /// From 0.
  public var number: Int
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

/// What a journal has of a table: enough to go on from.
public struct StoredTable: Hashable, Sendable {
  public var definition: TableDefinition
  /// The parts of the last whole snapshot, in order.
  public var snapshot: [JournalSnapshotPart]
  /// The records after it, in order and without gaps.
  public var records: [JournalRecord]

  public init(definition: TableDefinition, snapshot: [JournalSnapshotPart], records: [JournalRecord]) {
    self.definition = definition
    self.snapshot = snapshot
    self.records = records
  }
}

/// The reason why a journal cannot do what it was asked for.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// No room, or the disk fails: it may recover.
    case storage
    /// What is stored cannot be read, or makes no sense.
    case corrupt
    /// The file is no journal, of a newer format, in use, or may not be opened. It was not changed.
    case unusable
  }

  public let kind: Kind
  /// A sentence for people.
  public let description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
