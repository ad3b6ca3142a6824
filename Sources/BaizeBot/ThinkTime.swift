public import BaizeTable

/// The time that a person thinks before a move: half a second at least, mostly one to three seconds, now and then longer.
public enum ThinkTime {
  /// The least and the greatest time, in milliseconds.
  public static let milliseconds = 500...7_000 as ClosedRange<UInt64>

  /// Returns the time before the next move, in milliseconds. Equal seeds give equal times.
  public static func milliseconds(random: inout RandomSource) -> UInt64 {
    // The sum of three even draws is seldom near its ends.
    let usual = (0..<3).reduce(0 as UInt64) { sum, _ in sum + random.next(below: 901) }
    let isHard = random.next(below: 8) == 0
    return milliseconds.lowerBound + usual + (isHard ? random.next(below: 3_801) : 0)
  }
}
