import BaizeHarness
import BaizeTransport

/// A run from connecting to comparing, with a line a second on its progress.
struct LoadSession {
  let options: LoadOptions
  /// The destination of progress lines.
  let report: (String) -> Void
  /// Called when everyone has joined, before any table is filled.
  var joined: () throws -> Void = {}
  /// Called when the warming up is about to begin.
  var warming: () throws -> Void = {}
  /// Called after each second that is measured.
  var secondPassed: () -> Void = {}

  /// Puts a daemon of the run's own under load, without a line a second.
  ///
  /// - Parameter hooks: Sets the session's calls.
  static func measure(
    _ options: LoadOptions, on daemon: ChildProcess, report: @escaping (String) -> Void,
    hooks: (inout LoadSession) -> Void = { _ in }
  ) throws -> LoadResult {
    var options = options
    options.address = options.usesWebSocket ? try daemon.httpAddress : daemon.address
    options.showsProgress = false
    var session = LoadSession(options: options, report: report)
    hooks(&session)
    let result = try session.perform()
    if !result.faults.isNone { report(result.text) }
    return result
  }

  func perform() throws -> LoadResult {
    let run = try LoadRun(options)
    try run.state.begin()
    try wait(run, for: "everyone to join") { run.state.isEveryoneLive }
    let daemon = options.address.isLoopback ? ProcessUsage.listening(onPort: options.address.port) : nil

    try joined()
    run.state.beginFilling()
    try wait(run, for: "the tables to fill") { run.state.isFilled }
    try warming()
    run.state.startSubmitting()
    try run.run(seconds: options.warmUpSeconds)
    if let operations = options.operations { return try count(operations, run) }
    _ = run.state.takeCounters()
    var result = LoadResult(options: options)
    let start = ClockReading(daemon)
    var second = start.time
    while second < start.time + UInt64(options.seconds * 1e9) {
      let next = min(second + 1_000_000_000, start.time + UInt64(options.seconds * 1e9))
      try run.connections.loop.run(run, until: next)
      let counters = run.state.takeCounters()
      if options.showsProgress { report(Self.line(counters, seconds: Double(next - second) / 1e9)) }
      result.add(counters, seconds: Double(next - second) / 1e9)
      second = next
      secondPassed()
    }
    let end = ClockReading(daemon)
    result.note(start, end)
    waitForAnswers(run)
    result.faults = compare(run)
    return result
  }

  /// Submits exactly so many operations and waits for all answers, between two lines of standard input: nothing is in
  /// flight while a tool that counts the daemon's instructions begins or ends.
  private func count(_ operations: Int, _ run: LoadRun) throws -> LoadResult {
    waitForAnswers(run)
    _ = run.state.takeCounters()
    report("ready")
    _ = readLine()
    let start = MonotonicClock.now()
    run.state.operationsLeft = operations
    run.state.startSubmitting()
    try run.run(seconds: 600, for: "the last answer") {
      run.state.operationsLeft == 0 && run.state.inFlightCount == 0
    }
    var result = LoadResult(options: options)
    result.add(run.state.takeCounters(), seconds: Double(MonotonicClock.now() - start) / 1e9)
    report("counted")
    _ = readLine()
    result.faults = compare(run)
    return result
  }

  private func waitForAnswers(_ run: LoadRun) {
    run.state.stopSubmitting()
    _ = try? run.run(seconds: options.settleSeconds, for: "the last answers") { run.state.inFlightCount == 0 }
  }

  private func compare(_ run: LoadRun) -> LoadFaults {
    run.state.beginComparison()
    _ = try? run.run(seconds: options.settleSeconds, for: "the comparison") { run.state.isCompared }
    run.state.finishComparison()
    return run.state.faults
  }

  /// A reading of the clocks.
  struct ClockReading {
    let time = MonotonicClock.now()
    let own = ProcessorTime.ofThread()
    let daemon: Double?

    init(_ process: ProcessUsage?) { daemon = process?.processorSeconds }
  }

  private func wait(_ run: LoadRun, for what: String, until isDone: () -> Bool) throws {
    try run.run(for: what) {
      if let (reason, _) = run.state.faults.goodbyes.first { throw RunFailure("while waiting for \(what): \(reason)") }
      return isDone()
    }
  }

  private static func line(_ counters: LoadCounters, seconds: Double) -> String {
    let accepted = rate(counters.accepted, seconds)
    let refused = rate(counters.refused, seconds)
    let rebased = rate(counters.rebased, seconds)
    let deliveries = rate(counters.deliveries, seconds)
    return "accepted \(accepted)/s  refused \(refused)/s  rebased \(rebased)/s  deliveries \(deliveries)/s  "
      + "own p99 \(LoadResult.microseconds(counters.toOwn.percentile(0.99)))  "
      + "last p99 \(LoadResult.microseconds(counters.toLast.percentile(0.99)))"
  }

  private static func rate(_ count: UInt64, _ seconds: Double) -> Int { Int(Double(count) / seconds) }
}
