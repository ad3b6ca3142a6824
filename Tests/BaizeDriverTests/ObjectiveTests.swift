import BaizeTransport
import Testing

@testable import BaizeDriver

/// Objectives are read as they are written, and judged on results.
@Suite struct ObjectiveTests {
  private static var result: LoadResult {
    var counters = LoadCounters()
    (counters.accepted, counters.planned, counters.sent) = (990, 1_010, 1_000)
    for _ in 0..<10 { counters.noteRefusal("CONTENDED") }
    for milliseconds in 1...100 as ClosedRange<UInt64> {
      counters.response.record(milliseconds * 1_000_000)
      counters.toOwn.record(milliseconds * 10_000)
    }
    var options = LoadOptions()
    options.rate = 1_000
    var result = LoadResult(options: options)
    result.add(counters, seconds: 1)
    return result
  }

  @Test(arguments: [
    ("response.p99 < 105ms", true), ("response.p99 < 95 ms", false), ("response.p50 >= 50ms", true),
    ("response.max<=100ms", true), ("service.p99.9 < 1100us", true), ("service.p99.9 < 900µs", false),
    ("corrections < 1.1%", true), ("corrections < 1%", false), ("refused == 1%", true), ("lost == 0", true),
    ("judged > 999", true), ("judged > 1000", false), ("lost == 0, judged > 1000", false),
    // Nothing was seen: it is not known.
    ("seen.p99 < 1s", false),
  ])
  func `a condition is met or missed`(text: String, isMet: Bool) throws {
    let verdicts = try Objective(parsing: text).verdicts(on: Self.result)
    #expect(verdicts.allSatisfy(\.isMet) == isMet, "\(verdicts)")
  }

  /// They come from the daemon.
  @Test func `no daemon can make a report of any length, or write markup into a page`() {
    var counters = LoadCounters()
    // A mark that joins the next sign in one character.
    for _ in 0..<2 { counters.noteRefusal("\u{0D4E}<i>\nforged line") }
    for number in 0..<1_000 { counters.noteRefusal("<b>\u{1B}\(number)") }
    counters.noteRefusal(String(repeating: "x", count: 1_000))
    var sum = LoadCounters()
    for _ in 0..<2 { sum.add(counters) }
    #expect(sum.reasons.count <= 66 && sum.reasons.values.reduce(0, +) == 2_006 && sum.refused == 2_006)
    var result = LoadResult(options: LoadOptions())
    result.add(counters, seconds: 1)
    let page = result.page([])
    #expect(page.contains("&lt;b&gt;") && !page.contains("<b>") && !page.contains("\u{1B}"))
    let scalars = page.unicodeScalars
    #expect(scalars.contains("&lt;i&gt;".unicodeScalars) && !scalars.contains("<i>".unicodeScalars))
    #expect(!result.text([]).contains("\nforged line"))
    var faults = LoadFaults()
    for number in 0..<1_000 { faults.noteEnd("\(number)") }
    #expect(faults.goodbyes.count <= 65 && faults.goodbyes.values.reduce(0, +) == 1_000)
  }

  @Test func `what is answered behind the end is in no rate, and falling behind does not keep up`() {
    var result = Self.result
    let (before, times) = (result.judgedPerSecond, result.response.count)
    var rest = LoadCounters()
    (rest.accepted, rest.deliveries) = (50_000, 50_000)
    rest.response.record(7)
    result.addRest(rest)
    #expect(result.judgedPerSecond == before && result.response.count == times + 1)
    var behind = LoadCounters()
    (behind.planned, behind.accepted) = (1_000, 800)
    result.add(behind, seconds: 1)
    #expect(!result.keepsUp)
  }

  @Test(arguments: [
    ("", "expected a measure"), ("lost", "expected a measure"), ("lost == 0,", "expected a measure"),
    ("sean.p99 < 20ms", "no measure 'sean.p99'"), ("seen < 20ms", "needs a percentile"),
    ("seen.p100 < 20ms", "needs a percentile"), ("seen.pnan < 20ms", "needs a percentile"),
    ("seen.p99 < 20", "'20' is not a time"), ("seen.p99 < ms", "'ms' is not a time"),
    ("corrections < 1", "'1' is not a percentage"), ("lost == none", "'none' is not a count"),
    ("lost == -1", "'-1' is not a count"), ("judged > 1e99", "is not a number per second"),
  ])
  func `a mistake is explained`(text: String, words: String) {
    let failure = #expect(throws: RunFailure.self) { try Objective(parsing: text) }
    #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
  }
}
