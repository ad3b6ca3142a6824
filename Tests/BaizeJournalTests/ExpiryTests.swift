import BaizeLaboratory
import BaizeSync
import Synchronization
import TestSupport
import Testing

@testable import BaizeJournal

/// Tables that nobody uses, by a clock that a test turns (I7: none expires too early; I8).
@Suite(.dedicatedThreads) struct ExpiryTests {
  private static func journal(
    _ path: String, days: Int, isDryRun: Bool = false, _ clock: RunningClock
  ) throws -> SQLiteJournal {
    try SQLiteJournal(path: path, expiry: ExpiryRule(days: days, isDryRun: isDryRun)) {
      clock.seconds.load(ordering: .relaxed)
    }
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

  /// Lets hours pass, and returns the names of the tables that have expired, with the hour.
  private static func search(
    _ journal: SQLiteJournal, hours: Int, _ clock: RunningClock
  ) throws -> [Int: [String]] {
    var found: [Int: [String]] = [:]
    for hour in 1...hours {
      clock.advance()
      let names = try search(journal)
      if !names.isEmpty { found[hour] = names }
    }
    return found
  }

  @Test func `a table is found when nobody has used it for so long, and not again before as long`() throws {
    let clock = RunningClock()
    let folder = try TemporaryFolder()
    let journal = try Self.journal(folder.path("journal"), days: 2, clock)
    try journal.commit(Writes.table("unused") + Writes.table("used"))
    var found: [Int: [String]] = [:]
    for hour in 1...100 {
      clock.advance()
      let names = try Self.search(journal)
      if !names.isEmpty { found[hour] = names }
      try journal.commit([Writes.record("used", UInt64(hour))])
    }
    #expect(found == [48: ["unused"], 96: ["unused"]])
    // Many searches in one hour are one hour.
    for _ in 0..<100 { #expect(try Self.search(journal).isEmpty) }
  }

  /// A daemon that is started often, whatever the date is then, counts the time that it runs, and nothing between.
  @Test func `neither a long stop nor many starts make a table expire`() throws {
    let folder = try TemporaryFolder()
    let clock = RunningClock()
    for start in 0..<60 {
      // What a clock that begins anew with the machine says, or one far ahead.
      clock.seconds.store(start % 3 == 0 ? 0 : Int64(start) * 1_000_000, ordering: .relaxed)
      let journal = try Self.journal(folder.path("journal"), days: 1, clock)
      if start == 0 { try journal.commit(Writes.table("t")) }
      #expect(try Self.search(journal).isEmpty, "start \(start)")
      // Twenty minutes.
      clock.seconds.add(1_200, ordering: .relaxed)
      #expect(try Self.search(journal).isEmpty, "start \(start)")
    }
    // They have run for 20 hours.
    let journal = try Self.journal(folder.path("journal"), days: 1, clock)
    #expect(try Self.search(journal, hours: 6, clock) == [4: ["t"]])
  }

  @Test func `a daemon that was stopped for long counts an hour, and a clock that goes back none`() throws {
    let folder = try TemporaryFolder()
    let clock = RunningClock()
    let journal = try Self.journal(folder.path("journal"), days: 1, clock)
    try journal.commit(Writes.table("t"))
    for hours in [1_000_000, -2_000_000, 1_000_000, -500_000] as [Int64] {
      clock.advance(hours: hours)
      #expect(try Self.search(journal).isEmpty)
    }
    #expect(journal.running.hour <= 4)
  }

  @Test func `a dry run names a table once, and leaves it due`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal")
    let clock = RunningClock()
    do {
      let journal = try Self.journal(path, days: 1, isDryRun: true, clock)
      try journal.commit(Writes.table("t"))
      #expect(try Self.search(journal, hours: 60, clock) == [24: ["t"]])
    }
    #expect(try Self.search(Self.journal(path, days: 1, clock)) == ["t"])
  }

  @Test func `a table without an hour, or with a damaged one, begins anew`() throws {
    let folder = try TemporaryFolder()
    let clock = RunningClock()
    do {
      let journal = try SQLiteJournal(path: folder.path("journal"))
      try journal.commit(Writes.table("before") + Writes.table("damaged"))
    }
    let journal = try Self.journal(folder.path("journal"), days: 1, clock)
    #expect(try Self.search(journal, hours: 20, clock).isEmpty)
    try journal.database.run("UPDATE last_uses SET hour = hour - 2 WHERE table_id = 2")
    #expect(try Self.search(journal, hours: 20, clock) == [5: ["before"]])
  }

  @Test func `a search takes bounded steps, and deletions leave nothing`() throws {
    let clock = RunningClock()
    let folder = try TemporaryFolder()
    let journal = try Self.journal(folder.path("journal"), days: 1, clock)
    let names = (0..<1_000).map { "t\($0)" }
    try journal.commit(names.flatMap { Writes.table($0) })
    let found = try Self.search(journal, hours: 25, clock)
    #expect(found.mapValues(Set.init) == [24: Set(names)])
    try journal.commit(names.map { .deletion($0) })
    #expect(try journal.database.integer("SELECT count(*) FROM last_uses") == 0)
    clock.advance()
    #expect(try Self.search(journal).isEmpty)
  }

  @Test func `nothing is noted without a limit`() throws {
    let folder = try TemporaryFolder()
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit(Writes.table("t") + [Writes.record("t", 1)])
    #expect(try Self.search(journal).isEmpty)
    #expect(try journal.database.integer("SELECT count(*) FROM last_uses") == 0)
  }
}
