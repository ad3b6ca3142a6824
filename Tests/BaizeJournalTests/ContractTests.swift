import BaizeJournal
import BaizeSync
import BaizeTable
import Testing

/// What every journal does.
@Suite struct ContractTests {
  @Test func `first light`() throws {
    let scratch = try Scratch()
    do {
      let journal = try SQLiteJournal(path: scratch.path("journal"))
      journal.append(Writes.table("a") + [Writes.record("a", 1), Writes.record("a", 2)])
      #expect(try journal.table(named: "a") == nil)
      try journal.commit()
      #expect(try journal.table(named: "a")?.summary == "s0.0 r1 r2")
    }
    let journal = try SQLiteJournal(path: scratch.path("journal"))
    let stored = try #require(try journal.table(named: "a"))
    #expect(stored.summary == "s0.0 r1 r2")
    #expect(stored.definition.options == [Attribute("cards", 3), Attribute("mode", "ä")])
  }
}
