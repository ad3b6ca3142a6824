public import BaizeSync

/// The history of a table as a sequence of steps, which begins with a snapshot.
public final class TableHistory {
  /// The table's name, type and options.
  public let definition: TableDefinition
  private let table: Int64
  private let rows: TableRows
  /// The remaining snapshots and records, in reverse order.
  private var snapshots: [TableRows.SnapshotRow]
  private var records: [Int64]
  /// The last record returned.
  private var record: Int64

  public enum Step: Hashable, Sendable {
    /// The parts of a complete snapshot, in order: the state after the records before it.
    case snapshot([JournalSnapshotPart])
    /// A record, which changes the state.
    case record(JournalRecord)
  }

  /// - Parameters:
  ///   - snapshots: The snapshots, last first.
  ///   - records: The records' rows in the log.
  init(
    _ definition: TableDefinition, _ table: Int64, _ rows: TableRows, snapshots: [TableRows.SnapshotRow],
    records: [Int64]
  ) {
    self.definition = definition
    self.table = table
    self.rows = rows
    self.snapshots = snapshots
    self.records = records.reversed()
    record = snapshots.last?.record ?? 0
  }

  /// Returns the next step; `nil` at the end.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt` if a row does not match its checksum.
  public func next() throws(JournalError) -> Step? {
    if let snapshot = snapshots.last, snapshot.record <= record {
      snapshots.removeLast()
      return .snapshot(try rows.parts(of: snapshot, of: table, named: definition.name))
    }
    guard let row = records.popLast() else { return nil }
    record += 1
    return .record(try rows.record(row, of: table, named: definition.name))
  }
}
