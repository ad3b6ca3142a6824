import BaizeTable

/// A limit on reports, such as lines of the log: the same is reported at most once a minute, and at most 64 different things.
public struct ReportLimit<Key: Hashable> {
  private var reported: [Key: Instant] = [:]

  public init() {}

  private static var milliseconds: UInt64 { ServerLimits.shareLogNanoseconds / 1_000_000 }
  private static var countMax: Int { 64 }

  /// Counts an event.
  ///
  /// - Parameters:
  ///   - key: What is the same in events that are reported together.
  ///   - now: The present time.
  /// - Returns: Whether it is to be reported.
  /// - Complexity: O(1); O(64) when that many are reported.
  public mutating func admits(_ key: Key, at now: Instant) -> Bool {
    if let last = reported[key], now.milliseconds(since: last) < Self.milliseconds { return false }
    if reported.count >= Self.countMax {
      reported = reported.filter { now.milliseconds(since: $0.value) < Self.milliseconds }
      guard reported.count < Self.countMax else { return false }
    }
    reported[key] = now
    return true
  }
}
