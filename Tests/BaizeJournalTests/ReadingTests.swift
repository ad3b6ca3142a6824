import BaizeLaboratory
import BaizeSync
import BaizeTable
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import BaizeJournal

/// Reading tables beside the commits of the journal's own thread.
@Suite(.dedicatedThreads) struct ReadingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func reading(_ journal: SQLiteJournal, _ name: String) throws -> TableReading {
    try journal.reading(tableNamed: name)
  }

  /// A table that was unloaded and is loaded again has its own last writes.
  @Test func `what is read beside commits is what the journal itself reads`() throws {
    let names = (0..<20).map { "table-\($0)" }
    var random = RandomSource(seed: 1)
    for round in 0..<3 {
      let journal = try SQLiteJournal(path: folder.path("journal"), keepRevisions: 30)
      if round == 0 { try journal.commit(names.flatMap { Writes.table($0) }) }
      var last = try names.map { name in
        let stored = try journal.table(named: name)
        return stored?.records.last?.number ?? stored?.snapshot.last?.record ?? 0
      }
      for _ in 0..<500 {
        let index = Int(random.next(below: UInt64(names.count)))
        last[index] += 1
        var writes = [Writes.record(names[index], last[index])]
        if last[index] % 7 == 0 {
          writes.append(Writes.snapshot(names[index], record: last[index], revision: last[index]))
        }
        try journal.commit(writes)
        let other = names[Int(random.next(below: UInt64(names.count)))]
        #expect(try reading(journal, other).read(.max) == journal.table(named: other))
      }
      #expect(try reading(journal, "nowhere").read(.max) == nil)
    }
  }

  @Test func `a failed turn is not read`() throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit(Writes.table("a") + [Writes.record("a", 1)])
    #expect(throws: JournalError.self) { try journal.commit([Writes.record("a", 2), Writes.record("a", 9)]) }
    #expect(try reading(journal, "a").read(.max)?.summary == "s0.0 r1")
  }

  /// K6: it may pass, unlike a damaged file.
  @Test func `another process's lock and a row that is too large are no damage`() throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit(Writes.table("a"))
    let other = try Database(folder.path("journal"), .writing)
    try other.run("BEGIN IMMEDIATE")
    let error = #expect(throws: JournalError.self) { try journal.commit([Writes.record("a", 1)]) }
    #expect(error?.kind == .storage)
    try other.run("ROLLBACK")
    try journal.probe()
    try journal.commit([Writes.record("a", 1)])
    #expect(try journal.table(named: "a")?.summary == "s0.0 r1")
    // SQLITE_TOOBIG
    #expect(journal.database.error(18).kind == .tooLarge)
  }

  @Test func `the size of a table is known before it is read`() throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit(Writes.table("a"))
    let bytes = try journal.table(named: "a")?.snapshot.reduce(0) { $0 + $1.bytes.count }
    #expect(try reading(journal, "a").bytes() == bytes)
    #expect(try reading(journal, "nowhere").bytes() == 0)
  }

  @Test func `a table for which there is no room is not read`() throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit(Writes.table("a"))
    #expect(try reading(journal, "a").read(60)?.summary == "s0.0")
    let error = #expect(throws: JournalError.self) { try reading(journal, "a").read(59) }
    #expect(error?.kind == .tooLarge)
  }

  /// A daemon commits while it loads a table of 48 MB. How long a commit takes depends on the disk; that several end during
  /// one reading does not.
  @Test func `commits do not wait for a large table to be read`() throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    let parts = 1_000
    try journal.commit(Writes.table("small") + Writes.table("large") + [Writes.record("large", 1)])
    try journal.commit(
      (0..<parts).map {
        Writes.snapshot("large", record: 1, revision: 1, part: $0, isLast: $0 == parts - 1, bytes: 48 << 10)
      })
    var number: UInt64 = 0
    var commits: [Int] = []
    for _ in 0..<5 where commits.allSatisfy({ $0 < 4 }) {
      let large = try reading(journal, "large")
      let read = Mutex<Result<StoredTable?, any Error>?>(nil)
      let thread = DispatchQueue(label: "reading")
      thread.async {
        let result = Result { try large.read(.max) }
        read.withLock { $0 = result }
      }
      var count = 0
      while read.withLock({ $0 == nil }) {
        number += 1
        try journal.commit([Writes.record("small", number)])
        count += 1
      }
      #expect(try read.withLock { $0 }?.get()?.snapshot.count == parts)
      commits.append(count)
    }
    print("commits during each reading of a table of 48 MB: \(commits)")
    // The first may have begun before the reading and the last may have ended behind it.
    #expect(commits.max()! >= 4)
  }
}
