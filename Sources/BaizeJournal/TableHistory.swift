public import BaizeSync

/// All that a journal keeps of a table, step by step: it begins with a snapshot.
public final class TableHistory {
  public let definition: TableDefinition
  private let table: Int64
  private let rows: TableRows
  /// What is still to come, the next one last.
  private var snapshots: [TableRows.SnapshotRow]
  private var records: [Int64]
  /// The last record that was given.
  private var record: Int64

  /// A step of a table's history.
  public enum Step: Hashable, Sendable {
    /// The parts of a whole snapshot, in order: what the records before it have led to.
    case snapshot([JournalSnapshotPart])
    case record(JournalRecord)
  }

  /// - Parameters:
  ///   - snapshots: The last one first.
  ///   - records: Their rows in the log.
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

  /// The next step; `nil` at the end.
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
