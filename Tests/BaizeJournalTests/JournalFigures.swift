import BaizeHarness
import BaizeJournal
import BaizeSync
import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a commit costs, and a load:
///
///     BAIZE_FIGURES=1 swift test -c release --filter JournalFigures
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["BAIZE_FIGURES"] != nil))
struct JournalFigures {
  /// As many records as tables in each commit.
  @Test(arguments: [1, 64, 256], [300, 3000])
  func `commits`(of count: Int, bytes: Int) throws {
    let folder = try TemporaryFolder()
    let journal = try SQLiteJournal(path: folder.path("journal"))
    for table in 0..<count { journal.append(Writes.table("table-\(table)")) }
    try journal.commit()
    var wall: [Double] = []
    let rounds = 2000
    let processor = Self.processorSeconds()
    for round in 1...rounds {
      let writes = (0..<count).map { Writes.record("table-\($0)", UInt64(round), bytes: bytes) }
      let start = ContinuousClock.now
      journal.append(writes)
      try journal.commit()
      wall.append((ContinuousClock.now - start) / .milliseconds(1))
    }
    let cpu = (Self.processorSeconds() - processor) / Double(rounds) * 1000
    wall.sort()
    let log = try folder.length("journal-wal") >> 10
    print(
      "commit of \(count) records of \(bytes) bytes: median \(Self.text(wall[rounds / 2])) ms, "
        + "p99 \(Self.text(wall[rounds * 99 / 100])) ms, longest \(Self.text(wall[rounds - 1])) ms, "
        + "processor \(Self.text(cpu)) ms (the making of the records included); log \(log) KiB")
  }

  /// A million diffs over a thousand tables, one by one in each commit's turn, none of which is in a snapshot: to open the
  /// file, after a good end and after a kill, and to load one table.
  @Test func `a large journal`() throws {
    let folder = try TemporaryFolder()
    let names = (0..<1000).map { "table-\($0)" }
    do {
      let journal = try SQLiteJournal(path: folder.path("journal"))
      for name in names { journal.append(Writes.table(name)) }
      for number in 1...1000 as ClosedRange<UInt64> {
        journal.append(names.map { Writes.record($0, number, bytes: 60) })
        try journal.commit()
        guard number == 999 else { continue }
        try folder.write(folder.bytes("journal"), to: "killed")
        try folder.write(folder.bytes("journal-wal"), to: "killed-wal")
      }
    }
    for name in ["journal", "killed"] {
      let start = ContinuousClock.now
      let journal = try SQLiteJournal(path: folder.path(name))
      let opened = (ContinuousClock.now - start) / .milliseconds(1)
      var loads: [Double] = []
      for table in stride(from: 0, to: 1000, by: 20) {
        let start = ContinuousClock.now
        let stored = try #require(try journal.table(named: names[table]))
        loads.append((ContinuousClock.now - start) / .milliseconds(1))
        #expect(stored.records.count >= 999)
      }
      loads.sort()
      print(
        "\(name), \(try folder.length(name) >> 20) MiB: opens in \(Self.text(opened)) ms; a table with 1,000 records loads "
          + "in \(Self.text(loads[loads.count / 2])) ms as a median, \(Self.text(loads[loads.count - 1])) ms at most")
    }
    let start = ContinuousClock.now
    #expect(try JournalReader(path: folder.path("journal")).tables().count == 1000)
    print("listing the tables: \(Self.text((ContinuousClock.now - start) / .milliseconds(1))) ms")
  }

  private static func text(_ milliseconds: Double) -> String { String(format: "%.3f", milliseconds) }

  /// What this process took of its processors.
  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
