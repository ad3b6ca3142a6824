import BaizeHarness
import BaizeTransport
import Foundation

/// Measures the daemon and the ceiling in turns, and prints the ratio: same transport, same bytes, no game.
struct Ceiling {
  var options: LoadOptions
  let runs: Int
  let windows: [Int]
  let report: (String) -> Void

  /// The minimum ratio of the daemon's deliveries to the relay's, by window.
  static let ratioMins = [1: 0.9, 16: 0.5]

  /// - Returns: Whether no run failed and the ratios are reached, and the result for programs.
  func perform() throws -> (isSound: Bool, json: [String: Any]) {
    let recording = try record()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("baize-\(UUID().uuidString).frames")
    try Data(recording.bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var isSound = true
    var json: [String: Any] = [:]
    for window in windows {
      var measured = Measured()
      for run in 1...runs {
        try measure(window, recording, file.path, into: &measured)
        report("window \(window), run \(run) of \(runs): \(measured.lastLine)")
      }
      report(measured.text(window))
      let ratioMin = Self.ratioMins[window] ?? 0
      let isReached = Spread(values: measured.ratios).median >= ratioMin
      if !isReached { report("the limit for window \(window) is missed: at least \(ratioMin)") }
      isSound = isSound && measured.isSound && isReached
      json["window\(window)"] = measured.json
    }
    return (isSound, json)
  }

  private struct Measured {
    var daemon: [Double] = []
    var relay: [Double] = []
    var daemonCost: [Double] = []
    var relayCost: [Double] = []
    var isSound = true
    var wasHarnessLimited = false

    var ratios: [Double] { zip(daemon, relay).map { $0 / max(1, $1) } }
    var costRatios: [Double] { zip(relayCost, daemonCost).map { $0 / max(1, $1) } }

    var lastLine: String {
      "daemon \(Int(daemon.last ?? 0))/s, relay \(Int(relay.last ?? 0))/s, "
        + "ratio \(LoadResult.fixed(ratios.last ?? 0, 2))"
    }

    func text(_ window: Int) -> String {
      var lines = [
        "window \(window): medians of \(daemon.count) alternating runs (least … most)",
        "  daemon     \(Spread(values: daemon).text()) deliveries/s",
        "  ceiling    \(Spread(values: relay).text()) deliveries/s",
        "  ratio      \(Spread(values: ratios).text(2))",
        "  processor  daemon \(Spread(values: daemonCost).text()) ns, ceiling \(Spread(values: relayCost).text()) ns "
          + "per delivery; ceiling/daemon \(Spread(values: costRatios).text(2))",
      ]
      if wasHarnessLimited { lines.append("  note       the harness' own core was the limit in a run of the daemon") }
      return lines.joined(separator: "\n")
    }

    var json: [String: Any] {
      [
        "daemonDeliveriesPerSecond": Spread(values: daemon).json,
        "ceilingDeliveriesPerSecond": Spread(values: relay).json, "ratio": Spread(values: ratios).json,
        "daemonNanosecondsPerDelivery": Spread(values: daemonCost).json,
        "ceilingNanosecondsPerDelivery": Spread(values: relayCost).json, "wasHarnessLimited": wasHarnessLimited,
      ]
    }
  }

  /// Records the frames of a short run.
  private func record() throws -> Recording {
    let daemon = try ChildProcess.daemon(shards: 1)
    defer { daemon.stop() }
    var options = options
    options.address = daemon.address
    options.tables = 1
    options.window = 4
    options.seconds = 0.5
    options.warmUpSeconds = 0
    options.showsProgress = false
    let (_, recording) = try LoadSession(options: options, report: report).perform(recording: true)
    guard let recording, recording.covers(sessions: options.players) else {
      throw RunFailure("the recording holds no frames of some player")
    }
    return recording
  }

  private func measure(
    _ window: Int, _ recording: Recording, _ file: String, into measured: inout Measured
  ) throws {
    var options = options
    options.window = window
    let daemon = try ChildProcess.daemon(shards: 1)
    let result = try LoadSession.measure(options, on: daemon, report: report)
    daemon.stop()
    measured.daemon.append(result.deliveriesPerSecond)
    measured.daemonCost.append(result.daemonNanosecondsPerDelivery ?? 0)
    measured.isSound = measured.isSound && result.faults.isNone
    measured.wasHarnessLimited = measured.wasHarnessLimited || result.isHarnessLimited

    let relay = try ChildProcess("baize-load", ["relay", file], marker: "relay listening on ")
    defer { relay.stop() }
    options.address = relay.address
    try drive(options, recording, relay.usage, into: &measured)
  }

  private func drive(
    _ options: LoadOptions, _ recording: Recording, _ usage: ProcessUsage, into measured: inout Measured
  ) throws {
    let run = try RelayRun(options, recording)
    try run.begin()
    try run.run(seconds: 20, for: "everyone to connect") { run.isEveryoneConnected }
    // The first frames must have arrived before anyone is answered.
    try run.run(seconds: 0.05)
    run.startSubmitting()
    try run.run(seconds: options.warmUpSeconds)
    _ = run.takeDeliveries()
    let start = (time: MonotonicClock.now(), processor: usage.processorSeconds ?? 0)
    try run.run(seconds: options.seconds)
    let seconds = Double(MonotonicClock.now() - start.time) / 1e9
    let processor = (usage.processorSeconds ?? 0) - start.processor
    let deliveries = Double(run.takeDeliveries())
    if let failure = run.failure { throw RunFailure(failure) }
    measured.relay.append(deliveries / seconds)
    measured.relayCost.append(processor * 1e9 / max(1, deliveries))
  }
}
