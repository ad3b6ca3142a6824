import BaizeLaboratory
import BaizeSync
import Synchronization
import TestSupport
import Testing

@testable import BaizeJournal

/// Tables that nobody uses, by days of a calendar that a test turns (I7: none expires too early; I8).
@Suite(.dedicatedThreads) struct ExpiryTests {
  private final class Calendar: Sendable {
    let date = Atomic<Int64>(20_000)

    func advance(by days: Int64 = 1) { date.add(days, ordering: .relaxed) }
  }

  private static func journal(_ path: String, after days: Int, _ calendar: Calendar) throws -> SQLiteJournal {
    try SQLiteJournal(path: path, expireDays: days, today: { calendar.date.load(ordering: .relaxed) })
  }

  /// Returns the names of all tables that have expired.
  private static func search(_ journal: SQLiteJournal) throws -> [String] {
    var names: [String] = []
    while true {
      let expired = try journal.expire()
      #expect(expired.names.count <= SQLiteJournal.tablesExpiredMax)
      names += expired.names
      guard expired.hasMore else { return names }
    }
  }

  @Test func `a table is found when nobody has used it for so long, and not again before as long`() throws {
    let calendar = Calendar()
    let folder = try TemporaryFolder()
    let journal = try Self.journal(folder.path("journal"), after: 30, calendar)
    try journal.commit(Writes.table("unused") + Writes.table("used"))
    var found: [Int: [String]] = [:]
    for day in 1...61 {
      try journal.commit([Writes.record("used", UInt64(day))])
      let names = try Self.search(journal)
      if !names.isEmpty { found[day] = names }
      calendar.advance()
    }
    #expect(found == [30: ["unused"], 60: ["unused"]])
    // Many searches on one day are one day.
    for _ in 0..<100 { #expect(try Self.search(journal).isEmpty) }
  }

  @Test func `neither a long stop nor a wrong clock makes a table expire`() throws {
    let folder = try TemporaryFolder()
    let calendar = Calendar()
    for days in [0, 1_000, 3_650, -3_650, 1, -1] as [Int64] {
      calendar.advance(by: days)
      let journal = try Self.journal(folder.path("journal"), after: 5, calendar)
      if days == 0 { try journal.commit(Writes.table("t")) }
      #expect(try Self.search(journal).isEmpty, "after \(days) days")
    }
  }

  @Test func `a table without a day, or with a damaged one, begins anew`() throws {
    let folder = try TemporaryFolder()
    let calendar = Calendar()
    do {
      let journal = try SQLiteJournal(path: folder.path("journal"))
      try journal.commit(Writes.table("before") + Writes.table("damaged"))
    }
    let journal = try Self.journal(folder.path("journal"), after: 3, calendar)
    for day in 1...4 {
      if day == 3 { try journal.database.run("UPDATE used SET day = day - 2 WHERE table_id = 2") }
      #expect(try Self.search(journal) == (day == 4 ? ["before"] : []), "day \(day)")
      calendar.advance()
    }
  }

  @Test func `a search takes bounded steps, and deletions leave nothing`() throws {
    let calendar = Calendar()
    let folder = try TemporaryFolder()
    let journal = try Self.journal(folder.path("journal"), after: 1, calendar)
    let names = (0..<1_000).map { "t\($0)" }
    try journal.commit(names.flatMap { Writes.table($0) })
    #expect(try Set(Self.search(journal)) == Set(names))
    #expect(try Self.search(journal).isEmpty)
    try journal.commit(names.map { .deletion($0) })
    #expect(try journal.database.integer("SELECT count(*) FROM used") == 0)
    calendar.advance(by: 1)
    #expect(try Self.search(journal).isEmpty)
  }

  @Test func `nothing is noted without a limit`() throws {
    let folder = try TemporaryFolder()
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit(Writes.table("t") + [Writes.record("t", 1)])
    #expect(try Self.search(journal).isEmpty)
    #expect(try journal.database.integer("SELECT count(*) FROM used") == 0)
  }
}
