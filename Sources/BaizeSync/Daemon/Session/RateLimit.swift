/// A limit of a mean rate with a burst: the generic cell rate algorithm (ITU-T I.371), whose state is one number.
struct RateLimit: Sendable {
  /// The theoretical arrival time of the next event at the mean rate, in nanoseconds.
  private var due: UInt64 = 0

  /// Counts an event if it is within the limit.
  ///
  /// - Parameters:
  ///   - perSecond: The mean rate; 0 for no limit.
  ///   - burst: The number of events that may come at once.
  /// - Returns: Whether it is within the limit.
  mutating func admits(perSecond: UInt64, burst: UInt64, at now: Instant) -> Bool {
    guard perSecond > 0 else { return true }
    let interval = 1_000_000_000 / perSecond
    let start = max(due, now.nanoseconds)
    guard start - now.nanoseconds <= interval &* max(1, burst) else { return false }
    due = start + interval
    return true
  }

  /// Returns whether it is as if nothing had ever been counted.
  func isIdle(at now: Instant) -> Bool { due <= now.nanoseconds }
}
