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

/// Reads a table from a journal, on any thread.
public struct TableReading: Sendable {
  private let size: @Sendable () throws(JournalError) -> Int
  private let body: @Sendable (_ bytesMax: Int) throws(JournalError) -> StoredTable?

  public init(
    size: @escaping @Sendable () throws(JournalError) -> Int,
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
