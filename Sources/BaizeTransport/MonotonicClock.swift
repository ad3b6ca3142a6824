import BaizeSystem

/// A clock that only advances, in nanoseconds since an arbitrary time before the process began.
public enum MonotonicClock {
  public static func now() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// Reads a clock, each of which exists on every supported system, so that this cannot fail.
  static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    let result = clock_gettime(clock, &time)
    precondition(result == 0, "clock_gettime(\(clock)) returned \(result)")
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// The time that has passed on the machine, in nanoseconds from an arbitrary origin, the time included for which the machine was
/// suspended, as far as the system counts it.
public enum ElapsedClock {
  #if os(Linux) || os(Android)
    private static let clock = CLOCK_BOOTTIME
  #else
    private static let clock = CLOCK_MONOTONIC
  #endif

  public static func now() -> UInt64 { MonotonicClock.read(clock) }
}

/// The processor time used so far, in nanoseconds.
public enum ProcessorTime {
  public static func ofThread() -> UInt64 { MonotonicClock.read(CLOCK_THREAD_CPUTIME_ID) }
}
