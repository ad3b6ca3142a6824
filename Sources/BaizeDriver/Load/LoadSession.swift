import BaizeTransport

/// A run from connecting to comparing, with a line a second on its progress.
package struct LoadSession {
  package let options: LoadOptions
  /// The destination of progress lines.
  package let report: (String) -> Void
  /// Called when everyone has joined, before any table is filled.
  package var joined: () throws -> Void = {}
  /// Called when the warming up is about to begin.
  package var warming: () throws -> Void = {}
  /// Called after each second that is measured.
  package var secondPassed: () -> Void = {}

  package init(options: LoadOptions, report: @escaping (String) -> Void) {
    (self.options, self.report) = (options, report)
  }

  package func perform() throws -> LoadResult { try perform(try Driver(options)) }

  /// - Parameter driver: Members for these options that have not connected yet.
  package func perform(_ driver: Driver) throws -> LoadResult {
    try driver.join(options.address)
    let daemon = options.address.isLoopback ? ProcessUsage.listening(onPort: options.address.port) : nil
    try joined()
    if options.fillUpdates > 0 { try driver.fill(texts: options.fillUpdates) }
    try warming()
    driver.submit(options.source, window: options.window, rate: options.rate)
    try driver.run(seconds: options.warmUpSeconds)
    if let operations = options.operations { return try count(operations, driver) }
    _ = driver.takeCounters()
    var result = LoadResult(options: options)
    let start = ClockReading(daemon)
    var second = start.time
    while second < start.time + UInt64(options.seconds * 1e9) {
      let next = min(second + 1_000_000_000, start.time + UInt64(options.seconds * 1e9))
      try driver.connections.loop.run(driver, until: next)
      let counters = driver.takeCounters()
      if options.showsProgress { report(Self.line(counters, seconds: Double(next - second) / 1e9)) }
      result.add(counters, seconds: Double(next - second) / 1e9)
      second = next
      secondPassed()
    }
    result.note(start, ClockReading(daemon))
    driver.settle()
    result.faults = driver.compare()
    return result
  }

  /// Submits exactly so many operations and waits for all answers, between two lines of standard input: nothing is in
  /// flight while a tool that counts the daemon's instructions begins or ends.
  private func count(_ operations: Int, _ driver: Driver) throws -> LoadResult {
    driver.settle()
    _ = driver.takeCounters()
    report("ready")
    _ = readLine()
    let start = MonotonicClock.now()
    driver.submit(options.source, window: options.window, rate: options.rate, count: operations)
    try driver.run(seconds: Double(HangGuard.seconds), for: "the last answer") { driver.isDone }
    var result = LoadResult(options: options)
    result.add(driver.takeCounters(), seconds: Double(MonotonicClock.now() - start) / 1e9)
    report("counted")
    _ = readLine()
    result.faults = driver.compare()
    return result
  }

  /// A reading of the clocks.
  package struct ClockReading {
    package let time = MonotonicClock.now()
    package let own = ProcessorTime.ofThread()
    package let daemon: Double?

    package init(_ process: ProcessUsage?) { daemon = process?.processorSeconds }
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
