import BaizeHarness
import BaizeTransport

/// A run with clients that reconnect, from joining to comparing, with a line a second on its progress.
struct ReconnectSession: Sendable {
  let options: LedgerPlayOptions
  /// The duration in seconds; `nil` until a signal comes.
  var seconds: Double?
  /// Receives progress.
  let report: @Sendable (String) -> Void
  let showsProgress: Bool

  /// - Throws: ``RunFailure`` when the daemon cannot be reached, or is away for too long.
  func perform(_ stop: StopSignal) throws -> ReconnectResult {
    let play = try LedgerPlay(options)
    try play.join()
    report("\(play.playerCount) players are at \(options.tables) tables")
    let start = MonotonicClock.now()
    var lastReport = start
    var lastLive = start
    var now = start
    while !stop.isRequested, Double(now - start) / 1e9 < seconds ?? .infinity {
      try play.play(seconds: 0.02)
      now = MonotonicClock.now()
      if play.isAnyoneLive { lastLive = now }
      guard Double(now - lastLive) / 1e9 < options.timeoutSeconds else {
        throw RunFailure("the daemon has been down for \(options.timeoutSeconds) s")
      }
      if showsProgress, now - lastReport >= 1_000_000_000 {
        lastReport = now
        report(ReconnectResult(play, seconds: Double(now - start) / 1e9).line)
      }
    }
    play.finish()
    return ReconnectResult(play, seconds: Double(now - start) / 1e9)
  }
}
