import BaizeSystem

/// The time of day, which may be set.
enum WallClock {
  /// Returns the time in milliseconds since 1970.
  static func milliseconds() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return UInt64(max(0, now.tv_sec)) * 1_000 + UInt64(max(0, now.tv_nsec)) / 1_000_000
  }
}
