import BaizeSync
import BaizeTable

/// The reference implementation of a journal's contents.
enum Reference {
  /// Returns a table after `writes`, computed from the beginning.
  static func table(_ name: String, after writes: [JournalWrite]) -> StoredTable? {
    var table: StoredTable?
    var parts: [JournalSnapshotPart] = []
    for write in writes {
      switch write {
      case .table(let definition) where definition.name == name:
        table = StoredTable(definition: definition, snapshot: [], records: [])
      case .record(let record) where record.table == name: table?.records.append(record)
      case .snapshot(let part) where part.table == name:
        parts = part.number == 0 ? [part] : parts + [part]
        if part.isLast {
          table?.snapshot = parts
          table?.records.removeAll { $0.number <= part.record }
        }
      case .deletion(name): table = nil
      default: break
      }
    }
    return table
  }
}

/// Generates turns like those of a shard machine from a seed.
struct Script {
  var random: RandomSource
  private(set) var committed: [JournalWrite] = []
  private(set) var appended: [JournalWrite] = []
  /// By table: the last record and revision, and the next part of a snapshot.
  private var tables: [String: Progress] = [:]
  private var committedTables: [String: Progress] = [:]

  private struct Progress {
    var record: UInt64 = 0
    var revision: UInt64 = 0
    var snapshot: (record: UInt64, revision: UInt64, part: Int)?
  }

  init(seed: UInt64) { random = RandomSource(seed: seed) }

  var names: [String] { ["a", "b", "c", "d"] }

  @discardableResult mutating func turn() -> [JournalWrite] {
    var writes: [JournalWrite] = []
    for name in names where random.next(below: 2) == 0 { writes += turn(of: name) }
    appended += writes
    return writes
  }

  private mutating func turn(of name: String) -> [JournalWrite] {
    guard var table = tables[name] else {
      tables[name] = Progress()
      return Writes.table(name, document: "{\"name\": \"\(name == "d" ? "other" : "same")\"}")
    }
    table.record += 1
    table.revision += UInt64(random.next(below: 3))
    let bytes = random.next(below: 12) == 0 ? 9000 : Int(random.next(below: 600))
    var writes = [Writes.record(name, table.record, revision: table.revision, bytes: bytes)]
    if table.snapshot == nil || random.next(below: 10) == 0, random.next(below: 4) == 0 {
      table.snapshot = (table.record, table.revision, 0)
    }
    if let snapshot = table.snapshot {
      let isLast = random.next(below: 3) == 0
      writes.append(
        Writes.snapshot(
          name, record: snapshot.record, revision: snapshot.revision, part: snapshot.part, isLast: isLast))
      table.snapshot = isLast ? nil : (snapshot.record, snapshot.revision, snapshot.part + 1)
    }
    tables[name] = table
    return writes
  }

  mutating func commit() {
    committed += appended
    appended = []
    committedTables = tables
  }

  /// Also simulates a crash: the machine continues from the durable state and abandons unfinished snapshots.
  mutating func discard() {
    appended = []
    tables = committedTables
    for name in tables.keys { tables[name]?.snapshot = nil }
  }
}
