internal import BaizeSync

/// Reads what a table is restored from, part by part, so that others can use the connection in between.
struct StoredTableCursor {
  private let id: Int64
  private let snapshot: TableRows.SnapshotRow
  /// The end of the table's chain of records; `nil` if `heads` has it.
  private let head: Head?
  /// The log rows that follow the snapshot; `nil` before all parts of it are read.
  private var chain: ArraySlice<Int64>?
  private(set) var table: StoredTable

  /// - Parameter bytesMax: The size in bytes of the largest snapshot to read.
  /// - Throws: ``JournalError``, of kind `tooLarge` for a larger one.
  init?(_ rows: TableRows, tableNamed name: String, to head: Head?, bytesMax: Int) throws(JournalError) {
    guard let (id, definition) = try rows.definition(of: name) else { return nil }
    guard let snapshot = try rows.snapshots(of: id, limit: 1).first else {
      let last = if let head { head } else { try rows.head(of: id) }
      guard last.number == 0 else { throw rows.hasNoSnapshot(name) }
      return nil
    }
    guard try bytesMax == .max ? true : rows.bytes(of: snapshot, of: id) <= bytesMax else {
      throw JournalError(.tooLarge, "there is no room for table '\(name)'")
    }
    self.id = id
    self.snapshot = snapshot
    self.head = head
    table = StoredTable(definition: definition, snapshot: [], records: [])
  }

  /// Reads the next part of the snapshot, or the next record.
  ///
  /// - Returns: Whether there may be more.
  mutating func readNext(_ rows: TableRows) throws(JournalError) -> Bool {
    let name = table.definition.name
    if chain == nil {
      if let part = try rows.part(table.snapshot.count, of: snapshot, of: id, named: name) {
        table.snapshot.append(part)
      } else {
        guard table.snapshot.count == snapshot.parts else { throw rows.damaged("a snapshot of table '\(name)'") }
        let end = if let head { head } else { try rows.head(of: id) }
        chain = try rows.chain(of: id, to: end, after: snapshot.record)[...]
      }
      return true
    }
    guard let row = chain?.popFirst() else { return false }
    table.records.append(try rows.record(row, of: id, named: name))
    return true
  }
}
