import Testing

@testable import baize_load

/// The harness's reader of a daemon's log.
@Suite struct CommitReportTests {
  @Test func `the last report is used, at any position in its line`() throws {
    let log = """
      2026-01-01T00:00:00.000Z info: journal: 3 commits, median 170 µs, p99 900 µs
      2026-01-01T00:00:00.000Z info: SIGTERM: stopping
      2026-01-01T00:00:01.000Z info: journal: 12345 commits, median 171.5 µs, p99 1900 µs, 7 rows each
      """
    let report = try #require(CommitReport(inLog: log))
    #expect(report.count == 12_345 && report.medianMicroseconds == 171.5 && report.p99Microseconds == 1_900)
  }

  @Test func `a log without a report gives no report`() {
    #expect(CommitReport(inLog: "") == nil)
    #expect(CommitReport(inLog: "info: journal: no commits") == nil)
  }
}
