import BaizeHarness
import BaizeSync
import BaizeTransport
import Foundation

/// Measures the effect of senders of the heaviest legal operations on others on the same shard (I11): the same load on
/// daemons of their own, without and with the senders in turn.
struct HeavyMeasure {
  private let options: LoadOptions
  private let senders: Int
  private let items: Int
  private let runs: Int
  private let report: (String) -> Void

  /// The maximum rise of the others' p99, in microseconds.
  static let riseMax = 2_000.0
  private static let warmUpSeconds = 3.0

  private struct Run {
    let median: Double
    let p99: Double
    let heavyPerSecond: Double
    let isSound: Bool
  }

  init(options: LoadOptions, senders: Int, items: Int, runs: Int, report: @escaping (String) -> Void) {
    var options = options
    options.tableType = "list?items=52"
    options.warmUpSeconds = Self.warmUpSeconds
    options.showsProgress = false
    (self.options, self.senders, self.items, self.runs, self.report) = (options, senders, items, runs, report)
  }

  func perform() throws -> (isSound: Bool, json: [String: Any]) {
    let core = try Affinity.divide(report)
    var (rises, medians): ([Double], [Double]) = ([], [])
    var isSound = true
    for round in 1...runs {
      let alone = try measure(beside: 0, core)
      let beside = try measure(beside: senders, core)
      rises.append(beside.p99 - alone.p99)
      medians.append(beside.median - alone.median)
      isSound = isSound && alone.isSound && beside.isSound && beside.heavyPerSecond > 0
      report("round \(round): alone \(Self.line(alone)); beside \(Self.line(beside))")
    }
    let (rise, median) = (Spread(values: rises), Spread(values: medians))
    report(
      "beside \(senders) senders at tables of \(items) items the p50 of \(options.tables) tables of \(options.players) "
        + "rises by \(median.text()) µs, the p99 by \(rise.text()) µs")
    return (
      isSound && rise.median <= Self.riseMax, ["p50RiseMicroseconds": median.json, "p99RiseMicroseconds": rise.json]
    )
  }

  private static func line(_ run: Run) -> String {
    "p50 \(LoadResult.fixed(run.median, 0)) µs, p99 \(LoadResult.fixed(run.p99, 0)) µs, "
      + "\(LoadResult.fixed(run.heavyPerSecond, 0)) heavy operations per second" + (run.isSound ? "" : ", NOT SOUND")
  }

  private func measure(beside senders: Int, _ core: Int?) throws -> Run {
    let daemon = try ChildProcess.daemon(shards: 1, core: core)
    defer { daemon.stop() }
    var options = options
    options.address = daemon.address
    var child: ChildProcess?
    var session = LoadSession(options: options, report: report)
    let seconds = Self.warmUpSeconds + options.seconds
    session.warming = {
      guard senders > 0 else { return }
      let end = MonotonicClock.now() + UInt64(seconds * 1e9)
      child = try ChildProcess(
        "baize-load", ["senders", "\(daemon.address)", "\(senders)", "\(items)", "\(end)"], marker: HeavySenders.marker)
    }
    let result = try session.perform()
    _ = child?.waitForExit()
    let heavy = child?.output.split(whereSeparator: \.isWhitespace).last.flatMap { Double($0) } ?? 0
    if !result.faults.isNone { report(result.text) }
    return Run(
      median: Double(result.total.toLast.percentile(0.5)) / 1e3,
      p99: Double(result.total.toLast.percentile(0.99)) / 1e3,
      heavyPerSecond: heavy / seconds, isSound: result.faults.isNone)
  }
}
