/// A moment on a monotonic clock that the host reads: machines are told the time, they never ask for it.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var nanoseconds: UInt64

  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The moment so many milliseconds later.
  public func advanced(byMilliseconds milliseconds: UInt64) -> Instant {
    Instant(nanoseconds: nanoseconds &+ milliseconds &* 1_000_000)
  }

  /// The moment so many seconds later.
  public func advanced(bySeconds seconds: UInt64) -> Instant { advanced(byMilliseconds: seconds &* 1_000) }

  /// How many whole milliseconds have passed since `earlier`; 0 if it is later.
  public func milliseconds(since earlier: Instant) -> UInt64 {
    nanoseconds > earlier.nanoseconds ? (nanoseconds - earlier.nanoseconds) / 1_000_000 : 0
  }
}
