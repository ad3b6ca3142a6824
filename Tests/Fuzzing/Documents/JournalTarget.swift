import BaizeSimulator
import BaizeTable
import BaizeWire
import BaizeWorkload

@testable import BaizeSync

/// The content of a journal is refused as corrupt, or a daemon can load it.
///
/// The input is a sequence of chunks, each behind its length: first the name of a table type; then parts of a snapshot,
/// which begin with a 0, and records, which begin with a 1. Where a chunk begins with a 2, it is a part of a snapshot
/// whose hash is made right, so that what comes behind that check is reached as well.
enum JournalTarget {
  static func run(_ input: [UInt8]) -> Bool {
    guard let file = JournalInput(input) else { return false }
    for record in file.records { checkRecord(record) }
    guard let stored = file.stored else { return false }
    let table: RestoredTable
    do throws(JournalError) {
      table = try RestoredTable(stored, types: SimulatedTypes())
    } catch {
      hold(error.kind == .corrupt, "\(error)")
      return false
    }
    let broken = table.state.brokenInvariant()
    hold(broken == nil, "a restored table: \(broken ?? "")")
    operate(from: stored)
    return true
  }

  /// Entries are the same after encoding and decoding.
  private static func checkRecord(_ bytes: [UInt8]) {
    guard let entries = try? JournalEntry.entries(of: bytes[...]) else { return }
    var canonical = RecordLog(at: .zero)
    for entry in entries { entry.append(to: &canonical) }
    let again = try? JournalEntry.entries(of: canonical.open)
    hold(again == entries, "\(entries) come back as \(String(describing: again))")
  }

  /// Has a daemon load the table, and a client join and play.
  private static func operate(from stored: StoredTable) {
    let host = ShardHost(ShardHostOptions { $0.limits.tables.snapshotAfterBytes = 100 }, MemoryJournal())
    host.journal.keep(stored)
    let now = Instant(nanoseconds: 1_000_000_000)
    let id = host.connect(slot: 0, at: now)
    host.receive(.hello(Hello(table: stored.definition.name, name: "someone")), on: id, at: now)
    for turn in 0..<8 {
      if let state = host.shard.state(ofTable: stored.definition.name) {
        var script = InputScript([UInt8(turn * 5), 1, 2, 3, 4, 5, 6, 7, 8])
        let knowledge = HostileKnowledge(state, after: .zero)
        let operation = TableOperation(
          sequence: SequenceNumber(rawValue: UInt64(turn)), base: state.revision,
          epoch: Epoch(rawValue: 1), kind: Generator(.fuzz).kind(by: knowledge, &script))
        host.receive(.operation(operation), on: id, at: now)
      }
      do { try host.runTurn(at: now) } catch { hold(false, "what could be read cannot be read: \(error)") }
    }
    guard let state = host.shard.state(ofTable: stored.definition.name) else { return }
    let broken = state.brokenInvariant()
    hold(broken == nil, "a table continued from a journal: \(broken ?? "")")
  }
}

/// A stored table, as an input spells it.
private struct JournalInput {
  private(set) var records: [[UInt8]] = []
  private(set) var stored: StoredTable?

  init?(_ input: [UInt8]) {
    var chunks = Chunks.split(input)
    guard !chunks.isEmpty,
      let type = try? SimulatedTypes().tableType(named: String(decoding: chunks.removeFirst(), as: UTF8.self))
    else { return nil }
    let parts = chunks.filter { $0.first == 0 || $0.first == 2 }.map { Array($0.dropFirst()) }
    records = chunks.filter { $0.first == 1 }.map { Array($0.dropFirst()) }
    guard !parts.isEmpty else { return }
    let isMadeRight = chunks.contains { $0.first == 2 }
    stored = Self.table(of: type, isMadeRight ? Self.madeRight(parts, type) : parts, records)
  }

  private static func table(of type: TableType, _ parts: [[UInt8]], _ records: [[UInt8]]) -> StoredTable {
    let definition = TableDefinition(name: "t", typeText: type.name, document: type.document, options: type.options)
    let snapshot = parts.enumerated().map { number, bytes in
      JournalSnapshotPart(
        table: "t", record: 0, revision: .zero, number: number, isLast: number == parts.count - 1, bytes: bytes[...])
    }
    var revision = revision(ofSnapshot: parts[0])
    let rows = records.enumerated().map { number, bytes in
      revision = Self.revision(ofRecord: bytes) ?? revision
      return JournalRecord(table: "t", number: UInt64(number) + 1, revision: revision, bytes: bytes[...])
    }
    return StoredTable(definition: definition, snapshot: snapshot, records: rows)
  }

  private static func revision(ofSnapshot part: [UInt8]) -> Revision {
    (try? StoredSnapshotPart(decoding: part[...]))?.state.revision ?? .zero
  }

  /// The revision that a record leads to, by its own diffs.
  private static func revision(ofRecord bytes: [UInt8]) -> Revision? {
    let entries = (try? JournalEntry.entries(of: bytes[...])) ?? []
    return entries.compactMap { entry in
      if case .diff(let diff) = entry { diff.revision } else { nil }
    }.last
  }

  /// The parts with the hash that their state has, if they give one.
  private static func madeRight(_ parts: [[UInt8]], _ type: TableType) -> [[UInt8]] {
    guard var first = try? StoredSnapshotPart(decoding: parts[0][...]) else { return parts }
    var loader = StateLoader(type: type, for: .authority)
    for bytes in parts {
      guard let part = try? StoredSnapshotPart(decoding: bytes[...]) else { return parts }
      guard (try? loader.add(part.state)) != nil else { return parts }
    }
    let head = first.state
    var state = loader.finish(
      revision: head.revision, status: head.status, variables: head.variables, seats: head.seats)
    first.viewHash = state.viewHash()
    return [first.encoded] + parts.dropFirst()
  }
}

extension MemoryJournal {
  /// Stores a whole table.
  func keep(_ stored: StoredTable) {
    let rows = stored.snapshot.map { JournalWrite.snapshot($0) } + stored.records.map { .record($0) }
    do { try commit([.table(stored.definition)] + rows) } catch { hold(false, "\(error)") }
  }
}
