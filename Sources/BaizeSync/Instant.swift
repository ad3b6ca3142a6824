/// A moment on the host's monotonic clock. Machines receive the time as an argument.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The nanoseconds since an arbitrary origin.
  public var nanoseconds: UInt64

  /// Creates the moment at `nanoseconds` after the clock's origin.
  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// A moment that never comes.
  static let distantFuture = Instant(nanoseconds: .max)

  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Returns the moment that is `milliseconds` later; at most the clock's last.
  public func advanced(byMilliseconds milliseconds: UInt64) -> Instant { advanced(by: milliseconds, of: 1_000_000) }

  /// Returns the moment that is `seconds` later; at most the clock's last.
  public func advanced(bySeconds seconds: UInt64) -> Instant { advanced(by: seconds, of: 1_000_000_000) }

  private func advanced(by count: UInt64, of unit: UInt64) -> Instant {
    let (product, isTooLong) = count.multipliedReportingOverflow(by: unit)
    let (sum, isTooLate) = nanoseconds.addingReportingOverflow(product)
    return Instant(nanoseconds: isTooLong || isTooLate ? .max : sum)
  }

  /// Returns the time since `earlier`; zero if it is later.
  public func duration(since earlier: Instant) -> Duration {
    .nanoseconds(Int64(clamping: nanoseconds > earlier.nanoseconds ? nanoseconds - earlier.nanoseconds : 0))
  }

  /// Returns the whole milliseconds since `earlier`; 0 if it is later.
  public func milliseconds(since earlier: Instant) -> UInt64 {
    nanoseconds > earlier.nanoseconds ? (nanoseconds - earlier.nanoseconds) / 1_000_000 : 0
  }
}
