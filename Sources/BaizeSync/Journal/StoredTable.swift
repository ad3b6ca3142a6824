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

/// The reading of a table from a journal, on any thread.
public struct TableReading: Sendable {
  /// Returns the size in bytes of the snapshot to read; 0 if there is no such table.
  public let bytes: @Sendable () throws(JournalError) -> Int
  /// Returns the table if its snapshot has at most as many bytes; otherwise it throws ``JournalError`` of kind `tooLarge`.
  public let read: @Sendable (_ bytesMax: Int) throws(JournalError) -> StoredTable?

  public init(
    bytes: @escaping @Sendable () throws(JournalError) -> Int,
    read: @escaping @Sendable (_ bytesMax: Int) throws(JournalError) -> StoredTable?
  ) {
    (self.bytes, self.read) = (bytes, read)
  }

  /// Creates the reading of what was read already.
  public init(_ stored: StoredTable?) {
    let bytes = stored?.snapshot.reduce(0) { $0 + $1.bytes.count } ?? 0
    self.init(bytes: { bytes }) { bytesMax throws(JournalError) in
      guard bytes <= bytesMax else {
        throw JournalError(.tooLarge, "a snapshot of \(bytes) bytes, at most \(bytesMax)")
      }
      return stored
    }
  }
}
