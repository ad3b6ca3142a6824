#if PostgreSQL
  public import BaizeSync
  internal import BaizeTable

  // Collects a turn's writes as rows. Numbers of tables and documents are given here, where the only writer is.
  extension PostgresJournal {
    /// The maximum number of cached tables, and of cached documents.
    private static let cachedMax = 16_384
    private static let documentsCachedMax = 256

    func write(_ write: JournalWrite, into batch: inout PostgresBatch) throws(JournalError) {
      switch write {
      case .table(let definition): try self.write(definition, into: &batch)
      case .record(let record): try self.write(record, into: &batch)
      case .snapshot(let part): try self.write(part, into: &batch)
      case .deletion(let table): try delete(table, in: &batch)
      case .revocations(let document): batch.revocations = document
      }
    }

    private func write(_ table: TableDefinition, into batch: inout PostgresBatch) throws(JournalError) {
      guard try findIfThere(table.name) == nil else { throw misuse("table '\(table.name)' exists already") }
      let options = TableRows.encoded(table.options)[...]
      let document = try document(table.document, into: &batch)
      lastTable += 1
      batch.add(
        PostgresBatch.TableRow(
          id: lastTable, name: table.name, document: document,
          checksum: TableRows.checksum(table.name, table.typeText, options), type: ArraySlice(table.typeText.utf8),
          options: options))
      keep(CachedTable(id: lastTable, head: Head()), table.name)
    }

    /// Returns the number of a document. Each is stored once, however many tables use it.
    private func document(_ text: String, into batch: inout PostgresBatch) throws(JournalError) -> Int64 {
      if let known = documents[text] { return known }
      if documents.count >= Self.documentsCachedMax { documents = [:] }
      let checksum = TableRows.checksum(ofDocument: text)
      let found = try run([
        PostgresStatement("select id, text from baize_document where checksum = $1").with(checksum)
      ])[0]
      for row in 0..<found.count where found.text(row, 1) == text {
        documents[text] = found.integer(row, 0)
        return found.integer(row, 0)
      }
      lastDocument += 1
      documents[text] = lastDocument
      batch.add(PostgresBatch.DocumentRow(id: lastDocument, checksum: checksum, text: ArraySlice(text.utf8)))
      return lastDocument
    }

    private func write(_ record: JournalRecord, into batch: inout PostgresBatch) throws(JournalError) {
      let table = try find(record.table)
      let number = Int64(bitPattern: record.number)
      let revision = Int64(bitPattern: record.revision.rawValue)
      guard number == table.head.number + 1 else {
        throw misuse("record \(number) of table '\(record.table)' does not follow record \(table.head.number)")
      }
      batch.add(
        PostgresBatch.RecordRow(
          table: table.id, number: number, revision: revision,
          checksum: Checksum.of(record.bytes, table.id, number, revision), bytes: record.bytes))
      table.head.number = number
      table.writtenBytes += record.bytes.count
    }

    private func write(_ part: JournalSnapshotPart, into batch: inout PostgresBatch) throws(JournalError) {
      let table = try find(part.table)
      let record = Int64(bitPattern: part.record)
      let revision = Int64(bitPattern: part.revision.rawValue)
      let number = Int64(part.number)
      // The journal has a snapshot of this record or a later one.
      guard record > table.lastSnapshot else { return }
      if number == 0 {
        if let unfinished = table.unfinished { batch.abandonSnapshot(of: table.id, at: unfinished.record) }
        table.unfinished = CachedTable.Unfinished(record: record, nextPart: 0, bytesBefore: table.writtenBytes)
      }
      guard let unfinished = table.unfinished, unfinished.record == record, unfinished.nextPart == number,
        record <= table.head.number
      else { throw misuse("part \(number) of a snapshot of table '\(part.table)' is out of order") }
      table.unfinished?.nextPart += 1
      batch.add(
        PostgresBatch.PartRow(
          table: table.id, record: record, number: number,
          checksum: TableRows.checksum(ofPart: part.bytes, number, of: (table.id, record, revision)), bytes: part.bytes)
      )
      table.writtenBytes += part.bytes.count
      guard part.isLast else { return }
      table.snapshots.append(CachedTable.Snapshot(record: record, bytesBefore: unfinished.bytesBefore))
      table.unfinished = nil
      table.lastSnapshot = record
      batch.add(
        PostgresBatch.SnapshotRow(
          table: table.id, record: record, revision: revision, parts: number + 1, floor: floorBySize(of: table)))
    }

    /// Returns the oldest snapshot to keep by the size of the table's history, as far as it was written since it was cached.
    private func floorBySize(of table: CachedTable) -> Int64 {
      let most = limits.bytesPerTableMax
      guard table.writtenBytes - (table.snapshots.first?.bytesBefore ?? 0) > most else { return 0 }
      let kept = table.snapshots.first { table.writtenBytes - $0.bytesBefore <= most } ?? table.snapshots.last
      guard let floor = kept?.record else { return 0 }
      table.snapshots.removeAll { $0.record < floor }
      return floor
    }

    /// Deletes a table, if there is one of that name.
    private func delete(_ name: String, in batch: inout PostgresBatch) throws(JournalError) {
      guard let table = try findIfThere(name) else { return }
      batch.delete(table.id)
      cached[name] = nil
      deletedInBatch.insert(name)
      hasDeleted = true
    }

    private func misuse(_ mistake: String) -> JournalError {
      JournalError(.corrupt, "\(PostgresFailure.name) refuses a write: \(mistake)")
    }

    // MARK: Tables

    private func find(_ name: String) throws(JournalError) -> CachedTable {
      guard let table = try findIfThere(name) else { throw misuse("there is no table '\(name)'") }
      return table
    }

    private func findIfThere(_ name: String) throws(JournalError) -> CachedTable? {
      if let table = cached[name] { return table }
      // What the present commit deletes is still in the database.
      if deletedInBatch.contains(name) { return nil }
      let row = try run([
        PostgresStatement(
          """
          select t.no, coalesce(s.record, -1),
            greatest(coalesce((select max(number) from baize_log l where l.table_no = t.no), 0), coalesce(s.record, 0)),
            u.record, u.parts
          from baize_table t
          left join lateral (select max(record) as record from baize_snapshot where table_no = t.no) s on true
          left join lateral (
            select record, count(*) as parts from baize_part p where p.table_no = t.no and p.record > coalesce(s.record, -1)
            group by record order by record desc limit 1) u on true
          where t.name = $1
          """
        ).with(name)
      ])[0]
      guard row.count == 1 else { return nil }
      let table = CachedTable(id: row.integer(0, 0), head: Head(number: row.integer(0, 2)))
      table.lastSnapshot = row.integer(0, 1)
      if !row.isNull(0, 3) {
        table.unfinished = CachedTable.Unfinished(record: row.integer(0, 3), nextPart: row.integer(0, 4))
      }
      keep(table, name)
      return table
    }

    private func keep(_ table: CachedTable, _ name: String) {
      cached[name] = table
      deletedInBatch.remove(name)
    }

    /// Bounds what is cached, between two commits.
    func trimCache() {
      deletedInBatch.removeAll()
      if cached.count > Self.cachedMax { cached = cached.filter { $0.value.isIncomplete } }
    }

    // MARK: Freeing

    /// The maximum numbers of parts and records that one commit frees.
    private static let partsFreedMax: Int64 = 32
    private static let recordsFreedMax: Int64 = 1_024

    public func tidy() throws(JournalError) -> Bool {
      try renew()
      guard hasDeleted else { return false }
      let next = try run([PostgresStatement("select min(table_no) from baize_deleted")])[0]
      guard !next.isNull(0, 0) else {
        hasDeleted = false
        return false
      }
      let table = next.integer(0, 0)
      // Rows of a deleted table: nobody else reads or writes them, so that they need no turn.
      _ = try run([
        PostgresStatement(
          """
          delete from baize_part where table_no = $1 and (record, number) in (
            select record, number from baize_part where table_no = $1 limit $2)
          """
        ).with(table, Self.partsFreedMax),
        PostgresStatement(
          """
          delete from baize_log where table_no = $1 and number in (
            select number from baize_log where table_no = $1 limit $2)
          """
        ).with(table, Self.recordsFreedMax),
        PostgresStatement(
          """
          delete from baize_deleted d where table_no = $1
            and not exists (select from baize_log where table_no = $1)
            and not exists (select from baize_part where table_no = $1)
          """
        ).with(table),
      ])
      return true
    }
  }
#endif
