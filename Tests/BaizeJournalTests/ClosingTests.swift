import BaizeLaboratory
import BaizeSync
import Testing

@testable import BaizeJournal

/// The end of a journal whose last commit has failed (I2).
@Suite struct ClosingTests {
  @Test func `what was committed can be read after the disk was full at the end`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal")
    do {
      let journal = try SQLiteJournal(path: path)
      try journal.commit(Writes.table("t") + [Writes.record("t", 1), Writes.record("t", 2)])
      try journal.database.run("PRAGMA max_page_count = 1")
      let writes = (3...2_000 as ClosedRange<UInt64>).map { Writes.record("t", $0, bytes: 4_000) }
      #expect(throws: JournalError.self) { try journal.commit(writes) }
    }
    #expect(try SQLiteJournal(path: path).table(named: "t")?.records.map(\.number) == [1, 2])
  }
}
