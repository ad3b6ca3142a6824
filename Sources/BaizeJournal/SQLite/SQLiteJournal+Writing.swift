internal import BaizeSync
internal import BaizeTable

// Writes a turn's writes as rows.
extension SQLiteJournal {
  func write(_ write: JournalWrite) throws(JournalError) {
    switch write {
    case .table(let definition): try self.write(definition)
    case .record(let record): try self.write(record)
    case .snapshot(let part): try self.write(part)
    case .deletion(let table): try delete(table)
    case .revocations(let document): try statements.setRevocations.set(Checksum.of(document)).run(2, document)
    }
  }

  private func write(_ table: TableDefinition) throws(JournalError) {
    guard cached[table.name] == nil, try rows.definition(of: table.name) == nil else {
      throw misuse("table '\(table.name)' exists already")
    }
    let options = TableRows.encoded(table.options)[...]
    let statement = statements.addTable.set(
      try document(table.document), TableRows.checksum(table.name, table.typeText, options))
    // An id is never given again, also not when the last table was deleted: its rows may still be there.
    let id = try statement.set(3, log.lastTable + 1).set(4, table.name).set(5, table.typeText).insert(6, options)
    let created = CachedTable(id: id, head: Head())
    created.isDirty = true
    cached[table.name] = created
    log.lastTable = id
    try markUsed(created)
  }

  /// Returns the row of a document. Each document is stored once, however many tables use it.
  private func document(_ text: String) throws(JournalError) -> Int64 {
    let checksum = TableRows.checksum(ofDocument: text)
    let found = statements.findDocument.set(checksum)
    defer { found.reset() }
    while try found.next() {
      if found.text(1) == text { return try found.number(0) }
    }
    return try statements.addDocument.set(checksum).insert(2, ArraySlice(text.utf8))
  }

  private func write(_ record: JournalRecord) throws(JournalError) {
    let table = try find(record.table)
    let number = Int64(bitPattern: record.number)
    let revision = Int64(bitPattern: record.revision.rawValue)
    guard number == table.head.number + 1 else {
      throw misuse("record \(number) of table '\(record.table)' does not follow record \(table.head.number)")
    }
    let row = log.last + 1
    try statements.addRecord.set(
      row, table.id, number, table.head.row, revision, Checksum.of(record.bytes, table.id, number, revision)
    ).run(7, record.bytes)
    log.last = row
    log.rows += 1
    table.head.row = row
    table.head.number = number
    table.isDirty = true
    table.writtenBytes += record.bytes.count
    try markUsed(table)
  }

  private func write(_ part: JournalSnapshotPart) throws(JournalError) {
    let table = try find(part.table)
    let record = Int64(bitPattern: part.record)
    let revision = Int64(bitPattern: part.revision.rawValue)
    let number = Int64(part.number)
    // The journal has a snapshot of this record or a later one.
    guard record > table.lastSnapshot else { return }
    if number == 0 {
      if table.unfinished != nil { try statements.dropUnfinished.set(table.id).run() }
      table.unfinished = CachedTable.Unfinished(record: record, nextPart: 0, bytesBefore: table.writtenBytes)
    }
    guard let unfinished = table.unfinished, unfinished.record == record, unfinished.nextPart == number,
      record <= table.head.number
    else {
      throw misuse("part \(number) of a snapshot of table '\(part.table)' is out of order")
    }
    table.unfinished?.nextPart += 1
    let checksum = TableRows.checksum(ofPart: part.bytes, number, of: (table.id, record, revision))
    try statements.addPart.set(table.id, record, number, checksum).run(5, part.bytes)
    table.writtenBytes += part.bytes.count
    guard part.isLast else { return }
    table.snapshots.append(CachedTable.Snapshot(record: record, bytesBefore: unfinished.bytesBefore))
    try statements.addSnapshot.set(table.id, record, revision, number + 1).run()
    table.unfinished = nil
    table.lastSnapshot = record
    try trim(table, at: part.revision)
  }

  private func misuse(_ mistake: String) -> JournalError {
    JournalError(.corrupt, "the journal '\(database.name)' refuses a write: \(mistake)")
  }

  // MARK: Tables

  private func find(_ name: String) throws(JournalError) -> CachedTable {
    guard let table = try findIfThere(name) else { throw misuse("there is no table '\(name)'") }
    return table
  }

  func findIfThere(_ name: String) throws(JournalError) -> CachedTable? {
    if let table = cached[name] { return table }
    guard let (id, _) = try rows.definition(of: name) else { return nil }
    return try load(name, id)
  }

  /// Reads a table's head and its unfinished snapshot into the cache.
  private func load(_ name: String, _ id: Int64) throws(JournalError) -> CachedTable {
    let table = CachedTable(id: id, head: try rows.head(of: id))
    table.lastSnapshot = try rows.snapshots(of: id, limit: 1).first?.record ?? -1
    let parts = statements.unfinishedParts.set(id, table.lastSnapshot)
    defer { parts.reset() }
    if try parts.next() {
      table.unfinished = try CachedTable.Unfinished(record: parts.number(0), nextPart: parts.number(1))
    }
    cached[name] = table
    return table
  }

  /// Reads the state of the log, and the tables and rows that `heads` does not cover.
  ///
  /// - Complexity: O(``headsLagMax``).
  func loadState() throws(JournalError) {
    cached = [:]
    sweep = nil
    log = try rows.logState()
    hasDeleted = try database.integer("SELECT 1 FROM deleted LIMIT 1") != nil
    try loadRunningTime()
    try loadNewTables()
    try loadNewRecords()
  }

  private func loadNewTables() throws(JournalError) {
    let row = try database.prepare("SELECT id, name FROM tables WHERE id > ? ORDER BY id").set(log.tables)
    while try row.next() {
      log.lastTable = try row.number(0)
      try load(row.text(1), log.lastTable).isDirty = true
    }
  }

  private func loadNewRecords() throws(JournalError) {
    let row = try database.prepare(
      """
      SELECT log.id, log.number, log.previous, tables.id, tables.name
      FROM log LEFT JOIN tables ON tables.id = log.table_id WHERE log.id > ? ORDER BY log.id
      """
    ).set(log.indexed)
    while try row.next() {
      let name = row.text(4)
      let table = if let table = cached[name] { table } else { try load(name, row.number(3)) }
      guard try table.head.number + 1 == row.number(1), try table.head.row == row.number(2) else {
        throw JournalError(
          .corrupt, "the journal '\(database.name)' is damaged: records of table '\(name)' are missing or out of order"
        )
      }
      table.head.row = try row.number(0)
      table.head.number = try row.number(1)
      table.isDirty = true
      log.last = table.head.row
      log.rows += 1
    }
  }
}
