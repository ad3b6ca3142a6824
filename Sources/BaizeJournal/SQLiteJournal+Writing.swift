internal import BaizeSync
internal import BaizeTable

/// What a turn wrote becomes rows.
extension SQLiteJournal {
  func keep(_ write: JournalWrite) throws(JournalError) {
    switch write {
    case .table(let definition): try keep(definition)
    case .record(let record): try keep(record)
    case .snapshot(let part): try keep(part)
    }
  }

  private func keep(_ table: TableDefinition) throws(JournalError) {
    guard known[table.name] == nil, try rows.definition(of: table.name) == nil else {
      throw misuse("table '\(table.name)' is there already")
    }
    let options = TableRows.encoded(table.options)[...]
    let statement = writing.addTable.set(
      try document(table.document), TableRows.checksum(table.name, table.typeText, options))
    let id = try statement.set(3, table.name).set(4, table.typeText).returned(5, options)
    let made = KnownTable(id: id, head: Head())
    made.isDirty = true
    known[table.name] = made
    log.lastTable = id
  }

  /// The row of a document, which stands there once however many tables are made from it.
  private func document(_ text: String) throws(JournalError) -> Int64 {
    let checksum = TableRows.checksum(ofDocument: text)
    let found = writing.findDocument.set(checksum)
    defer { found.reset() }
    while try found.next() {
      if found.text(1) == text { return found.integer(0) }
    }
    return try writing.addDocument.set(checksum).returned(2, ArraySlice(text.utf8))
  }

  private func keep(_ record: JournalRecord) throws(JournalError) {
    let table = try find(record.table)
    let number = Int64(bitPattern: record.number)
    let revision = Int64(bitPattern: record.revision.rawValue)
    guard number == table.head.number + 1 else {
      throw misuse("record \(number) of table '\(record.table)' does not follow record \(table.head.number)")
    }
    let row = log.last + 1
    try writing.addRecord.set(
      row, table.id, number, table.head.row, revision, Checksum.of(record.bytes, table.id, number, revision)
    ).run(7, record.bytes)
    log.last = row
    log.rows += 1
    table.head.row = row
    table.head.number = number
    table.isDirty = true
  }

  private func keep(_ part: JournalSnapshotPart) throws(JournalError) {
    let table = try find(part.table)
    let record = Int64(bitPattern: part.record)
    let revision = Int64(bitPattern: part.revision.rawValue)
    let number = Int64(part.number)
    // The same state is there already, or a later one.
    guard record > table.whole else { return }
    if number == 0 {
      if table.unfinished != nil { try writing.dropUnfinished.set(table.id).run() }
      table.unfinished = KnownTable.Unfinished(record: record, nextPart: 0)
    }
    guard table.unfinished == KnownTable.Unfinished(record: record, nextPart: number), record <= table.head.number
    else {
      throw misuse("part \(number) of a snapshot of table '\(part.table)' follows nothing")
    }
    table.unfinished?.nextPart += 1
    let checksum = TableRows.checksum(ofPart: part.bytes, number, of: (table.id, record, revision))
    try writing.addPart.set(table.id, record, number, checksum).run(5, part.bytes)
    guard part.isLast else { return }
    try writing.addSnapshot.set(table.id, record, revision, number + 1).run()
    table.unfinished = nil
    table.whole = record
    try trim(table, at: part.revision)
  }

  private func misuse(_ what: String) -> JournalError {
    JournalError(.corrupt, "the journal '\(database.name)' does not take what makes no sense: \(what)")
  }

  // MARK: Tables

  private func find(_ name: String) throws(JournalError) -> KnownTable {
    if let table = known[name] { return table }
    guard let (id, _) = try rows.definition(of: name) else { throw misuse("there is no table '\(name)'") }
    return try recall(name, id)
  }

  /// A table that was not written lately.
  private func recall(_ name: String, _ id: Int64) throws(JournalError) -> KnownTable {
    let table = KnownTable(id: id, head: try rows.head(of: id))
    table.whole = try rows.snapshots(of: id, limit: 1).first?.record ?? -1
    let parts = writing.unfinishedParts.set(id, table.whole)
    defer { parts.reset() }
    if try parts.next() {
      table.unfinished = KnownTable.Unfinished(record: parts.integer(0), nextPart: parts.integer(1))
    }
    known[name] = table
    return table
  }

  /// Reads where the log stands, and the tables and rows that `heads` does not know of.
  ///
  /// - Complexity: O(``headsEvery``).
  func remember() throws(JournalError) {
    known = [:]
    sweep = nil
    log = try rows.logState()
    try rememberTables()
    try rememberRecords()
  }

  private func rememberTables() throws(JournalError) {
    let row = try database.prepare("SELECT id, name FROM tables WHERE id > ? ORDER BY id").set(log.tables)
    while try row.next() {
      log.lastTable = row.integer(0)
      try recall(row.text(1), log.lastTable).isDirty = true
    }
  }

  private func rememberRecords() throws(JournalError) {
    let row = try database.prepare(
      """
      SELECT log.id, log.number, log.previous, tables.id, tables.name
      FROM log LEFT JOIN tables ON tables.id = log.table_id WHERE log.id > ? ORDER BY log.id
      """
    ).set(log.indexed)
    while try row.next() {
      let name = row.text(4)
      let table = if let table = known[name] { table } else { try recall(name, row.integer(3)) }
      guard table.head.number + 1 == row.integer(1), table.head.row == row.integer(2) else {
        throw JournalError(
          .corrupt, "the journal '\(database.name)' is damaged: the records of table '\(name)' do not follow each other"
        )
      }
      table.head.row = row.integer(0)
      table.head.number = row.integer(1)
      table.isDirty = true
      log.last = row.integer(0)
      log.rows += 1
    }
  }
}
