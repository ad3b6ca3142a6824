import BaizeHarness
import BaizeTransport

/// Measures the cost of a second shard: the daemon's processor time per operation with two shards and with one, under the
/// same load, in turns.
struct ShardsMeasure {
  var options: LoadOptions
  let runs: Int
  let report: (String) -> Void

  /// The maximum ratio of an operation's cost on two shards to that on one.
  static let ratioMax = 1.1

  /// - Returns: Whether the limit holds and no run has a fault, and the result for programs.
  func perform() throws -> (isSound: Bool, json: [String: Any]) {
    var one: [LoadResult] = []
    var two: [LoadResult] = []
    for run in 1...runs {
      one.append(try measure(shards: 1))
      two.append(try measure(shards: 2))
      report("run \(run) of \(runs): one shard \(Self.line(one[run - 1])); two \(Self.line(two[run - 1]))")
    }
    let costs = (one: one.map(Self.nanoseconds), two: two.map(Self.nanoseconds))
    let ratio = Spread(values: zip(costs.two, costs.one).map { $0 / max(1, $1) })
    report(
      """
      \(options.tables) tables of \(options.players) players, type \(options.tableType), window \(options.window)\
      \(options.rate.map { ", \(Int($0)) operations per second" } ?? ""), medians of \(runs) alternating runs (least … most)
        one shard   \(Spread(values: costs.one).text()) ns of the daemon per operation
        two shards  \(Spread(values: costs.two).text()) ns of the daemon per operation
        ratio       \(ratio.text(2)), at most \(Self.ratioMax)
      """)
    return (
      ratio.median <= Self.ratioMax && (one + two).allSatisfy(\.faults.isNone),
      [
        "oneShardNanoseconds": Spread(values: costs.one).json, "twoShardsNanoseconds": Spread(values: costs.two).json,
        "ratio": ratio.json, "window": options.window, "runs": runs,
      ]
    )
  }

  private func measure(shards: Int) throws -> LoadResult {
    let daemon = try ChildProcess.daemon(shards: shards)
    defer { daemon.stop() }
    return try LoadSession.measure(options, on: daemon, report: report)
  }

  private static func nanoseconds(_ result: LoadResult) -> Double {
    (result.daemonLoad ?? 0) * result.seconds * 1e9 / Double(max(1, result.total.accepted))
  }

  private static func line(_ result: LoadResult) -> String {
    "\(Int(nanoseconds(result))) ns at \(Int(Double(result.total.accepted) / result.seconds))/s"
  }
}
