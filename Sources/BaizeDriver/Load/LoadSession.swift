import BaizeTransport

/// The run of a load whose members have joined: it warms up, is measured second by second, and compares every copy.
package struct LoadSession {
  package let options: LoadOptions
  package let driver: Driver
  /// The destination of progress lines.
  private let report: (String) -> Void

  /// Joins everyone.
  ///
  /// - Parameter original: For a relay: the driver of a daemon, whose routes and diffs are repeated.
  /// - Throws: ``RunFailure`` if not everyone can join.
  package init(_ options: LoadOptions, like original: Driver? = nil, report: @escaping (String) -> Void) throws {
    (self.options, self.report) = (options, report)
    driver = try Driver(options, like: original)
    try driver.join(options.address)
  }

  /// - Parameter secondPassed: Called after each second that is measured.
  package func measure(secondPassed: () -> Void = {}) throws -> LoadResult {
    let daemon = options.address.isLoopback ? ProcessUsage.listening(onPort: options.address.port) : nil
    driver.submit(options.source, window: options.window, rate: options.rate)
    try driver.run(seconds: options.warmUpSeconds)
    if let operations = options.operations { return try count(operations) }
    _ = driver.takeCounters()
    var result = LoadResult(options: options)
    let start = ClockReading(daemon)
    let end = start.time + UInt64(options.seconds * 1e9)
    var second = start.time
    while second < end {
      let next = min(second + 1_000_000_000, end)
      try driver.loop.run(driver, until: next)
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
  private func count(_ operations: Int) throws -> LoadResult {
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
    func rate(_ count: UInt64) -> Int { Int(Double(count) / seconds) }
    return "accepted \(rate(counters.accepted))/s  refused \(rate(counters.refused))/s  "
      + "rebased \(rate(counters.rebased))/s  deliveries \(rate(counters.deliveries))/s  "
      + "own p99 \(LoadResult.microseconds(counters.toOwn.percentile(0.99)))  "
      + "last p99 \(LoadResult.microseconds(counters.toLast.percentile(0.99)))"
  }
}
