import BaizeSync
import BaizeTable
import BaizeTableTypes
import Testing

@testable import baize_load

/// What the harness measures a start with is what a daemon would have written.
@Suite struct JournalBuilderTests {
  private struct Types: TableTypeReader {
    func tableType(document: String, options: [Attribute]) throws -> TableType {
      try TableTypeDocument(parsing: document).makeTableType(options: options)
    }
  }

  @Test func `a journal has as many diffs as were asked for, over all its tables`() throws {
    let journal = MemoryJournal()
    var builder = JournalBuilder(journal)
    try builder.build(tables: 3, type: "list?items=5", diffs: 100)
    let revisions = try (0..<3).map { number in
      let stored = try #require(journal.table(named: JournalBuilder.name(number)))
      return try RestoredTable(stored, types: Types()).state.revision.rawValue
    }
    // The first revision of each seats its player.
    #expect(revisions == [35, 34, 34])
    #expect(journal.table(named: JournalBuilder.name(3)) == nil)
  }
}
