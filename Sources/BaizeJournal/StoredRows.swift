internal import BaizeSync
internal import BaizeTable

/// The rows of a journal, of whatever engine, as far as all engines read them alike.
protocol StoredRows {
  /// Returns a table's number and definition; `nil` if there is no such table.
  func definition(of name: String) throws(JournalError) -> (id: Int64, TableDefinition)?

  /// Returns the complete snapshots of a table, last first, at most `limit`.
  func snapshots(of table: Int64, limit: Int) throws(JournalError) -> [TableRows.SnapshotRow]

  /// Returns a part of a snapshot; `nil` if there is none of that number.
  func part(
    _ number: Int, of snapshot: TableRows.SnapshotRow, of table: Int64, named name: String
  ) throws(JournalError) -> JournalSnapshotPart?

  /// Returns the size of a snapshot in bytes, without reading it.
  func bytes(of snapshot: TableRows.SnapshotRow, of table: Int64) throws(JournalError) -> Int

  /// Returns the error of damaged contents.
  func damaged(_ part: String) -> JournalError
}

extension StoredRows {
  /// Returns the parts of a complete snapshot, in order.
  func parts(
    of snapshot: TableRows.SnapshotRow, of table: Int64, named name: String
  ) throws(JournalError) -> [JournalSnapshotPart] {
    var found: [JournalSnapshotPart] = []
    while let part = try part(found.count, of: snapshot, of: table, named: name) { found.append(part) }
    guard found.count == snapshot.parts else { throw damaged("a snapshot of table '\(name)'") }
    return found
  }

  /// Returns the size of a table's last snapshot in bytes; 0 if there is no such table.
  func bytes(ofTable name: String) throws(JournalError) -> Int {
    guard let (id, _) = try definition(of: name), let last = try snapshots(of: id, limit: 1).first else { return 0 }
    return try bytes(of: last, of: id)
  }

  /// Returns whether there is a table of a name, with a snapshot.
  func contains(tableNamed name: String) throws(JournalError) -> Bool {
    guard let (id, _) = try definition(of: name) else { return false }
    return try !snapshots(of: id, limit: 1).isEmpty
  }
}
