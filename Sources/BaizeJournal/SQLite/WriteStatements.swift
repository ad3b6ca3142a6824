internal import BaizeSync

struct WriteStatements {
  let begin: Statement
  let commit: Statement
  let probe: Statement

  let findDocument: Statement
  let addDocument: Statement
  let addTable: Statement

  let dropTable: Statement
  let dropHead: Statement
  let addDeleted: Statement
  let nextDeleted: Statement
  let setDeleted: Statement
  let dropDeleted: Statement
  let dropDeletedParts: Statement
  let deletedRecord: Statement
  let dropRecord: Statement

  let findUsed: Statement
  let setUsed: Statement
  let dropUsed: Statement
  let setRunning: Statement

  let setRevocations: Statement

  let addRecord: Statement
  let setHead: Statement
  let setLogState: Statement

  let unfinishedParts: Statement
  let dropUnfinished: Statement
  let addPart: Statement
  let addSnapshot: Statement

  let lastSnapshot: Statement
  let olderSnapshot: Statement
  let dropSnapshots: Statement
  let dropParts: Statement
  let sweepEnd: Statement
  let sweep: Statement

  init(_ database: Database) throws(JournalError) {
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    probe = try database.prepare("INSERT OR REPLACE INTO probe VALUES (1, zeroblob(?))")

    findDocument = try database.prepare("SELECT id, text FROM documents WHERE checksum = ?")
    addDocument = try database.prepare("INSERT INTO documents (checksum, text) VALUES (?, ?) RETURNING id")
    addTable = try database.prepare(
      "INSERT INTO tables (document, checksum, id, name, type, options) VALUES (?, ?, ?, ?, ?, ?) RETURNING id")

    dropTable = try database.prepare("DELETE FROM tables WHERE id = ?")
    dropHead = try database.prepare("DELETE FROM heads WHERE table_id = ?")
    addDeleted = try database.prepare("INSERT OR REPLACE INTO deleted (table_id, log_id, floor) VALUES (?, ?, ?)")
    nextDeleted = try database.prepare("SELECT table_id, log_id, floor FROM deleted ORDER BY table_id LIMIT 1")
    setDeleted = try database.prepare("UPDATE deleted SET log_id = ? WHERE table_id = ?")
    dropDeleted = try database.prepare("DELETE FROM deleted WHERE table_id = ?")
    dropDeletedParts = try database.prepare(
      """
      DELETE FROM parts WHERE table_id = ?1 AND (record, number) IN
        (SELECT record, number FROM parts WHERE table_id = ?1 LIMIT ?2) RETURNING number
      """)
    deletedRecord = try database.prepare("SELECT number, previous FROM log WHERE id = ? AND table_id = ?")
    dropRecord = try database.prepare("DELETE FROM log WHERE id = ?")

    findUsed = try database.prepare(
      """
      SELECT tables.id, tables.name, last_uses.hour, last_uses.checksum FROM tables
      LEFT JOIN last_uses ON last_uses.table_id = tables.id
      WHERE tables.id > ? ORDER BY tables.id LIMIT ?
      """)
    setUsed = try database.prepare("INSERT OR REPLACE INTO last_uses (table_id, hour, checksum) VALUES (?, ?, ?)")
    dropUsed = try database.prepare("DELETE FROM last_uses WHERE table_id = ?")
    setRunning = try database.prepare("INSERT OR REPLACE INTO running (id, seconds, checksum) VALUES (1, ?, ?)")

    setRevocations = try database.prepare(
      "INSERT OR REPLACE INTO revocations (id, checksum, document) VALUES (1, ?, ?)")

    addRecord = try database.prepare(
      "INSERT INTO log (id, table_id, number, previous, revision, checksum, entries) VALUES (?, ?, ?, ?, ?, ?, ?)")
    setHead = try database.prepare(
      "INSERT OR REPLACE INTO heads (table_id, log_id, number, floor, checksum) VALUES (?, ?, ?, ?, ?)")
    setLogState = try database.prepare("UPDATE log_state SET indexed = ?, tables = ?, rows = ?, dead = ?, checksum = ?")

    unfinishedParts = try database.prepare(
      "SELECT record, count(*) FROM parts WHERE table_id = ? AND record > ? GROUP BY record ORDER BY record DESC")
    dropUnfinished = try database.prepare(
      "DELETE FROM parts WHERE table_id = ?1 AND record NOT IN (SELECT record FROM snapshots WHERE table_id = ?1)")
    addPart = try database.prepare(
      "INSERT INTO parts (table_id, record, number, checksum, bytes) VALUES (?, ?, ?, ?, ?)")
    addSnapshot = try database.prepare("INSERT INTO snapshots (table_id, record, revision, parts) VALUES (?, ?, ?, ?)")

    lastSnapshot = try database.prepare("SELECT max(record) FROM snapshots WHERE table_id = ? AND revision <= ?")
    olderSnapshot = try database.prepare(
      "SELECT record FROM snapshots WHERE table_id = ? ORDER BY record DESC LIMIT 1 OFFSET ?")
    dropSnapshots = try database.prepare("DELETE FROM snapshots WHERE table_id = ? AND record < ?")
    dropParts = try database.prepare("DELETE FROM parts WHERE table_id = ? AND record < ?")
    sweepEnd = try database.prepare(
      "SELECT id FROM log WHERE id > ? AND id <= ? ORDER BY id LIMIT 1 OFFSET ?")
    sweep = try database.prepare(
      """
      DELETE FROM log WHERE id > ? AND id <= ?
        AND number <= (SELECT floor FROM heads WHERE heads.table_id = log.table_id) RETURNING id
      """)
  }
}
