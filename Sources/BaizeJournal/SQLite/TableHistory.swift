public import BaizeSync

/// The history of a table as a sequence of steps, which begins with a snapshot.
public final class TableHistory {
  /// The table's name, type and options.
  public let definition: TableDefinition
  /// The remaining snapshots, in reverse order.
  private var snapshots: [TableRows.SnapshotRow]
  /// The last record returned.
  private var record: Int64
  private let readParts: (TableRows.SnapshotRow) throws(JournalError) -> [JournalSnapshotPart]
  /// Returns the record of a number; `nil` behind the last one.
  private let readRecord: (Int64) throws(JournalError) -> JournalRecord?

  public enum Step: Hashable, Sendable {
    /// The parts of a complete snapshot, in order: the state after the records before it.
    case snapshot([JournalSnapshotPart])
    /// A record, which changes the state.
    case record(JournalRecord)
  }

  /// - Parameters:
  ///   - snapshots: The snapshots, last first.
  ///   - parts: Returns the parts of one of them.
  ///   - record: Returns the record of a number; `nil` behind the last one. The numbers rise by 1.
  init(
    _ definition: TableDefinition, snapshots: [TableRows.SnapshotRow],
    parts: @escaping (TableRows.SnapshotRow) throws(JournalError) -> [JournalSnapshotPart],
    record: @escaping (Int64) throws(JournalError) -> JournalRecord?
  ) {
    self.definition = definition
    self.snapshots = snapshots
    self.record = snapshots.last?.record ?? 0
    (readParts, readRecord) = (parts, record)
  }

  /// Returns the next step; `nil` at the end.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt` if a row does not match its checksum.
  public func next() throws(JournalError) -> Step? {
    if let snapshot = snapshots.last, snapshot.record <= record {
      snapshots.removeLast()
      return .snapshot(try readParts(snapshot))
    }
    guard let next = try readRecord(record + 1) else { return nil }
    record += 1
    return .record(next)
  }
}
