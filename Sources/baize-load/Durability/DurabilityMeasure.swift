import BaizeHarness
import BaizeTransport
import Foundation

/// Measures the cost of durability: the same load on daemons that commit every diff before they send it, and on daemons
/// without a journal, in turns, each with one core for all its threads.
struct DurabilityMeasure {
  var options: LoadOptions
  let runs: Int
  /// The folder of the journals; `nil` for the system's temporary folder.
  let directory: String?
  let report: (String) -> Void

  /// The minimum ratio of a strict daemon's deliveries to those of one without a journal, at window 16.
  static let ratioMin = 0.6
  /// The same at both windows if the journal is on a tmpfs, so that the disk is not measured.
  static let tmpfsRatioMin = 0.75
  /// The maximum number of commit times that is added to the median time to answer, at window 1.
  static let commitsMax = 2.0

  /// - Returns: Whether the marks are reached and no run went wrong; and the result for programs.
  func perform() throws -> (isSound: Bool, json: [String: Any]) {
    let core = try Affinity.divide(report)
    var full = Measured()
    var single = Measured()
    for (window, name) in [(16, "deliveries"), (1, "latency")] {
      for run in 1...runs {
        let memory = try measure(window, isStrict: false, core)
        let strict = try measure(window, isStrict: true, core)
        if window == 16 { full.add(memory, strict) } else { single.add(memory, strict) }
        report("\(name), run \(run) of \(runs): \(memory.line); \(strict.line)")
      }
    }
    report(text(full, single))
    guard full.isSound, single.isSound else { throw RunFailure("a copy differed, or the daemon reported no commits") }
    let isSound = isReached(full, single)
    if !isSound { report("the limit is missed") }
    return (isSound, ["window16": full.json, "window1": single.json, "runs": runs, "isBound": core != nil])
  }

  // MARK: A run

  private struct Run {
    let isStrict: Bool
    let isSound: Bool
    let deliveriesPerSecond: Double
    /// The median time from submit to the author's answer, in microseconds.
    let latency: Double
    /// The daemon's log line about its journal.
    let commits: CommitReport?

    var line: String {
      "\(isStrict ? "strict" : "memory") \(Int(deliveriesPerSecond))/s, \(LoadResult.fixed(latency, 0)) µs"
        + (commits.map { ", commit \(LoadResult.fixed($0.medianMicroseconds, 0)) µs" } ?? "")
    }
  }

  private func measure(_ window: Int, isStrict: Bool, _ core: Int?) throws -> Run {
    let folder = try TemporaryFolder(in: directory)
    let daemon = try ChildProcess.daemon(
      journal: isStrict ? folder.path("journal.sqlite") : nil, shards: 1, core: core, logLevel: "info")
    defer { daemon.stop() }
    var options = options
    options.window = window
    let result = try LoadSession.measure(options, on: daemon, report: report)
    daemon.stop()
    let commits = CommitReport(inLog: daemon.errors)
    if isStrict, commits == nil { report("the daemon's log has no line about its commits") }
    return Run(
      isStrict: isStrict, isSound: result.faults.isNone && (commits != nil || !isStrict),
      deliveriesPerSecond: result.deliveriesPerSecond, latency: Double(result.total.toOwn.percentile(0.5)) / 1e3,
      commits: commits)
  }

  // MARK: All runs

  private struct Measured {
    private(set) var memory: [Run] = []
    private(set) var strict: [Run] = []

    mutating func add(_ memory: Run, _ strict: Run) {
      self.memory.append(memory)
      self.strict.append(strict)
    }

    var isSound: Bool { (memory + strict).allSatisfy(\.isSound) }
    var ratios: [Double] { zip(strict, memory).map { $0.deliveriesPerSecond / max(1, $1.deliveriesPerSecond) } }
    /// The time added to the median, in microseconds, and the same in commit times.
    var added: [Double] { zip(strict, memory).map { $0.latency - $1.latency } }
    var addedCommits: [Double] { zip(added, commits).map { $0 / max(1, $1) } }
    var commits: [Double] { strict.map { $0.commits?.medianMicroseconds ?? 0 } }

    var json: [String: Any] {
      [
        "memoryDeliveriesPerSecond": Spread(values: memory.map(\.deliveriesPerSecond)).json,
        "strictDeliveriesPerSecond": Spread(values: strict.map(\.deliveriesPerSecond)).json,
        "ratio": Spread(values: ratios).json, "memoryMicroseconds": Spread(values: memory.map(\.latency)).json,
        "strictMicroseconds": Spread(values: strict.map(\.latency)).json,
        "addedMicroseconds": Spread(values: added).json,
        "commitMicroseconds": Spread(values: commits).json, "addedCommits": Spread(values: addedCommits).json,
      ]
    }
  }

  private func isReached(_ full: Measured, _ single: Measured) -> Bool {
    if isOnTmpfs {
      return [full, single].allSatisfy { Spread(values: $0.ratios).median >= Self.tmpfsRatioMin }
    }
    return Spread(values: full.ratios).median >= Self.ratioMin
      && Spread(values: single.addedCommits).median <= Self.commitsMax
  }

  /// Whether the journals are on a tmpfs, by Linux' list of mounts.
  private var isOnTmpfs: Bool {
    let folder = URL(fileURLWithPath: directory ?? FileManager.default.temporaryDirectory.path)
    let path = folder.resolvingSymlinksInPath().path + "/"
    let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
    var nearest: (point: Substring, system: Substring) = ("", "")
    for line in mounts.split(separator: "\n") {
      let fields: [Substring] = line.split(separator: " ")
      guard fields.count > 2, fields[1].count > nearest.point.count else { continue }
      if fields[1] == "/" || path.hasPrefix("\(fields[1])/") { nearest = (fields[1], fields[2]) }
    }
    return nearest.system == "tmpfs"
  }

  private func text(_ full: Measured, _ single: Measured) -> String {
    func spread(_ runs: [Run], _ value: (Run) -> Double) -> String { Spread(values: runs.map(value)).text() }
    return """
      \(options.tables) tables of \(options.players) players, type \(options.tableType), one core for the daemon, medians of \
      \(runs) alternating runs (least … most)
      window 16, deliveries per second
        memory        \(spread(full.memory, \.deliveriesPerSecond))
        strict        \(spread(full.strict, \.deliveriesPerSecond))
        ratio         \(Spread(values: full.ratios).text(2))
      window 1, from submit to one's own answer, medians in µs
        memory        \(spread(single.memory, \.latency))
        strict        \(spread(single.strict, \.latency))
        deliveries    \(spread(single.strict, \.deliveriesPerSecond)) strict, \(Spread(values: single.ratios).text(2)) of memory
        added         \(Spread(values: single.added).text()), which is \(Spread(values: single.addedCommits).text(2)) commits
        a commit      \(Spread(values: single.commits).text()), by the daemon's own clock
      """
  }
}

/// A daemon's log line about its commits when it stops: `journal: N commits, median M µs, p99 P µs`.
struct CommitReport: Equatable {
  let count: Int
  let medianMicroseconds: Double
  let p99Microseconds: Double

  /// The last such line of a log; `nil` where there is none.
  init?(inLog text: String) {
    let pattern = /journal: ([0-9]+) commits, median ([0-9.]+) µs, p99 ([0-9.]+) µs/
    guard let match = text.split(separator: "\n").reversed().lazy.compactMap({ $0.firstMatch(of: pattern) }).first,
      let count = Int(match.1), let median = Double(match.2), let p99 = Double(match.3)
    else { return nil }
    self.count = count
    medianMicroseconds = median
    p99Microseconds = p99
  }
}
