import BaizeCommandLine
import BaizeTransport
import Foundation

/// A daemon, honest tables, a storm to warm up, and the storms that count.
struct HostileRun {
  let options: HostileOptions

  init(_ options: HostileOptions) { self.options = options }

  /// What storms of one kind may differ in: memory that an allocator keeps, here or there.
  private static let growthBytesMax = 8 << 20
  private static let growthShareMax = 0.1
  /// A line for what goes wrong with a connection is allowed, and no more.
  private static let logBytesPerConnectionMax = 300

  /// - Returns: Whether everything held.
  func perform() throws -> Bool {
    let daemon = try DaemonProcess(options)
    let honest = try HonestTables(at: daemon.address, seed: options.seed)
    let storm = try Storm(at: daemon.address, seed: options.seed)
    var faults: [String] = []
    rest(seconds: 1)
    report("before", daemon, honest.takeLatencies())
    var resident: [Int] = []
    // The first is not counted: it fills what every storm fills, tables and sessions and buffers.
    for round in 0...options.rounds {
      let counts = (storm.tally.frameCount, storm.tally.connectionCount)
      let began = MonotonicClock.now()
      try storm.rage(
        frames: options.frames / options.rounds, connections: options.connections / options.rounds
      ) { daemon.isRunning }
      let seconds = Double(MonotonicClock.now() - began) / 1e9
      let during = honest.takeLatencies()
      settle(daemon)
      guard daemon.isRunning else { break }
      resident.append(daemon.residentBytes)
      report(
        "\(round == 0 ? "to warm up" : "storm \(round)"): \(storm.tally.frameCount - counts.0) frames, "
          + "\(storm.tally.connectionCount - counts.1) connections in \(String(format: "%.1f", seconds)) s, "
          + "\(storm.sessionCount) sessions", daemon,
        during)
      _ = honest.takeLatencies()
    }
    if daemon.isRunning { faults += honest.finish() } else { faults.append("the daemon has died") }
    faults += growth(resident)
    Console.print(storm.tally.text)
    faults += storm.tally.answers.keys.filter { $0.hasPrefix("UNREADABLE") || $0.hasPrefix("CANNOT") }
    let code = daemon.stop()
    if code != 0 { faults.append("the daemon ended with \(code)") }
    faults += complaints(daemon.logText, connections: storm.tally.connectionCount)
    for fault in faults { Console.printError("hostile-client: \(fault)") }
    Console.print(faults.isEmpty ? "it holds (seed \(options.seed))" : "it does not hold (seed \(options.seed))")
    return faults.isEmpty
  }

  /// Lets the daemon come to rest: what it holds has not grown for half a second.
  private func settle(_ daemon: DaemonProcess) {
    var most = 0
    for _ in 0..<20 {
      rest(seconds: 0.5)
      let now = daemon.residentBytes
      if now <= most { return }
      most = now
    }
  }

  private func rest(seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

  private func report(_ what: String, _ daemon: DaemonProcess, _ latencies: Histogram) {
    let times = [0.5, 0.99, 1].map { "\(latencies.percentile($0) / 1_000) µs" }
    Console.print(
      "\(what): the daemon holds \(daemon.residentBytes >> 10) KiB; \(latencies.count) honest answers, "
        + "p50 \(times[0]), p99 \(times[1]), at most \(times[2])")
  }

  /// Held against the storm in the middle: the first ones fill what has a bound, such as what is kept of the journal.
  private func growth(_ resident: [Int]) -> [String] {
    guard let last = resident.last, resident.count > 1 else { return [] }
    let middle = resident[resident.count / 2]
    let allowed = max(Self.growthBytesMax, Int(Double(middle) * Self.growthShareMax))
    return last - middle <= allowed ? [] : ["the daemon grew by \((last - middle) >> 10) KiB over the later storms"]
  }

  private func complaints(_ log: String, connections: Int) -> [String] {
    var complaints: [String] = []
    for word in ["Fatal error", "Crash", "Precondition", "Illegal instruction"] where log.contains(word) {
      complaints.append("the log has \"\(word)\"")
    }
    if log.utf8.count > connections * Self.logBytesPerConnectionMax {
      complaints.append("the log has \(log.utf8.count) bytes for \(connections) connections")
    }
    return complaints
  }
}
