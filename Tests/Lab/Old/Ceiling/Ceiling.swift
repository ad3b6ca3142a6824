import BaizeDriver
import BaizeLaboratory
import BaizeTransport

/// Measures the daemon and the ceiling in turns, each on one core and the harness on another, and prints the ratio.
struct Ceiling {
  var options: LoadOptions
  let runs: Int
  let windows: [Int]
  let report: (String) -> Void

  /// The minimum ratio of the daemon's deliveries to the relay's, by window.
  static let ratioMins = [1: 0.9, 16: 0.5]

  /// - Returns: Whether the ratios are reached, and the result for programs.
  /// - Throws: ``RunFailure`` if an operation was not accepted, a delivery was lost, or a copy differed.
  func perform() throws -> (isSound: Bool, json: [String: Any]) {
    let core = try Affinity.divide(report)
    var isSound = true
    var json: [String: Any] = [:]
    for window in windows {
      var measured = Measured()
      for run in 1...runs {
        try measure(window, core, into: &measured)
        report("window \(window), run \(run) of \(runs): \(measured.lastLine)")
      }
      report(measured.text(window))
      let ratioMin = Self.ratioMins[window] ?? 0
      let isReached = Spread(values: measured.ratios).median >= ratioMin
      if !isReached { report("the limit for window \(window) is missed: at least \(ratioMin)") }
      isSound = isSound && isReached
      json["window\(window)"] = measured.json
    }
    return (isSound, json)
  }

  private struct Measured {
    var daemon: [LoadResult] = []
    var relay: [LoadResult] = []

    var ratios: [Double] { zip(daemon, relay).map { $0.deliveriesPerSecond / max(1, $1.deliveriesPerSecond) } }

    private var costRatios: [Double] { zip(Self.costs(relay), Self.costs(daemon)).map { $0 / max(1, $1) } }

    private static func costs(_ runs: [LoadResult]) -> [Double] { runs.map { $0.daemonNanosecondsPerDelivery ?? 0 } }

    var lastLine: String {
      "daemon \(Int(daemon.last?.deliveriesPerSecond ?? 0))/s, relay \(Int(relay.last?.deliveriesPerSecond ?? 0))/s, "
        + "ratio \(LoadResult.fixed(ratios.last ?? 0, 2))"
    }

    func text(_ window: Int) -> String {
      """
      window \(window): medians of \(daemon.count) alternating runs (least … most)
        daemon     \(Self.line(daemon))
        ceiling    \(Self.line(relay))
        ratio      \(Spread(values: ratios).text(2)) of the deliveries, \(Spread(values: costRatios).text(2)) of the \
      processor time of each
      """
    }

    private static func line(_ runs: [LoadResult]) -> String {
      "\(Spread(values: runs.map(\.deliveriesPerSecond)).text()) deliveries/s, \(Spread(values: costs(runs)).text()) ns "
        + "each, core \(Spread(values: runs.map { ($0.daemonLoad ?? 0) * 100 }).text()) %, "
        + "harness \(Spread(values: runs.map { $0.harnessLoad * 100 }).text()) %"
    }

    var json: [String: Any] {
      ["ratio": Spread(values: ratios).json, "daemon": daemon.map(\.json), "ceiling": relay.map(\.json)]
    }
  }

  private func measure(_ window: Int, _ core: Int?, into measured: inout Measured) throws {
    var options = options
    options.window = window
    let daemon = try ChildProcess.daemon(shards: 1, core: core)
    defer { daemon.stop() }
    options.address = daemon.address
    let run = try CeilingRun(options)
    measured.daemon.append(try run.measure(daemon.usage))
    try run.check()
    daemon.stop()

    let relay = try ChildProcess("baize-lab", ["relay"], marker: "relay listening on ", core: core)
    defer { relay.stop() }
    options.address = relay.address
    measured.relay.append(try CeilingRun(options, like: run).measure(relay.usage))
  }
}
