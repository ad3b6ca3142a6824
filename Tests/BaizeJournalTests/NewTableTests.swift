import BaizeLaboratory
import BaizeSync
import BaizeTable
import TestSupport
import Testing

@testable import BaizeJournal

/// Tables whose first snapshot is written in several commits: they exist with the last one (I7).
@Suite(.dedicatedThreads) struct NewTableTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func begin(_ name: String, parts: Int) -> [JournalWrite] {
    Writes.table(name).prefix(1) + (0..<parts).map { part($0, of: name) }
  }

  private static func part(_ number: Int, of name: String, isLast: Bool = false, bytes: Int = 60) -> JournalWrite {
    Writes.snapshot(name, record: 0, revision: 0, part: number, isLast: isLast, bytes: bytes)
  }

  @Test func `a table that is not complete is not listed`() throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit(Self.begin("a", parts: 2) + Writes.table("b"))
    let reader = try JournalReader(path: folder.path("journal"))
    #expect(try reader.names() == ["b"] && reader.tables().map(\.name) == ["b"])
    #expect(try reader.history(ofTable: "a") == nil)
  }

  /// I8: nothing of it stays in the file.
  @Test(arguments: [0, SQLiteJournal.headsLagMax + 10])
  func `what a crash has left of a new table is freed when the file is opened`(tablesAfter: Int64) throws {
    do {
      let journal = try SQLiteJournal(path: folder.path("journal"))
      try journal.commit(Writes.table("b") + Self.begin("a", parts: 70))
      try journal.commit((0..<tablesAfter).flatMap { Writes.table("c\($0)") })
      try folder.write(folder.bytes("journal"), to: "crashed")
      try folder.write(folder.bytes("journal-wal"), to: "crashed-wal")
    }
    for path in ["crashed", "journal"] {
      let journal = try SQLiteJournal(path: folder.path(path))
      #expect(try journal.table(named: "a") == nil && journal.table(named: "b")?.summary == "s0.0")
      while try journal.tidy() {}
      #expect(try journal.database.integer("SELECT count(*) FROM parts") == 1 + tablesAfter, "\(path)")
      #expect(try journal.tableCount() == Int(1 + tablesAfter))
      try journal.commit(Writes.table("a"))
      #expect(try journal.table(named: "a")?.summary == "s0.0")
      _ = try JournalReader(path: folder.path(path)).check()
    }
  }

  /// A commit that fails between two pieces: the table goes on, or is given up.
  @Test(arguments: [true, false]) func `a failed commit leaves what was durable before`(isGivenUp: Bool) throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit(Self.begin("a", parts: 2))
    var limits = SyncLimits.Journal()
    limits.bytesMax = 1
    journal.reload(limits)
    #expect(throws: JournalError.self) { try journal.commit([Self.part(2, of: "a")]) }
    journal.reload(SyncLimits.Journal())
    if isGivenUp {
      try journal.commit([.deletion("a")] + Writes.table("a"))
      #expect(try journal.table(named: "a")?.summary == "s0.0")
    } else {
      try journal.commit([Self.part(2, of: "a", isLast: true)])
      #expect(try journal.table(named: "a")?.summary == "s0.0 s0.1 s0.2")
    }
  }
}
