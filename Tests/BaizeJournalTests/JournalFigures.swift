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
    let scratch = try Scratch()
    let journal = try SQLiteJournal(path: scratch.path("journal"))
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
    let log = try scratch.length("journal-wal") >> 10
    print(
      "commit of \(count) records of \(bytes) bytes: median \(Self.text(wall[rounds / 2])) ms, "
        + "p99 \(Self.text(wall[rounds * 99 / 100])) ms, longest \(Self.text(wall[rounds - 1])) ms, "
        + "processor \(Self.text(cpu)) ms (the making of the records included); log \(log) KiB")
  }

  private static func text(_ milliseconds: Double) -> String { String(format: "%.3f", milliseconds) }

  /// What this process took of its processors.
  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
