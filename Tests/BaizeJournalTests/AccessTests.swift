import BaizeLaboratory
import BaizeSync
import BaizeTable
import Testing

@testable import BaizeJournal

/// The key of a journal's invites and tokens (J21).
@Suite struct AccessTests {
  @Test func `a journal keeps its key, and one with tables from before accepts what has no seal`() throws {
    let folder = try TemporaryFolder()
    let (one, two) = (AccessKey(random: RandomSource(seed: 1)), AccessKey(random: RandomSource(seed: 2)))
    #expect(try SQLiteJournal(path: folder.path("journal")).accessKey(orNew: one) == one)
    #expect(try SQLiteJournal(path: folder.path("journal")).accessKey(orNew: two) == one)
    let older = try SQLiteJournal(path: folder.path("older"))
    let definition = TableDefinition(name: "t", typeText: "x", document: "{}", options: [])
    let part = JournalSnapshotPart(
      table: "t", record: 0, revision: .zero, number: 0, isLast: true, bytes: [1, 2, 3])
    try older.commit([.table(definition), .snapshot(part)])
    #expect(try older.accessKey(orNew: two).acceptsUnsealed)
    #expect(try older.accessKey(orNew: one) == AccessKey(high: two.high, low: two.low, acceptsUnsealed: true))
    try older.database.run("UPDATE access SET low = low + 1")
    #expect(throws: JournalError.self) { try older.accessKey(orNew: one) }
  }
}
