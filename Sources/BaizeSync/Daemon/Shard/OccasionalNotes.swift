import BaizeTable

/// What happened lately, so that each thing that goes on is told again after a minute only. Of more than 64 things at once, the
/// later ones are not told.
public struct OccasionalNotes<Key: Hashable> {
  private var noted: [Key: Instant] = [:]

  public init() {}

  private static var milliseconds: UInt64 { ServerLimits.shareLogNanoseconds / 1_000_000 }
  private static var countMax: Int { 64 }

  /// Notes what happens now.
  ///
  /// - Parameters:
  ///   - key: What happens.
  ///   - now: The present time.
  /// - Returns: Whether it is to be told.
  /// - Complexity: O(1); O(64) when that many are noted.
  public mutating func note(_ key: Key, at now: Instant) -> Bool {
    if let last = noted[key], now.milliseconds(since: last) < Self.milliseconds { return false }
    if noted.count >= Self.countMax {
      noted = noted.filter { now.milliseconds(since: $0.value) < Self.milliseconds }
      guard noted.count < Self.countMax else { return false }
    }
    noted[key] = now
    return true
  }
}
