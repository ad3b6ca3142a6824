import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTransport
import BaizeWorkload
import Foundation

/// A run: a daemon, honest tables, a storm to warm up, and the measured storms.
struct HostileRun {
  let options: HostileOptions

  init(_ options: HostileOptions) { self.options = options }

  /// The difference in memory allowed between storms, for what an allocator keeps.
  private static let growthBytesMax = 8 << 20
  private static let growthShareMax = 0.1
  /// The daemon may log a line for each connection, and no more.
  private static let logBytesPerConnectionMax = 300

  /// - Returns: Whether everything held.
  func perform() throws -> Bool {
    let daemon = try startDaemon()
    let metrics = try DaemonMetrics(daemon)
    let honest = try HonestTables(at: daemon.address, seed: options.seed)
    let storm = try Storm(
      at: options.usesHTTP ? daemon.httpAddress : daemon.address, usesHTTP: options.usesHTTP, seed: options.seed)
    // The storms give way to the daemon and the honest clients, as if they came from another machine: an honest answer waits
    // for what the daemon does, and not for a processor.
    Affinity.useIdleProcessors()
    var faults: [String] = []
    rest(seconds: 1)
    let quiet = honest.takeLatencies()
    report("before", daemon, quiet)
    var (stormy, latencyMax) = (Histogram(), UInt64(0))
    var memory: [DaemonMemory] = []
    // The first one warms up: it fills tables, sessions and buffers.
    for round in 0...options.rounds {
      let before = (storm.counts.frameCount, storm.counts.connectionCount)
      let began = MonotonicClock.now()
      try storm.run(
        frames: options.frames / options.rounds, connections: options.connections / options.rounds
      ) { daemon.isRunning }
      let seconds = Double(MonotonicClock.now() - began) / 1e9
      let during = honest.takeLatencies()
      settle(daemon)
      guard daemon.isRunning else { break }
      memory.append(try metrics.memory())
      report(
        "\(round == 0 ? "to warm up" : "storm \(round)"): \(storm.counts.frameCount - before.0) frames, "
          + "\(storm.counts.connectionCount - before.1) connections in \(String(format: "%.1f", seconds)) s, "
          + "\(storm.sessionCount) sessions, \((memory.last?.charged ?? 0) >> 10) KiB charged", daemon,
        during)
      if round > 0 { stormy.merge(during) }
      latencyMax = max(latencyMax, during.percentile(0.99))
      _ = honest.takeLatencies()
    }
    faults += slowdown(from: quiet.percentile(0.99), to: stormy.percentile(0.99), inWorst: latencyMax)
    if daemon.isRunning { faults += honest.finish() } else { faults.append("the daemon has died") }
    faults += growth(memory)
    Console.print(storm.counts.text)
    faults += storm.counts.answers.keys.filter { $0.hasPrefix("UNREADABLE") || $0.hasPrefix("CANNOT") }
    let code = daemon.stop()
    if code != 0 { faults.append("the daemon ended with \(code)") }
    faults += complaints(daemon.errors, connections: storm.counts.connectionCount)
    for fault in faults { Console.printError("hostile-client: \(fault)") }
    Console.print(faults.isEmpty ? "passed (seed \(options.seed))" : "failed (seed \(options.seed))")
    return faults.isEmpty
  }

  /// A daemon with short timeouts, and a journal if requested.
  private func startDaemon() throws -> ChildProcess {
    let storage = options.keepsJournal ? ["--journal", "journal.sqlite"] : ["--durability", "memory"]
    return try ChildProcess(
      "baized",
      ["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--handshake", "2", "--grace", "1", "--heartbeat", "20"]
        + storage
        + (options.usesHTTP ? ["--http", "127.0.0.1:0"] : []),
      marker: ChildProcess.daemonMarker, programs: options.programs,
      environment: [DaemonMetrics.environment.0: DaemonMetrics.environment.1])
  }

  private func allocatedBytes(_ daemon: ChildProcess) -> Int { daemon.usage.anonymousBytes ?? 0 }

  /// Waits until the daemon's memory has not grown for half a second.
  private func settle(_ daemon: ChildProcess) {
    var most = 0
    for _ in 0..<20 {
      rest(seconds: 0.5)
      let now = allocatedBytes(daemon)
      if now <= most { return }
      most = now
    }
  }

  private func rest(seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

  private func report(_ what: String, _ daemon: ChildProcess, _ latencies: Histogram) {
    let times = [0.5, 0.99, 1].map { "\(latencies.percentile($0) / 1_000) µs" }
    Console.print(
      "\(what): the daemon holds \(allocatedBytes(daemon) >> 10) KiB; \(latencies.count) honest answers, "
        + "p50 \(times[0]), p99 \(times[1]), at most \(times[2])")
  }

  /// Compares with the storm in the middle: the first ones fill what has a bound, such as the journal's cache. What is
  /// charged to clients, such as remembered sessions, has limits of its own.
  ///
  /// Of the last two storms, the one after which less was charged to no one counts: when the daemon gives up what it needed only
  /// in a storm, the allocator keeps it for the next ones, and what is lost stays lost.
  private func growth(_ memory: [DaemonMemory]) -> [String] {
    guard memory.count > 1 else { return [] }
    let middle = memory[memory.count / 2]
    let later = memory[(memory.count / 2 + 1)...].suffix(2)
    guard let least = later.min(by: { $0.uncharged < $1.uncharged }) else { return [] }
    let allowed = max(Self.growthBytesMax, Int(Double(middle.allocated) * Self.growthShareMax))
    let (grown, uncharged) = (least.allocated - middle.allocated, least.uncharged - middle.uncharged)
    Console.print(
      "over the later storms the daemon grew by \(grown / 1_024) KiB, \((grown - uncharged) / 1_024) KiB of it charged")
    return uncharged <= allowed
      ? [] : ["the daemon grew by \(uncharged >> 10) KiB that are charged to no one over the later storms"]
  }

  /// Compares the p99 of the honest players' answers without a storm with that over all storms but the first, and with the
  /// highest of a single storm, which has few answers; all in nanoseconds. The limit applies to the highest.
  private func slowdown(from quiet: UInt64, to stormy: UInt64, inWorst most: UInt64) -> [String] {
    func rise(_ latency: UInt64) -> Double { (Double(latency) - Double(quiet)) / 1e6 }
    func text(_ latency: UInt64) -> String { String(format: "%.2f", rise(latency)) }
    let text =
      "the p99 of honest answers rose by \(text(stormy)) ms in the storms, by \(text(most)) ms in the worst storm"
    Console.print(text)
    guard let limit = options.latencyRiseMax, rise(most) > limit else { return [] }
    return [text]
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
