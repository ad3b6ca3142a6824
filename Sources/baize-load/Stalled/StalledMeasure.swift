import BaizeHarness
import BaizeSync
import BaizeTransport
import BaizeWire
import Foundation

/// Measures the effect of stalled readers and of crowds on players: the same load on daemons of their own, under each
/// condition in turn.
struct StalledMeasure {
  private let options: LoadOptions
  private let crowd: Int
  private let runs: Int
  private let report: (String) -> Void

  /// The maximum ratio of the others' p99 to the one that it is compared with.
  static let ratioMax = 1.5
  /// The number of long texts that are written at each table before a run.
  static let fillUpdates = 100
  private static let warmUpSeconds = 1.5
  /// The times at which a crowd arrives or leaves, from the beginning of the warming up.
  private static let crowdSeconds = 2.0

  enum Condition: String, CaseIterable {
    case normal
    case stalled
    case trickle
    case stormElsewhere = "storm elsewhere"
    case storm
    case disconnectElsewhere = "disconnect elsewhere"
    case disconnect

    /// The condition that it is compared with, if any.
    var reference: Condition? {
      switch self {
      case .normal, .stormElsewhere, .disconnectElsewhere: nil
      case .stalled, .trickle: .normal
      case .storm: .stormElsewhere
      case .disconnect: .disconnectElsewhere
      }
    }
  }

  struct Run {
    var median: Double
    var p99: Double
    /// The daemon's peak, in bytes.
    var peakBytes: Int
    var isSound: Bool
    /// The number of a crowd's members that were welcomed, and the milliseconds until the last was.
    var crowd: (welcomed: Int, milliseconds: Double)?
  }

  /// - Parameter options: The load, without the conditions.
  init(options: LoadOptions, crowd: Int, runs: Int, report: @escaping (String) -> Void) {
    var options = options
    options.tableType = "list?items=52"
    options.fillUpdates = Self.fillUpdates
    options.warmUpSeconds = Self.warmUpSeconds
    options.showsProgress = false
    self.options = options
    self.crowd = crowd
    self.runs = runs
    self.report = report
  }

  /// - Returns: Whether the p99 is within its limit, whether all other checks hold, and the result for programs.
  func perform() throws -> (isFastEnough: Bool, isSound: Bool, json: [String: Any]) {
    let core = try Affinity.divide(report)
    var measured: [Condition: [Run]] = [:]
    for round in 1...runs {
      for condition in Condition.allCases {
        let run = try measure(condition, core)
        measured[condition, default: []].append(run)
        report("round \(round) of \(runs), \(condition.rawValue): \(line(run))")
      }
    }
    let result = StalledResult(runs: measured, readers: stalledCount, rounds: runs)
    report(header + "\n" + result.text)
    let areTimeoutsSound = try TimeoutCheck(options: options, stalled: stalledCount, core: core, report: report)
      .perform()
    let isSound = areTimeoutsSound && result.isSound
    if !result.isFastEnough { report("the limit for the p99 is missed") }
    return (result.isFastEnough, isSound, result.json)
  }

  /// A tenth of all connections.
  private var stalledCount: Int { max(1, (options.tables * options.players + 4) / 9) }

  private var header: String {
    "\(options.tables) tables of \(options.players) players, \(Int(options.rate ?? 0)) operations per second, "
      + "\(stalledCount) stalled, a crowd of \(crowd); \(runs) rounds"
  }

  private func line(_ run: Run) -> String {
    "p50 \(LoadResult.fixed(run.median, 0)) µs, p99 \(LoadResult.fixed(run.p99, 0)) µs, "
      + "peak \(run.peakBytes >> 20) MiB"
      + (run.crowd.map { ", \($0.welcomed) admitted after \(LoadResult.fixed($0.milliseconds, 0)) ms" } ?? "")
      + (run.isSound ? "" : ", NOT SOUND")
  }

  // MARK: A run

  private func measure(_ condition: Condition, _ core: Int?) throws -> Run {
    let daemon = try ChildProcess.daemon(shards: 1, core: core)
    defer { daemon.stop() }
    var readers: [BlockingClient] = []
    var child: ChildProcess?
    let result = try LoadSession.measure(options, on: daemon, report: report) { session in
      session.joined = { readers = try stall(condition.readers(of: stalledCount), daemon.address) }
      session.secondPassed = { if condition == .trickle { readers.first?.readByte() } }
      session.warming = { child = try startCrowd(condition, daemon.address) }
    }
    child?.waitForExit()
    let output = child.flatMap { $0.output.split(separator: "\n").last }.map(String.init)
    for reader in readers { reader.close() }
    let peakBytes = daemon.usage.peakResidentBytes
    return Run(
      median: Double(result.total.toLast.percentile(0.5)) / 1e3,
      p99: Double(result.total.toLast.percentile(0.99)) / 1e3,
      peakBytes: peakBytes ?? 0,
      isSound: result.faults.isNone && peakBytes != nil && isWelcomed(output, condition),
      crowd: condition.meetsDaemon ? Self.crowd(output) : nil)
  }

  /// Readers at the first tables, each of which reads only its snapshot.
  private func stall(_ count: Int, _ address: SocketAddress) throws -> [BlockingClient] {
    try (0..<count).map { number in
      let reader = try BlockingClient(address, receiveBufferBytes: 4 << 10)
      try reader.join(Hello(table: options.tableName(number % options.tables), name: "stalled", role: .spectator))
      return reader
    }
  }

  private func startCrowd(_ condition: Condition, _ address: SocketAddress) throws -> ChildProcess? {
    var plan = CrowdCommand.Plan()
    let now = MonotonicClock.now()
    let moment = now + UInt64(Self.crowdSeconds * 1e9)
    let end = now + UInt64((Self.warmUpSeconds + options.seconds) * 1e9)
    switch condition {
    case .normal, .stalled, .trickle: return nil
    case .storm, .stormElsewhere: (plan.connectsAt, plan.disconnectsAt) = (moment, end)
    case .disconnect, .disconnectElsewhere: (plan.connectsAt, plan.disconnectsAt) = (now, moment)
    }
    plan.count = crowd
    plan.address = condition.meetsDaemon ? address : nil
    return try ChildProcess("baize-load", plan.arguments, marker: CrowdCommand.marker)
  }

  /// Whether all members of a crowd that sent a hello were welcomed.
  private func isWelcomed(_ output: String?, _ condition: Condition) -> Bool {
    guard condition.meetsDaemon else { return true }
    return output.flatMap(Self.crowd)?.welcomed == crowd - crowd / 4
  }

  private static func crowd(_ output: String?) -> (welcomed: Int, milliseconds: Double)? {
    let words = (output ?? "").split(whereSeparator: \.isWhitespace)
    guard words.count == 2, let welcomed = Int(words[0]), let nanoseconds = Double(words[1]) else { return nil }
    return (welcomed, nanoseconds / 1e6)
  }
}

extension StalledMeasure.Condition {
  /// The number of connections that do not read.
  func readers(of stalledCount: Int) -> Int {
    switch self {
    case .stalled: stalledCount
    case .trickle: 1
    case .normal, .storm, .stormElsewhere, .disconnect, .disconnectElsewhere: 0
    }
  }

  /// Whether a crowd comes to the daemon.
  fileprivate var meetsDaemon: Bool { self == .storm || self == .disconnect }
}
