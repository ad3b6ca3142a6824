import BaizeHarness
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

  /// The figures of one run.
  private struct Figures {
    let deliveriesPerSecond: Double
    /// The server's processor time per delivery, and its and the harness' share of their cores.
    let nanoseconds: Double
    let load: Double
    let harnessLoad: Double
  }

  private struct Measured {
    var daemon: [Figures] = []
    var relay: [Figures] = []

    var ratios: [Double] { zip(daemon, relay).map { $0.deliveriesPerSecond / max(1, $1.deliveriesPerSecond) } }
    var costRatios: [Double] { zip(relay, daemon).map { $0.nanoseconds / max(1, $1.nanoseconds) } }

    var lastLine: String {
      "daemon \(Int(daemon.last?.deliveriesPerSecond ?? 0))/s, relay \(Int(relay.last?.deliveriesPerSecond ?? 0))/s, "
        + "ratio \(LoadResult.fixed(ratios.last ?? 0, 2))"
    }

    func text(_ window: Int) -> String {
      """
      window \(window): medians of \(daemon.count) alternating runs (least … most)
        daemon     \(Self.line(daemon))
        ceiling    \(Self.line(relay))
        ratio      \(Spread(values: ratios).text(2)) of the deliveries; \(Spread(values: costRatios).text(2)) of the \
      processor time per delivery
      """
    }

    private static func line(_ runs: [Figures]) -> String {
      "\(Spread(values: runs.map(\.deliveriesPerSecond)).text()) deliveries/s, "
        + "\(Spread(values: runs.map(\.nanoseconds)).text()) ns each; "
        + "\(Spread(values: runs.map { $0.load * 100 }).text()) % of its core, "
        + "harness \(Spread(values: runs.map { $0.harnessLoad * 100 }).text()) %"
    }

    var json: [String: Any] {
      [
        "daemonDeliveriesPerSecond": Spread(values: daemon.map(\.deliveriesPerSecond)).json,
        "ceilingDeliveriesPerSecond": Spread(values: relay.map(\.deliveriesPerSecond)).json,
        "ratio": Spread(values: ratios).json,
        "daemonNanosecondsPerDelivery": Spread(values: daemon.map(\.nanoseconds)).json,
        "ceilingNanosecondsPerDelivery": Spread(values: relay.map(\.nanoseconds)).json,
      ]
    }
  }

  private func measure(_ window: Int, _ core: Int?, into measured: inout Measured) throws {
    var options = options
    options.window = window
    let daemon = try ChildProcess.daemon(shards: 1, core: core)
    defer { daemon.stop() }
    options.address = daemon.address
    let run = try CeilingRun(options)
    measured.daemon.append(try measure(run, daemon.usage))
    try run.check()
    daemon.stop()

    let relay = try ChildProcess("baize-load", ["relay"], marker: "relay listening on ", core: core)
    defer { relay.stop() }
    options.address = relay.address
    measured.relay.append(try measure(CeilingRun(options, like: run), relay.usage))
  }

  private func measure(_ run: CeilingRun, _ server: ProcessUsage) throws -> Figures {
    try run.run(seconds: 20, for: "everyone to join") { try run.isDone(run.isEveryoneLive) }
    run.startSubmitting()
    try run.run(seconds: options.warmUpSeconds)
    let before = (deliveries: run.deliveries, clocks: LoadSession.ClockReading(server))
    try run.run(seconds: options.seconds)
    let after = (deliveries: run.deliveries, clocks: LoadSession.ClockReading(server))
    try run.settle()
    let seconds = Double(after.clocks.time - before.clocks.time) / 1e9
    let processor = (after.clocks.daemon ?? 0) - (before.clocks.daemon ?? 0)
    let deliveries = Double(after.deliveries - before.deliveries)
    return Figures(
      deliveriesPerSecond: deliveries / seconds, nanoseconds: processor * 1e9 / max(1, deliveries),
      load: processor / seconds, harnessLoad: Double(after.clocks.own - before.clocks.own) / 1e9 / seconds)
  }
}
