import BaizeLaboratory
import BaizeSync
import BaizeTable
import TestSupport
import Testing

@testable import BaizeJournal

/// Deleted tables: gone with the commit, and freed in bounded steps (I8).
@Suite(.dedicatedThreads) struct DeletionTests {
  private static func rows(_ journal: SQLiteJournal, _ table: String) throws -> Int64 {
    try journal.database.integer("SELECT count(*) FROM \(table)") ?? -1
  }

  /// Fills tables of `count` records with a snapshot of several parts in the middle.
  private static func fill(_ journal: SQLiteJournal, _ names: [String], _ count: UInt64, parts: Int = 3) throws {
    try journal.commit(names.flatMap { Writes.table($0) })
    for number in 1...count {
      var writes = names.map { Writes.record($0, number) }
      if number == count / 2 {
        for part in 0..<parts {
          let isLast = part == parts - 1
          writes += names.map { Writes.snapshot($0, record: number, revision: number, part: part, isLast: isLast) }
        }
      }
      try journal.commit(writes)
    }
  }

  @Test func `a deleted table is gone, others stay, and every row is freed`() throws {
    let folder = try TemporaryFolder()
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try Self.fill(journal, ["a", "b", "c"], 30, parts: 100)
    let before = try journal.table(named: "b")
    try journal.commit([.deletion("a"), .deletion("nowhere"), .deletion("c")])
    #expect(try journal.table(named: "a") == nil && journal.table(named: "b") == before)
    #expect(try JournalReader(path: folder.path("journal")).tables().map(\.name) == ["b"])
    var steps = 1
    while try journal.tidy() { steps += 1 }
    #expect(steps > 2, "100 parts are too many for one step")
    #expect(try Self.rows(journal, "tables") == 1 && Self.rows(journal, "heads") == 1)
    #expect(try Self.rows(journal, "deleted") == 0 && Self.rows(journal, "parts") == 101)
    #expect(try Self.rows(journal, "log") == 30 && journal.log.rows == 30)
    #expect(try journal.table(named: "b") == before)
  }

  /// The new table has another id: what is left of the old one is never taken for it.
  @Test func `a table of the same name begins anew while the old one is being freed`() throws {
    let folder = try TemporaryFolder()
    do {
      let journal = try SQLiteJournal(path: folder.path("journal"))
      try Self.fill(journal, ["a"], 40)
      try journal.commit([.deletion("a")] + Writes.table("a") + [Writes.record("a", 1)])
      #expect(try journal.table(named: "a")?.summary == "s0.0 r1")
    }
    let journal = try SQLiteJournal(path: folder.path("journal"))
    #expect(try journal.table(named: "a")?.summary == "s0.0 r1")
    try journal.commit([Writes.record("a", 2)])
    while try journal.tidy() {}
    #expect(try journal.table(named: "a")?.summary == "s0.0 r1 r2")
    #expect(try Self.rows(journal, "log") == 2)
  }

  /// I7: a crash between the steps loses nothing of other tables, and the steps go on afterwards.
  @Test func `deletions survive a crash at every step`() throws {
    for step in 0..<6 {
      let folder = try TemporaryFolder()
      do {
        let journal = try SQLiteJournal(path: folder.path("journal"))
        try Self.fill(journal, ["a", "b"], 20, parts: 70)
        try journal.commit([.deletion("a")])
        for _ in 0..<step { _ = try journal.tidy() }
        try folder.write(folder.bytes("journal"), to: "crashed")
        try folder.write(folder.bytes("journal-wal"), to: "crashed-wal")
      }
      let journal = try SQLiteJournal(path: folder.path("crashed"))
      #expect(try journal.table(named: "a") == nil)
      #expect(try journal.table(named: "b")?.records.count == 10)
      while try journal.tidy() {}
      #expect(try Self.rows(journal, "parts") == 71 && Self.rows(journal, "log") == 20, "step \(step)")
      _ = try JournalReader(path: folder.path("crashed")).check()
    }
  }

  /// Rows that a sweep has freed already are where the chain of a deleted table ends.
  @Test func `a trimmed table is freed with the rows that its sweep has left`() throws {
    let folder = try TemporaryFolder()
    let journal = try SQLiteJournal(path: folder.path("journal"), keepRevisions: 10)
    try journal.commit(Writes.table("a") + Writes.table("b"))
    for number in 1...3_000 as ClosedRange<UInt64> {
      let snapshot = number % 25 == 0 ? [Writes.snapshot("a", record: number, revision: number)] : []
      try journal.commit([Writes.record("a", number)] + snapshot)
    }
    try journal.commit([.deletion("a")])
    while try journal.tidy() {}
    try journal.commit([Writes.record("b", 1)])
    #expect(try Self.rows(journal, "deleted") == 0)
    #expect(try Self.rows(journal, "log") == 1 && journal.log.rows == 1)
    #expect(journal.log.dead == 0)
  }
}
