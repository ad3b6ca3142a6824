import BaizeClient
import BaizeJournal
import BaizeTable
import BaizeTableTypes
import TestSupport
import Testing

@testable import BaizeSync

/// A journal may contain any bytes: reading them succeeds or throws, and never ends the process.
@Suite(.dedicatedThreads) struct HostileBytesTests {
  /// A table written by a real shard, with diffs, refusals, sessions and a snapshot of several parts.
  private static let sample = Result {
    let journal = MemoryJournal()
    var shard = JournalledShard(journal, seed: 5, snapshotAfterBytes: 20_000)
    try shard.join("t", type: "klondike", name: "Ada")
    try shard.join("t", type: "klondike", name: "Bo")
    try shard.play(turns: 150)
    return try #require(journal.table(named: "t"))
  }

  @Test func `the sample itself is restored`() throws {
    let sample = try Self.sample.get()
    let table = try RestoredTable(sample, types: TableTypeCompiler.shared)
    #expect(table.state.itemCount == 52 && sample.snapshot.count > 2 && sample.records.count > 1)
  }

  /// Some bytes are changed, removed or repeated, and numbers replaced by random ones.
  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `a damaged table does not crash`(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    for _ in 0..<20 {
      var broken = try Self.sample.get()
      for _ in 0...random.next(below: 3) {
        if random.next(below: 2) == 0 {
          let index = Int(random.next(below: UInt64(broken.records.count)))
          broken.records[index].bytes = Self.spoiled(broken.records[index].bytes, &random)
        } else {
          let index = Int(random.next(below: UInt64(broken.snapshot.count)))
          broken.snapshot[index].bytes = Self.spoiled(broken.snapshot[index].bytes, &random)
        }
      }
      if random.next(below: 8) == 0 { Self.renumber(&broken, &random) }
      do throws(JournalError) {
        var table = try RestoredTable(broken, types: TableTypeCompiler.shared)
        _ = table.viewHash()
      } catch {
        #expect(error.kind == .corrupt, "seed \(seed): \(error)")
        continue
      }
      // The state is consistent so far: the machine continues with it.
      var shard = JournalledShard(FixedJournal(broken), seed: seed)
      try shard.join("t", type: "klondike", name: "Cy")
      try shard.play(turns: 3)
    }
  }

  /// The largest possible numbers where the machine counts on from them: an epoch and the id of a session.
  @Test(arguments: [
    [0x40] + largest, [0x2A, 0x0B, 0x08] + largest, [0x30] + largest, [0x38] + largest + [0x22, 0x00],
    [0x22, 0x0B, 0x08] + largest + [0x38, 0x01],
  ])
  func `numbers without a successor do not crash`(entry: [UInt8]) throws {
    var stored = try Self.sample.get()
    let table = try RestoredTable(stored, types: TableTypeCompiler.shared)
    let bytes = [UInt8(entry.count)] + entry
    stored.records.append(
      JournalRecord(table: "t", number: table.record + 1, revision: table.state.revision, bytes: bytes[...]))
    do throws(JournalError) {
      let entries = try JournalEntry.entries(of: bytes[...])
      #expect(entries.count == 1)
    } catch {
      // The number of an operation is out of range when it is read.
      #expect(error.kind == .corrupt && entry.first == 0x22)
    }
    guard (try? RestoredTable(stored, types: TableTypeCompiler.shared)) != nil else { return }
    var shard = JournalledShard(FixedJournal(stored), seed: 1)
    try shard.join("t", type: "klondike", name: "Cy")
    try shard.play(turns: 3)
  }

  /// An entry is written as it was read, also with numbers that no daemon writes. The seat that a change is for is never
  /// lost: it is that seat, or the record counts as damaged.
  @Test(
    arguments: [
      ([0x30, 0x00], true), ([0x40, 0x00], true), ([0x4A, 0x00], true), ([0x22, 0x00], true),
      // A diff with one change for a single seat: 0, written as 1; the last seat; no seat number; one beyond the last.
      ([0x1A, 0x06, 0x22, 0x04, 0x4A, 0x00, 0x70, 0x01], true),
      ([0x1A, 0x0A, 0x22, 0x08, 0x4A, 0x00, 0x70, 0x80, 0x80, 0x80, 0x80, 0x10], true),
      ([0x1A, 0x06, 0x22, 0x04, 0x4A, 0x00, 0x70, 0x00], false),
      ([0x1A, 0x0A, 0x22, 0x08, 0x4A, 0x00, 0x78, 0x81, 0x80, 0x80, 0x80, 0x10], false),
    ] as [([UInt8], Bool)])
  func `an entry is written as it was read`(entry: [UInt8], isSound: Bool) throws {
    let bytes = [UInt8(entry.count)] + entry
    let entries = try? JournalEntry.entries(of: bytes[...])
    #expect(entries?.count == (isSound ? 1 : nil))
    var again = RecordLog(at: .zero)
    for entry in entries ?? [] { entry.append(to: &again) }
    #expect(try !isSound || JournalEntry.entries(of: again.open) == entries)
  }

  private static let largest: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]

  private static func spoiled(_ bytes: ArraySlice<UInt8>, _ random: inout RandomSource) -> ArraySlice<UInt8> {
    var bytes = Array(bytes)
    guard !bytes.isEmpty else { return [] }
    let index = Int(random.next(below: UInt64(bytes.count)))
    switch random.next(below: 4) {
    case 0: bytes.remove(at: index)
    case 1: bytes.insert(bytes[index], at: index)
    case 2: bytes.removeSubrange(index...)
    default: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF, UInt8(random.next(below: 256))][Int(random.next(below: 6))]
    }
    return bytes[...]
  }

  private static func renumber(_ table: inout StoredTable, _ random: inout RandomSource) {
    let number = [0, 1, UInt64.max, UInt64.max - 1, 1 << 63][Int(random.next(below: 5))]
    switch random.next(below: 4) {
    case 0: table.records[0].number = number
    case 1: table.records[0].revision = Revision(rawValue: number)
    case 2: for part in table.snapshot.indices { table.snapshot[part].record = number }
    default: for part in table.snapshot.indices { table.snapshot[part].revision = Revision(rawValue: number) }
    }
  }
}

/// A journal that always returns the same table and ignores writes.
private final class FixedJournal: JournalStore {
  private let stored: StoredTable

  init(_ stored: StoredTable) { self.stored = stored }

  func commit(_ writes: [JournalWrite]) {}
  func probe() {}
  func tableCount() -> Int { 1 }
  func search() -> TableSearch { { _ in true } }
  func table(named name: String) -> StoredTable? { stored }
}
