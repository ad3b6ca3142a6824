public import BaizeTable

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
  /// The document of what is revoked of signed tokens, in the place of the last one. It concerns no table.
  case revocations(ArraySlice<UInt8>)

  /// The name of the table that it concerns; `nil` if it concerns none.
  public var tableName: String? {
    switch self {
    case .table(let definition): definition.name
    case .record(let record): record.table
    case .snapshot(let part): part.table
    case .deletion(let table): table
    case .revocations: nil
    }
  }

  /// The size of what is written, in bytes.
  var bytes: Int {
    switch self {
    case .table(let definition): definition.document.utf8.count
    case .record(let record): record.bytes.count
    case .snapshot(let part): part.bytes.count
    case .deletion(let table): table.utf8.count
    case .revocations(let document): document.count
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
