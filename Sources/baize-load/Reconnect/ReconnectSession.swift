import BaizeTransport

/// A run with clients that come back, from joining to closing the books, with a line a second on how it goes.
struct ReconnectSession {
  let options: ReconnectOptions
  let wish: StopWish
  /// Where progress goes.
  let report: (String) -> Void

  /// - Throws: When the daemon is not there, or stays away for too long.
  func perform() throws -> ReconnectResult {
    let run = try ReconnectRun(options)
    run.begin()
    try wait(run, seconds: options.patienceSeconds, for: "everyone to join") {
      run.isEveryoneLive || !run.faults.isEmpty
    }
    if let fault = run.faults.examples.first {
      throw LoadSession.Failure(description: "not everyone can join: \(fault)")
    }
    report("\(run.players.count) players are at \(run.tables.count) tables")
    let began = MonotonicClock.now()
    run.startPlaying()
    try play(run, since: began)
    run.stopPlaying()
    let seconds = Double(MonotonicClock.now() - began) / 1e9
    try settle(run)
    try close(run)
    return ReconnectResult(run, seconds: seconds)
  }

  /// Plays until the time is over, or until the wish comes.
  private func play(_ run: ReconnectRun, since began: UInt64) throws {
    var lastReport = began
    var lastLive = began
    while !wish.isMade {
      try turn(run)
      let now = MonotonicClock.now()
      if run.isAnyoneLive { lastLive = now }
      guard Double(now - lastLive) / 1e9 < options.patienceSeconds else {
        throw LoadSession.Failure(description: "the daemon has been away for \(options.patienceSeconds) s")
      }
      if options.showsProgress, now - lastReport >= 1_000_000_000 {
        lastReport = now
        report(ReconnectResult(run, seconds: Double(now - began) / 1e9).line)
      }
      if let seconds = options.seconds, Double(now - began) / 1e9 >= seconds { return }
    }
  }

  /// Waits for the last answers. What does not come is found when the books are closed.
  private func settle(_ run: ReconnectRun) throws {
    try? wait(run, seconds: options.settleSeconds, for: "the last answers") { run.isSettled }
    run.askForHashes()
    try? wait(run, seconds: options.settleSeconds, for: "the hashes") { run.isCompared }
  }

  private func close(_ run: ReconnectRun) throws {
    for (number, table) in run.tables.enumerated() {
      do {
        run.close(number, with: try TableReader.read(table.name, at: options.address, seconds: options.settleSeconds))
      } catch {
        run.note(.lost, "\(error)")
      }
    }
  }

  private func turn(_ run: ReconnectRun) throws {
    try run.loop.run(run, until: MonotonicClock.now() + 20_000_000)
  }

  private func wait(
    _ run: ReconnectRun, seconds: Double, for what: String, until isDone: () -> Bool
  ) throws {
    let end = MonotonicClock.now() + UInt64(seconds * 1e9)
    while !isDone() {
      guard MonotonicClock.now() < end else {
        throw LoadSession.Failure(description: "waited \(LoadResult.fixed(seconds, 0)) s for \(what)")
      }
      try turn(run)
    }
  }
}
