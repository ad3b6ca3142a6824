import BaizeTable
import BaizeTransport
import Foundation
import Testing

@testable import BaizeDriver

/// Runs are compared with as much confidence as their seconds give.
@Suite struct LoadComparisonTests {
  /// Makes a run with some noise from a seed.
  private static func result(
    _ seconds: Int = 10, judged: UInt64 = 1_000, microseconds: UInt64 = 500, refused: UInt64 = 0, seed: UInt64 = 7
  ) -> LoadResult {
    var random = RandomSource(seed: seed)
    var options = LoadOptions()
    (options.rate, options.seconds) = (1_000, Double(seconds))
    var result = LoadResult(options: options)
    for _ in 0..<seconds {
      var counters = LoadCounters()
      counters.accepted = judged - refused + random.next(below: 10)
      for _ in 0..<refused { counters.noteRefusal("CONTENDED") }
      for _ in 0..<200 {
        let time = microseconds * 1_000 + random.next(below: microseconds * 100)
        counters.response.record(time)
        counters.toLast.record(time * 2)
      }
      result.add(counters, seconds: 1)
    }
    return result
  }

  private static func record(_ result: LoadResult) throws -> LoadRecord {
    try LoadRecord(JSONSerialization.data(withJSONObject: result.json()))
  }

  @Test func `a result that is written and read again has the same figures`() throws {
    let result = Self.result(refused: 20)
    let record = try Self.record(result)
    #expect(record.intervals.count == 10 && record.intervals.reduce(0) { $0 + $1.judged } == result.total.judged)
    var response = Histogram()
    for interval in record.intervals { response.merge(interval.response) }
    for share in [0.5, 0.9, 0.99] { #expect(response.percentile(share) == result.response.percentile(share)) }
  }

  @Test func `runs that differ by chance are no regression, and the same seed draws the same`() throws {
    let (one, other) = (try Self.record(Self.result(seed: 1)), try Self.record(Self.result(seed: 2)))
    let comparison = try LoadComparison(one, other, seed: 3)
    #expect(!comparison.isRegression, "\(comparison.figures.map(\.text))")
    let again = try LoadComparison(one, other, seed: 3)
    #expect(again.figures.map(\.text) == comparison.figures.map(\.text))
  }

  @Test func `what has become worse is named, and what has become better is none`() throws {
    let before = try Self.record(Self.result())
    let slower = try LoadComparison(before, Self.record(Self.result(microseconds: 700)))
    #expect(
      slower.isRegression && slower.conclusion == "Worse than before: response p50, response p99, seen p50, seen p99.")
    let fewer = try LoadComparison(before, Self.record(Self.result(judged: 800)))
    #expect(fewer.conclusion == "Worse than before: judged.")
    let corrected = try LoadComparison(before, Self.record(Self.result(refused: 50)))
    #expect(corrected.conclusion == "Worse than before: corrections.")
    let faster = try LoadComparison(before, Self.record(Self.result(microseconds: 300)))
    #expect(!faster.isRegression && faster.figures.contains { $0.verdict == .better })
  }

  /// One bad second of ten is drawn in most draws, and in some not.
  @Test func `what the runs are too short for is undecided`() throws {
    let before = try Self.record(Self.result())
    var intervals = before.intervals
    for _ in 0..<200 { intervals[4].response.record(2_000_000_000) }
    let comparison = try LoadComparison(before, LoadRecord(intervals: intervals))
    let figure = try #require(comparison.figures.first { $0.name == "response p99" })
    #expect(figure.verdict == .undecided && comparison.conclusion.contains("longer runs would decide"), "\(figure)")
  }

  @Test func `what cannot be compared is refused`() throws {
    var wrong = Self.result()
    wrong.faults.lost = 1
    let record = try Self.record(wrong)
    let right = try Self.record(Self.result())
    #expect(throws: RunFailure.self) { try LoadComparison(record, right) }
    #expect(throws: RunFailure.self) { try LoadComparison(right, record) }
    #expect(throws: RunFailure.self) { try Self.record(Self.result(4)) }
    for text in ["", "[]", "{}", #"{"format": "baize-load 1", "isCorrect": true, "intervals": [{"seconds": 1}]}"#] {
      #expect(throws: RunFailure.self) { try LoadRecord(Data(text.utf8)) }
    }
  }
}
