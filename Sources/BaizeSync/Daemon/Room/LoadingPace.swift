import BaizeTable

/// The speed at which a member takes its snapshot.
struct LoadingPace {
  private var seen: Instant?
  /// The time for which it had unread output, and the bytes that it was sent.
  private(set) var blockedMilliseconds: UInt64 = 0
  private var bytes = 0

  mutating func sent(_ bytes: Int) { self.bytes += bytes }

  /// - Parameter isReady: Whether it waits for the daemon.
  mutating func observe(isReady: Bool, at now: Instant) {
    if let seen, !isReady { blockedMilliseconds += now.milliseconds(since: seen) }
    seen = now
  }

  /// Returns whether it takes less than the limit.
  func isTooSlow(_ limits: SyncLimits.Connections) -> Bool {
    let grace = limits.loadingGraceSeconds * 1_000
    guard blockedMilliseconds > grace else { return false }
    return bytes < Int(clamping: blockedMilliseconds - grace) / 1_000 * limits.loadingBytesPerSecondMin
  }
}
