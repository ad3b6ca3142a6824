import BaizeLaboratory
import BaizeSync
import BaizeTable
import TestSupport
import Testing

@testable import BaizeJournal

/// `--keep`: the amount of history that is kept.
@Suite(.dedicatedThreads) struct TrimmingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes records 1 … `last` with one revision each, and a snapshot after every `interval` records.
  private func fill(_ journal: SQLiteJournal, _ names: [String], last: UInt64, interval: UInt64) throws {
    for number in 1...last {
      var writes: [JournalWrite] = []
      for name in names {
        writes.append(Writes.record(name, number))
        if number % interval == 0 { writes.append(Writes.snapshot(name, record: number, revision: number)) }
      }
      try journal.commit(writes)
    }
  }

  private func steps(_ folder: TemporaryFolder, _ name: String) throws -> [String] {
    let history = try #require(try JournalReader(path: folder.path("journal")).history(ofTable: name))
    var steps: [String] = []
    while let step = try history.next() {
      switch step {
      case .snapshot(let parts): steps.append("s\(parts[0].record)")
      case .record(let record): steps.append("r\(record.number)")
      }
    }
    return steps
  }

  @Test(
    arguments: [
      (nil, 0), (0, 30), (1, 20), (10, 20), (11, 10), (20, 10), (29, 0), (1000, 0),
    ] as [(UInt64?, UInt64)])
  func `history begins at the last snapshot that is old enough`(keep: UInt64?, first: UInt64) throws {
    do {
      let journal = try SQLiteJournal(path: folder.path("journal"), keepRevisions: keep)
      try journal.commit(Writes.table("a"))
      try fill(journal, ["a"], last: 34, interval: 10)
    }
    var expected = ["s\(first)"]
    for number in first + 1...34 {
      expected.append("r\(number)")
      if number % 10 == 0 { expected.append("s\(number)") }
    }
    #expect(try steps(folder, "a") == expected)
    let summary = try #require(try JournalReader(path: folder.path("journal")).tables().first)
    #expect(summary.oldestRevision.rawValue == first)
    #expect(summary.revision.rawValue == 34)
    #expect(summary.records == Int(34 - first))
    #expect(summary.snapshots == Int(34 / 10 - first / 10 + 1))
  }

  @Test func `space of deleted history is reused`() throws {
    let names = (0..<8).map { "table-\($0)" }
    let journal = try SQLiteJournal(path: folder.path("journal"), keepRevisions: 50)
    try journal.commit(names.flatMap { Writes.table($0) })
    // This table is not written again, so its record stays in the middle of the swept rows.
    try journal.commit(Writes.table("quiet") + [Writes.record("quiet", 1)])
    try fill(journal, names, last: 2000, interval: 25)
    let rows = try #require(try journal.database.integer("SELECT count(*) FROM log"))
    #expect(rows == journal.log.rows)
    // Some 75 records of each table are kept. A third of the rows, and as many as the sweep lags behind, may be dead.
    #expect(rows < 4000)
    let pages = try #require(try journal.database.integer("PRAGMA page_count"))
    #expect(pages < 50, "the 16,000 records that were written take some 80 pages")
    #expect(try journal.table(named: "quiet")?.summary == "s0.0 r1")
    for name in names { #expect(try journal.table(named: name)?.summary == "s2000.0") }
  }

  /// The history of a table is bounded in bytes, whatever number of revisions is to be kept, and the file with it.
  @Test func `a table's history is trimmed by its size, and the space is reused`() throws {
    var limits = SyncLimits.Journal()
    limits.bytesPerTableMax = 1 << 20
    let journal = try SQLiteJournal(path: folder.path("journal"), keepRevisions: 1_000_000, limits: limits)
    try journal.commit(Writes.table("large") + Writes.table("small"))
    for number in 1...1_000 as ClosedRange<UInt64> {
      var writes = [Writes.record("large", number, bytes: 32 << 10), Writes.record("small", number)]
      if number % 8 == 0 {
        writes += [
          Writes.snapshot("large", record: number, revision: number, bytes: 128 << 10),
          Writes.snapshot("small", record: number, revision: number),
        ]
      }
      try journal.commit(writes)
    }
    #expect(try journal.table(named: "large")?.summary == "s1000.0")
    let first = try #require(try journal.database.integer("SELECT min(record) FROM snapshots WHERE table_id = 1"))
    #expect(first > 960 && first <= 984, "\(first)")
    #expect(try journal.database.integer("SELECT min(record) FROM snapshots WHERE table_id = 2") == 0)
    // 47 MiB were written. What is kept, the records that wait for a sweep, and SQLite's own.
    let bytes = try journal.database.usedBytes()
    #expect(bytes < 32 << 20, "\(bytes)")
  }

  @Test func `a file of the largest size takes no more, and goes on with a larger limit`() throws {
    var limits = SyncLimits.Journal()
    limits.bytesMax = 4 << 20
    var number: UInt64 = 0
    do {
      let journal = try SQLiteJournal(path: folder.path("journal"), limits: limits)
      try journal.commit(Writes.table("a"))
      let error = #expect(throws: JournalError.self) {
        while number < 1_000 {
          try journal.commit([Writes.record("a", number + 1, bytes: 64 << 10)])
          try journal.verify()
          number += 1
        }
      }
      #expect(error?.kind == .storage && error?.description.contains("--journal-bytes-max") == true)
      #expect((40...80).contains(number), "\(number)")
      #expect(throws: JournalError.self) { try journal.probe() }
      #expect(try journal.table(named: "a")?.records.count == Int(number))
    }
    limits.bytesMax = 8 << 20
    let journal = try SQLiteJournal(path: folder.path("journal"), limits: limits)
    try journal.commit([Writes.record("a", number + 1)])
    // More than any file system says that it has free.
    limits.reserveBytes = .max
    let other = try SQLiteJournal(path: folder.path("other"), limits: limits)
    let error = #expect(throws: JournalError.self) { try other.commit(Writes.table("a")) }
    #expect(error?.kind == .storage && error?.description.contains("--journal-reserve") == true)
  }

  @Test func `a table continues after all its records were deleted and the file was reopened`() throws {
    for round in 0..<4 as Range<UInt64> {
      let journal = try SQLiteJournal(path: folder.path("journal"), keepRevisions: 0)
      if round == 0 { try journal.commit(Writes.table("a")) }
      for number in stride(from: round * 3000 + 100, through: (round + 1) * 3000, by: 100) {
        let records = (number - 99...number).map { Writes.record("a", $0) }
        try journal.commit(records + [Writes.snapshot("a", record: number, revision: number)])
      }
      #expect(try journal.table(named: "a")?.summary == "s\((round + 1) * 3000).0")
      #expect(journal.log.rows < 3500)
    }
  }

  @Test func `parts of an abandoned snapshot are deleted with the next one`() throws {
    do {
      let journal = try SQLiteJournal(path: folder.path("journal"))
      try journal.commit(
        Writes.table("a")
          + [Writes.record("a", 1), Writes.snapshot("a", record: 1, revision: 1, part: 0, isLast: false)])
    }
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit([Writes.record("a", 2), Writes.snapshot("a", record: 2, revision: 2)])
    #expect(try journal.database.integer("SELECT count(*) FROM parts") == 2)
  }

  @Test func `a document is stored once`() throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit((0..<1000).flatMap { Writes.table("table-\($0)") } + Writes.table("other", document: "{}"))
    #expect(try journal.database.integer("SELECT count(*) FROM documents") == 2)
    #expect(try journal.table(named: "table-999")?.definition.document == #"{"name": "test"}"#)
  }

  /// The number of cached tables is bounded, and tables removed from the cache are read back correctly.
  @Test func `the cache of tables is bounded`() throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    let count = SQLiteJournal.cachedTablesMax + 500
    try journal.commit((0..<count).flatMap { Writes.table("table-\($0)") })
    try journal.commit(stride(from: 0, to: count, by: 3).map { Writes.record("table-\($0)", 1) })
    #expect(journal.cached.count <= SQLiteJournal.cachedTablesMax)
    for number in stride(from: 0, to: count, by: 1111) {
      #expect(try journal.table(named: "table-\(number)")?.summary == (number % 3 == 0 ? "s0.0 r1" : "s0.0"))
    }
  }
}
