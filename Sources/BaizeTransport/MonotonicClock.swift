#if canImport(Darwin)
  import Darwin
#else
  import CLinux
  import Glibc
#endif

/// Time that only goes forward, in nanoseconds since some moment before the process began.
public enum MonotonicClock {
  public static func now() -> UInt64 {
    read(CLOCK_MONOTONIC)
  }

  /// Every clock here exists on every system we build for, so reading one cannot fail.
  static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    let result = clock_gettime(clock, &time)
    precondition(result == 0, "clock_gettime(\(clock)) answered \(result)")
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// Processor time spent so far, in nanoseconds. The load harness divides work by it.
public enum ProcessorTime {
  /// Of the calling thread alone.
  public static func ofThread() -> UInt64 {
    MonotonicClock.read(CLOCK_THREAD_CPUTIME_ID)
  }

  /// Of all threads of the process.
  public static func ofProcess() -> UInt64 {
    MonotonicClock.read(CLOCK_PROCESS_CPUTIME_ID)
  }
}
