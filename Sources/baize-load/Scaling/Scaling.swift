import BaizeHarness
import BaizeTransport
import Synchronization

/// Measures the cost of a list's length: operations on a short and on a long one, in turns, and the effect of a newcomer to
/// the long one on its players.
struct Scaling {
  var options: LoadOptions
  let runs: Int
  let short: Int
  let long: Int
  let report: (String) -> Void

  func perform() throws -> (isSound: Bool, json: [String: Any]) {
    var costs: [Int: [Double]] = [:]
    var rates: [Int: [Double]] = [:]
    var calm: [Double] = []
    var joining: [Double] = []
    var isSound = true
    for run in 1...runs {
      for items in [short, long] {
        let daemon = try ChildProcess.daemon(shards: 1)
        defer { daemon.stop() }
        var options = options
        options.address = daemon.address
        options.tables = 1
        options.tableType = "list?items=\(items)"
        let result = try LoadSession.measure(options, on: daemon, report: report)
        isSound = isSound && result.faults.isNone
        costs[items, default: []].append(result.daemonNanosecondsPerDelivery ?? 0)
        rates[items, default: []].append(result.deliveriesPerSecond)
        guard items == long else { continue }
        calm.append(Double(result.total.toOwn.maximum) / 1e6)
        joining.append(try joinDuringRun(options))
      }
      report(
        "run \(run) of \(runs): \(Int(costs[short]?.last ?? 0)) ns and \(Int(costs[long]?.last ?? 0)) ns a delivery")
    }
    let ratios = zip(costs[long] ?? [], costs[short] ?? []).map { $0 / max(1, $1) }
    let rateRatios = zip(rates[short] ?? [], rates[long] ?? []).map { $0 / max(1, $1) }
    report(
      """
      lists of \(short) and \(long) items, window \(options.window), medians of \(runs) alternating runs (least … most)
        short       \(Spread(values: costs[short] ?? []).text()) ns of the daemon per delivery
        long        \(Spread(values: costs[long] ?? []).text()) ns of the daemon per delivery
        long/short  \(Spread(values: ratios).text(2)) in processor time, \(Spread(values: rateRatios).text(2)) in rate
        longest answer on the long list: \(Spread(values: calm).text(1)) ms alone, \
      \(Spread(values: joining).text(1)) ms while a newcomer loads
      """)
    return (
      isSound,
      [
        "processorRatio": Spread(values: ratios).json, "rateRatio": Spread(values: rateRatios).json,
        "longestAnswerMilliseconds": Spread(values: calm).json,
        "longestAnswerWhileLoadingMilliseconds": Spread(values: joining).json,
      ]
    )
  }

  /// Plays on the long list while others join it.
  ///
  /// - Returns: The longest time to an own answer meanwhile, in milliseconds.
  private func joinDuringRun(_ options: LoadOptions) throws -> Double {
    let run = try LoadRun(options)
    try run.state.begin()
    try run.run(seconds: 60, for: "everyone to join") { run.state.isEveryoneLive }
    run.state.startSubmitting()
    try run.run(seconds: 0.5)
    _ = run.state.takeCounters()
    let newcomer = try Newcomer(options)
    defer { newcomer.wait() }
    try run.run(seconds: 60, for: "a newcomer to load") { newcomer.isLoaded }
    return Double(run.state.takeCounters().toOwn.maximum) / 1e6
  }
}

/// A spectator that joins the first table on a thread of its own, reads its snapshot to the end and leaves.
private final class Newcomer: Sendable {
  private let loaded = Atomic(false)
  private let thread = Mutex<LoopThread?>(nil)

  init(_ options: LoadOptions) throws {
    let thread = try LoopThread(name: "newcomer") { [self] in
      let table = try? Crowd.readTable(options.tableName(0), at: options.address, seconds: 60)
      loaded.store(table != nil, ordering: .releasing)
    }
    self.thread.withLock { $0 = thread }
  }

  var isLoaded: Bool { loaded.load(ordering: .acquiring) }

  func wait() { thread.withLock { $0.take() }?.join() }
}
