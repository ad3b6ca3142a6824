import BaizeSimulator
import BaizeSync
import BaizeTable
import Testing

@testable import baize_lab

/// The journals that the harness builds to measure a start equal those of a daemon.
@Suite struct JournalBuilderTests {
  @Test func `a built journal has the requested number of diffs over all its tables`() throws {
    let journal = MemoryJournal()
    var builder = JournalBuilder(journal)
    try builder.build(tables: 3, type: "list?items=5", diffs: 100)
    let revisions = try (0..<3).map { number in
      let stored = try #require(journal.table(named: Measure.startupTable(number)))
      return try RestoredTable(stored, types: SimulatedTypes()).state.revision.rawValue
    }
    // The first revision of each seats its player.
    #expect(revisions == [35, 34, 34])
    #expect(journal.table(named: Measure.startupTable(3)) == nil)
  }
}
