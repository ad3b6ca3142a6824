/// A moment on the host's monotonic clock. Machines get the time as an argument.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var nanoseconds: UInt64

  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Returns the moment so many milliseconds later.
  public func advanced(byMilliseconds milliseconds: UInt64) -> Instant {
    Instant(nanoseconds: nanoseconds &+ milliseconds &* 1_000_000)
  }

  /// Returns the moment so many seconds later.
  public func advanced(bySeconds seconds: UInt64) -> Instant { advanced(byMilliseconds: seconds &* 1_000) }

  /// Returns the whole milliseconds since `earlier`; 0 if it is later.
  public func milliseconds(since earlier: Instant) -> UInt64 {
    nanoseconds > earlier.nanoseconds ? (nanoseconds - earlier.nanoseconds) / 1_000_000 : 0
  }
}
