import BaizeClient
import BaizeJournal
import BaizeTable
import TestSupport
import Testing

@testable import BaizeSync

/// What stands in a journal may be anything: it is read, or it is an error, and never the end of the process.
@Suite(.aside) struct HostileBytesTests {
  /// A table as real machines have written it, with diffs, refusals, sessions and several parts of a snapshot.
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
    let table = try RestoredTable(sample, types: TableTypeDocuments.shared)
    #expect(table.state.itemCount == 52 && sample.snapshot.count > 2 && sample.records.count > 1)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `bytes from nowhere`(seed: UInt64) throws {
    let sample = try Self.sample.get()
    var random = RandomSource(seed: seed)
    for _ in 0..<50 {
      let bytes = (0..<random.next(below: 200)).map { _ in UInt8(truncatingIfNeeded: random.next(below: 256)) }
      _ = try? JournalEntry.entries(of: bytes[...])
      var broken = sample
      broken.records[0].bytes = bytes[...]
      _ = try? RestoredTable(broken, types: TableTypeDocuments.shared)
      broken.snapshot[0].bytes = bytes[...]
      _ = try? RestoredTable(broken, types: TableTypeDocuments.shared)
    }
  }

  /// A byte here and there is another, is gone, or is there twice; numbers are any numbers.
  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `a real table with a few mistakes`(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    for _ in 0..<20 {
      var broken = try Self.sample.get()
      for _ in 0...random.next(below: 3) {
        if random.next(below: 2) == 0 {
          let place = Int(random.next(below: UInt64(broken.records.count)))
          broken.records[place].bytes = Self.spoiled(broken.records[place].bytes, &random)
        } else {
          let place = Int(random.next(below: UInt64(broken.snapshot.count)))
          broken.snapshot[place].bytes = Self.spoiled(broken.snapshot[place].bytes, &random)
        }
      }
      if random.next(below: 8) == 0 { Self.renumber(&broken, &random) }
      do throws(JournalError) {
        var table = try RestoredTable(broken, types: TableTypeDocuments.shared)
        _ = table.viewHash()
      } catch {
        #expect(error.kind == .corrupt, "seed \(seed): \(error)")
        continue
      }
      // It makes sense so far: the machine goes on from it.
      var shard = JournalledShard(FixedJournal(broken), seed: seed)
      try shard.join("t", type: "klondike", name: "Cy")
      try shard.play(turns: 3)
    }
  }

  /// The largest numbers there are, where others count on from them: an epoch, and the id of a session.
  @Test(arguments: [
    [0x40] + largest, [0x2A, 0x0B, 0x08] + largest, [0x30] + largest, [0x38] + largest + [0x22, 0x00],
    [0x22, 0x0B, 0x08] + largest + [0x38, 0x01],
  ])
  func `numbers that have no next`(entry: [UInt8]) throws {
    var stored = try Self.sample.get()
    let table = try RestoredTable(stored, types: TableTypeDocuments.shared)
    let bytes = [UInt8(entry.count)] + entry
    stored.records.append(
      JournalRecord(table: "t", number: table.record + 1, revision: table.state.revision, bytes: bytes[...]))
    #expect(try JournalEntry.entries(of: bytes[...]).count == 1)
    guard (try? RestoredTable(stored, types: TableTypeDocuments.shared)) != nil else { return }
    var shard = JournalledShard(FixedJournal(stored), seed: 1)
    try shard.join("t", type: "klondike", name: "Cy")
    try shard.play(turns: 3)
  }

  /// What is kept is what was read, also where a number is one that no daemon writes. Whom a change is for is never lost:
  /// it is that seat, or the record is damaged.
  @Test(
    arguments: [
      ([0x30, 0x00], true), ([0x40, 0x00], true), ([0x4A, 0x00], true), ([0x22, 0x00], true),
      // A diff with one change, for a seat of its own: 0, written as 1; the last; the one that has no number; one beyond.
      ([0x1A, 0x06, 0x22, 0x04, 0x4A, 0x00, 0x70, 0x01], true),
      ([0x1A, 0x0A, 0x22, 0x08, 0x4A, 0x00, 0x70, 0x80, 0x80, 0x80, 0x80, 0x10], true),
      ([0x1A, 0x06, 0x22, 0x04, 0x4A, 0x00, 0x70, 0x00], false),
      ([0x1A, 0x0A, 0x22, 0x08, 0x4A, 0x00, 0x78, 0x81, 0x80, 0x80, 0x80, 0x10], false),
    ] as [([UInt8], Bool)])
  func `an entry comes back as it was read`(entry: [UInt8], isSound: Bool) throws {
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
    let place = Int(random.next(below: UInt64(bytes.count)))
    switch random.next(below: 4) {
    case 0: bytes.remove(at: place)
    case 1: bytes.insert(bytes[place], at: place)
    case 2: bytes.removeSubrange(place...)
    default: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF, UInt8(random.next(below: 256))][Int(random.next(below: 6))]
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

/// Always gives the same table, and takes anything.
private final class FixedJournal: Journal {
  private let stored: StoredTable

  init(_ stored: StoredTable) { self.stored = stored }

  func append(_ writes: [JournalWrite]) {}
  func commit() {}
  func discard() {}
  func probe() {}
  func table(named name: String) -> StoredTable? { stored }
}
