import Testing

@testable import baize_lab

/// The reader of a daemon's log.
@Suite struct CommitReportTests {
  @Test func `the last report is used, at any position in its line`() {
    let log = """
      2026-01-01T00:00:00.000Z info: journal: 3 commits, median 170 µs, p99 900 µs
      2026-01-01T00:00:00.000Z info: SIGTERM: stopping
      2026-01-01T00:00:01.000Z info: journal: 12345 commits, median 171.5 µs, p99 1900 µs, 7 rows each
      """
    #expect(CommitReport(inLog: log)?.medianMicroseconds == 171.5)
  }

  @Test(arguments: ["", "info: journal: no commits"])
  func `a log without a report gives no report`(log: String) {
    #expect(CommitReport(inLog: log) == nil)
  }
}
