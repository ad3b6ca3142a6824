import BaizeLaboratory
import BaizeSync
import BaizeTable
import TestSupport
import Testing

@testable import BaizeJournal

/// Damaged files: a read returns what was written, or a clear error.
@Suite(.dedicatedThreads) struct DamageTests {
  /// Two tables with some history in the file of a journal that was closed, or as a killed process left it, with most of
  /// it in the write-ahead log.
  private struct Sample {
    /// The expected contents after each commit.
    let states: [[String: StoredTable]]
    let file: [UInt8]
    let log: [UInt8]
    static let names = ["a", "b", "c", "d"]

    init(seed: UInt64, endsWell: Bool) throws {
      let folder = try TemporaryFolder()
      var script = Script(seed: seed)
      var journal: SQLiteJournal? = try SQLiteJournal(path: folder.path("journal"))
      var states: [[String: StoredTable]] = [[:]]
      for _ in 0..<60 {
        try journal?.commit(script.turn())
        script.commit()
        var state: [String: StoredTable] = [:]
        for name in Self.names { state[name] = Reference.table(name, after: script.committed) }
        states.append(state)
      }
      self.states = states
      if endsWell { journal = nil }
      file = try folder.bytes("journal")
      log = endsWell ? [] : try folder.bytes("journal-wal")
      journal = nil
    }

    func write(_ folder: TemporaryFolder) throws {
      try folder.write(file, to: "journal")
      try folder.write(log, to: "journal-wal")
    }
  }

  @Test(arguments: 1...150 as ClosedRange<UInt64>)
  func `a few changed bytes are detected`(seed: UInt64) throws {
    let sample = try Self.ended
    var file = sample.file
    var random = RandomSource(seed: seed)
    let index = Int(random.next(below: UInt64(file.count)))
    for offset in 0..<(1 + Int(random.next(below: 16))) where index + offset < file.count {
      file[index + offset] = UInt8(truncatingIfNeeded: random.next(below: 256))
    }
    try check(file, sample, "seed \(seed)")
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `a swapped page is detected`(seed: UInt64) throws {
    let sample = try Self.ended
    var file = sample.file
    var random = RandomSource(seed: seed)
    let pageBytes = 16 << 10
    let pages = UInt64(file.count / pageBytes)
    let from = Int(random.next(below: pages)) * pageBytes
    let to = Int(random.next(below: pages)) * pageBytes
    file.replaceSubrange(to..<to + pageBytes, with: sample.file[from..<from + pageBytes])
    try check(file, sample, "seed \(seed)")
  }

  /// The index of tables by name is valid but empty: the tables must not be created again.
  @Test func `a damaged table index is detected, and no table is created again`() throws {
    let folder = try TemporaryFolder()
    let sample = try Self.ended
    try sample.write(folder)
    let root = try Database(folder.path("journal"), .immutable).integer(
      "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'tables'")
    let start = (Int(try #require(root)) - 1) << 14
    var file = sample.file
    // An SQLite index page without entries: its cells begin at its end.
    file.replaceSubrange(start..<start + 8, with: [0x0A, 0, 0, 0, 0, 0x40, 0, 0])
    try folder.write(file, to: "journal")
    let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: folder.path("journal")) }
    #expect(error?.kind == .corrupt)
    #expect(error?.description.hasPrefix("the journal '\(folder.path("journal"))' is damaged: ") == true)
  }

  @Test func `a truncated file is detected`() throws {
    let sample = try Self.ended
    for length in stride(from: 1, to: sample.file.count, by: 9_777) {
      try check(Array(sample.file[..<length]), sample, "\(length) bytes")
    }
  }

  /// The write-ahead log ends anywhere, as after a power failure: all tables are in the state after the same commit (I7).
  @Test func `a truncated write-ahead log gives the state after some commit`() throws {
    let sample = try Sample(seed: 2, endsWell: false)
    var last = -1
    for length in Array(stride(from: 0, to: sample.log.count, by: 30_011)) + [sample.log.count] {
      let folder = try TemporaryFolder()
      try folder.write(sample.file, to: "journal")
      try folder.write(Array(sample.log[..<length]), to: "journal-wal")
      let tables = try Self.read(folder.path("journal"))
      let turn = try #require(sample.states.lastIndex(of: tables), "\(length) bytes")
      #expect(turn >= last)
      last = turn
    }
    #expect(last == sample.states.count - 1)
  }

  @Test(arguments: 1...100 as ClosedRange<UInt64>)
  func `changed bytes in the write-ahead log are detected`(seed: UInt64) throws {
    let sample = try Self.killed
    let folder = try TemporaryFolder()
    var log = sample.log
    var random = RandomSource(seed: seed)
    log[Int(random.next(below: UInt64(log.count)))] ^= UInt8(1 + random.next(below: 255))
    try folder.write(sample.file, to: "journal")
    try folder.write(log, to: "journal-wal")
    let tables = try Self.read(folder.path("journal"))
    #expect(sample.states.contains(tables), "seed \(seed)")
  }

  // MARK: Parts

  private static let samples = Result { (try Sample(seed: 1, endsWell: true), try Sample(seed: 1, endsWell: false)) }
  private static var ended: Sample { get throws { try samples.get().0 } }
  private static var killed: Sample { get throws { try samples.get().1 } }

  /// Checks that every way of reading returns what was written or reports the damage.
  private func check(_ file: [UInt8], _ sample: Sample, _ what: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(file, to: "journal")
    do throws(JournalError) {
      let reader = try JournalReader(path: folder.path("journal"))
      for summary in try reader.tables() {
        guard let history = try reader.history(ofTable: summary.name) else { continue }
        while try history.next() != nil {}
      }
    } catch {
      #expect(error.kind != .storage, "\(what): \(error)")
    }
    do throws(JournalError) {
      let journal = try SQLiteJournal(path: folder.path("journal"))
      for name in Sample.names {
        do throws(JournalError) {
          let stored = try journal.table(named: name)
          let isRight = Self.isSame(stored, sample.states.last?[name])
          #expect(isRight, "\(what): table \(name) is \(stored?.summary ?? "missing")")
        } catch {
          #expect(error.kind == .corrupt, "\(what): \(error)")
        }
      }
    } catch {
      #expect(error.kind != .storage, "\(what): \(error)")
    }
  }

  /// Whether both give the same table; the first may begin at an earlier snapshot.
  private static func isSame(_ stored: StoredTable?, _ expected: StoredTable?) -> Bool {
    guard let stored, let expected, let start = stored.snapshot.last?.record, let last = expected.snapshot.last?.record
    else { return stored == expected }
    return stored.definition == expected.definition
      && (start < last ? stored.records.suffix(expected.records.count) == expected.records[...] : stored == expected)
      && stored.records.map(\.number) == Array(start + 1..<start + 1 + UInt64(stored.records.count))
  }

  private static func read(_ path: String) throws -> [String: StoredTable] {
    let journal = try SQLiteJournal(path: path)
    var tables: [String: StoredTable] = [:]
    for name in Sample.names { tables[name] = try journal.table(named: name) }
    return tables
  }
}
