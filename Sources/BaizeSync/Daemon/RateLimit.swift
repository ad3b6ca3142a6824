/// A bound on a mean rate with a burst: the generic cell rate algorithm (ITU-T I.371), which needs one number.
struct RateLimit: Sendable {
  /// When the next event would be due if all came evenly.
  private var due: UInt64 = 0

  /// Whether one more event is within the limit now; if so it is counted.
  ///
  /// - Parameters:
  ///   - perSecond: The mean; 0 for no limit.
  ///   - burst: How many may come at once.
  mutating func admits(perSecond: UInt64, burst: UInt64, at now: Instant) -> Bool {
    guard perSecond > 0 else { return true }
    let interval = 1_000_000_000 / perSecond
    let start = max(due, now.nanoseconds)
    guard start - now.nanoseconds <= interval &* max(1, burst) else { return false }
    due = start + interval
    return true
  }
}
