import Synchronization

/// A journal in memory, for tests, the simulator and `--journal :memory:`.
public final class MemoryJournal: JournalStore {
  /// The committed data, by table.
  private var tables: [String: Stored] = [:]
  private var revoked: [UInt8]?
  private let names = Names()
  /// The error that every commit and probe throws while it is set, as with a full disk.
  public var failure: JournalError?

  private struct Stored {
    var definition: TableDefinition
    var snapshot: [JournalSnapshotPart] = []
    /// The parts of an incomplete snapshot.
    var parts: [JournalSnapshotPart] = []
    var records: [JournalRecord] = []
  }

  /// The names of the tables that exist, for searches on other threads.
  private final class Names: Sendable {
    let all = Mutex<Set<String>>([])
  }

  public init() {}

  public func commit(_ writes: [JournalWrite]) throws(JournalError) {
    if let failure { throw failure }
    for write in writes { keep(write) }
  }

  public func probe() throws(JournalError) {
    if let failure { throw failure }
  }

  public func tableCount() -> Int { names.all.withLock { $0.count } }

  public func revocations() -> [UInt8]? { revoked }

  public func search() -> TableSearch { { [names] name in names.all.withLock { $0.contains(name) } } }

  public func table(named name: String) -> StoredTable? {
    guard let stored = tables[name], !stored.snapshot.isEmpty else { return nil }
    return StoredTable(definition: stored.definition, snapshot: stored.snapshot, records: stored.records)
  }

  private func keep(_ write: JournalWrite) {
    switch write {
    case .table(let definition): tables[definition.name] = Stored(definition: definition)
    case .record(let record): tables[record.table]?.records.append(record)
    case .snapshot(let part): keep(part)
    case .deletion(let table):
      tables[table] = nil
      names.all.withLock { _ = $0.remove(table) }
    case .revocations(let document): revoked = Array(document)
    }
  }

  private func keep(_ part: JournalSnapshotPart) {
    guard var stored = tables.removeValue(forKey: part.table) else { return }
    if part.number == 0 { stored.parts.removeAll() }
    stored.parts.append(part)
    if part.isLast {
      if stored.snapshot.isEmpty { names.all.withLock { _ = $0.insert(part.table) } }
      stored.snapshot = stored.parts
      stored.parts.removeAll()
      stored.records.removeAll { $0.number <= part.record }
    }
    tables[part.table] = stored
  }
}
