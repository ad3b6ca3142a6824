/// When a connection's signed token has to be replaced by the next one: a minute before its end, or after two thirds of a short time.
/// Until the daemon has accepted another, again and again, after two thirds of what is left each time (J23).
struct TokenRefresh: Sendable {
  private let end: Instant
  /// The time of the next request; ``Instant/distantFuture`` once it is too late for one.
  private(set) var at: Instant

  private static let leadMillisecondsMax: UInt64 = 60_000
  private static let intervalMillisecondsMin: UInt64 = 1_000

  init(seconds: UInt32, at now: Instant) {
    end = now.advanced(bySeconds: UInt64(seconds))
    at = now
    at = next(after: now)
  }

  /// Returns, once, whether a token is to be requested.
  mutating func isDue(at now: Instant) -> Bool {
    guard now >= at else { return false }
    at = now.advanced(byMilliseconds: Self.intervalMillisecondsMin) < end ? next(after: now) : .distantFuture
    return true
  }

  private func next(after now: Instant) -> Instant {
    let left = end.milliseconds(since: now)
    return now.advanced(
      byMilliseconds: max(left - min(left / 3, Self.leadMillisecondsMax), Self.intervalMillisecondsMin))
  }
}
