import Foundation

/// A comparison of the processor time of two tasks that does not depend on the machine's speed, nor on what else it does.
public enum Proportion {
  /// Runs two tasks in turn until the least time of the second is at most `ratioMax` times the least of the first: whatever else runs
  /// makes some runs longer, but none shorter.
  ///
  /// - Parameters:
  ///   - few: Runs the first task and returns its time in nanoseconds.
  ///   - many: The same for the second.
  /// - Returns: The ratio of the least times; more than `ratioMax` only if it was so in many runs.
  public static func least(
    notAbove ratioMax: Double, _ few: () throws -> UInt64, _ many: () throws -> UInt64
  ) rethrows -> Double {
    var least = (few: UInt64.max, many: UInt64.max)
    var ratio = Double.infinity
    for run in 1...runsMax {
      least = (min(least.few, try few()), min(least.many, try many()))
      ratio = Double(least.many) / Double(max(1, least.few))
      if run >= runsMin, ratio <= ratioMax { break }
    }
    return ratio
  }

  private static let runsMin = 3
  private static let runsMax = 50

  /// Returns the processor time of this thread that `body` takes, in nanoseconds.
  public static func nanoseconds(of body: () throws -> Void) rethrows -> UInt64 {
    let start = threadNanoseconds()
    try body()
    return threadNanoseconds() - start
  }

  private static func threadNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
