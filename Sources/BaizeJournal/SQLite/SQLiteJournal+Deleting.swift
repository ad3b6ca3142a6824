internal import BaizeSync

// Deletes tables. The commit of a deletion frees the table's name, so that the table no longer exists and another may
// have the name; later commits free its parts and records, a bounded number each, however large it was.
extension SQLiteJournal {
  /// The maximum numbers of parts and records that one commit frees.
  private static let partsFreedMax: Int64 = 32
  private static let recordsFreedMax = 1_024

  /// Deletes a table, if there is one of that name.
  func delete(_ name: String) throws(JournalError) {
    guard let table = try findIfThere(name) else { return }
    try statements.addDeleted.set(table.id, table.head.row, table.head.floor).run()
    try statements.dropTable.set(table.id).run()
    try statements.dropUsed.set(table.id).run()
    try statements.dropSnapshots.set(table.id, .max).run()
    cached[name] = nil
    hasDeleted = true
    // Opening the file reads the tables and rows that `heads` does not cover, and would not know whose these rows are.
    try writeHeads()
    try statements.dropHead.set(table.id).run()
  }

  /// Frees some parts, or some records, of a deleted table.
  func continueDeletion() throws(JournalError) {
    let next = statements.nextDeleted
    defer { next.reset() }
    guard try next.next() else {
      hasDeleted = false
      return
    }
    let (table, row, floor) = try (next.number(0), next.number(1), next.number(2))
    next.reset()
    guard try !freeParts(of: table) else { return }
    if let row = try freeRecords(of: table, from: row, floor: floor) {
      try statements.setDeleted.set(row, table).run()
    } else {
      try statements.dropDeleted.set(table).run()
    }
  }

  /// - Returns: Whether there were any.
  private func freeParts(of table: Int64) throws(JournalError) -> Bool {
    let parts = statements.dropDeletedParts.set(table, Self.partsFreedMax)
    defer { parts.reset() }
    var hasFreed = false
    while try parts.next() { hasFreed = true }
    return hasFreed
  }

  /// Follows the chain of a table's records backwards.
  ///
  /// - Returns: The row to go on with; `nil` at the end, which may be one that a sweep has made.
  private func freeRecords(of table: Int64, from first: Int64, floor: Int64) throws(JournalError) -> Int64? {
    var row = first
    for _ in 0..<Self.recordsFreedMax {
      let record = statements.deletedRecord.set(row, table)
      guard try record.next() else {
        record.reset()
        return nil
      }
      let (number, previous) = try (record.number(0), record.number(1))
      record.reset()
      try statements.dropRecord.set(row).run()
      log.rows -= 1
      if number <= floor { log.dead -= 1 }
      guard previous < row else { return nil }
      row = previous
    }
    return row
  }
}
