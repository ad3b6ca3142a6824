import BaizeTransport

/// The run of a load whose members have joined: it warms up, is measured second by second, and compares every copy.
package struct LoadSession {
  package let options: LoadOptions
  package let driver: Driver
  /// The destination of progress lines.
  private let report: (String) -> Void
  /// The times in which everyone joined.
  private let joining: Histogram

  /// Joins everyone.
  ///
  /// - Parameter original: For a relay: the driver of a daemon, whose routes and diffs are repeated.
  /// - Throws: ``RunFailure`` if not everyone can join.
  package init(_ options: LoadOptions, like original: Driver? = nil, report: @escaping (String) -> Void) throws {
    (self.options, self.report) = (options, report)
    driver = try Driver(options, like: original)
    try driver.join(options.address)
    joining = driver.counters.toJoin
  }

  /// - Parameter secondPassed: Called after each second that is measured.
  package func measure(secondPassed: () -> Void = {}) throws -> LoadResult {
    let daemon = options.address.isLoopback ? ProcessUsage.listening(onPort: options.address.port) : nil
    driver.submit(options.source, window: options.window, rate: options.rate, isPunctual: options.isPunctual)
    try driver.run(seconds: options.warmUpSeconds)
    if let operations = options.operations { return try count(operations) }
    if options.rate != nil { begin() }
    _ = driver.takeCounters()
    var result = LoadResult(options: options, joining: joining)
    let start = ClockReading(daemon)
    let end = start.time + UInt64(options.seconds * 1e9)
    var second = start.time
    while second < end {
      let next = min(second + 1_000_000_000, end)
      try driver.loop.run(driver, until: next)
      let counters = driver.takeCounters()
      result.add(counters, seconds: Double(next - second) / 1e9)
      if options.showsProgress { report(result.line(counters)) }
      second = next
      secondPassed()
    }
    driver.endPlan()
    result.note(start, ClockReading(daemon))
    driver.settle()
    // Every operation of a plan counts, also one that is answered after its end.
    if options.rate != nil { result.addRest(driver.takeCounters()) }
    result.faults = driver.compare()
    return result
  }

  /// Begins the plan that is measured when nothing of the warm-up is in flight any more, so that every operation of the plan
  /// is counted, and no other.
  private func begin() {
    driver.endPlan()
    driver.settle()
    driver.submit(
      options.source, window: options.window, rate: options.rate, for: options.seconds,
      isPunctual: options.isPunctual)
  }

  /// Submits exactly so many operations and waits for all answers, between two lines of standard input: nothing is in
  /// flight while a tool that counts the daemon's instructions begins or ends.
  private func count(_ operations: Int) throws -> LoadResult {
    driver.settle()
    _ = driver.takeCounters()
    report("ready")
    _ = readLine()
    let start = MonotonicClock.now()
    driver.submit(options.source, window: options.window, count: operations)
    try driver.run(seconds: Double(HangGuard.seconds), for: "the last answer") { driver.isDone }
    var result = LoadResult(options: options, joining: joining)
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
}
