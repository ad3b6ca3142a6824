/// A histogram of durations, of fixed size, with buckets whose width is at most 1/32 of their value.
///
/// The layout is that of HdrHistogram (G. Tene): a bucket per value up to 32, then 32 per doubling.
public struct Histogram: Hashable, Sendable {
  private static let linearBits = 5
  private var buckets: [UInt32] = []
  public private(set) var count: UInt64 = 0
  /// The largest value, in nanoseconds.
  public private(set) var maximum: UInt64 = 0

  public init() {}

  /// Adds a value, in nanoseconds. O(1).
  ///
  /// - Parameter times: The number of times that it is added.
  public mutating func record(_ value: UInt64, times: UInt32 = 1) {
    guard times > 0 else { return }
    if buckets.isEmpty { buckets = [UInt32](repeating: 0, count: 64 << Self.linearBits) }
    buckets[Self.bucket(of: value)] &+= times
    count += UInt64(times)
    maximum = max(maximum, value)
  }

  /// Adds all values of another histogram. O(buckets).
  public mutating func merge(_ other: Histogram) {
    guard !other.buckets.isEmpty else { return }
    guard !buckets.isEmpty else {
      self = other
      return
    }
    for position in buckets.indices { buckets[position] &+= other.buckets[position] }
    count += other.count
    maximum = max(maximum, other.maximum)
  }

  /// The buckets with values, in order: the largest value of each, in nanoseconds, and the number of its values. O(buckets).
  public var occupied: [(upperBound: UInt64, count: UInt64)] {
    buckets.indices.filter { buckets[$0] > 0 }.map { (min(Self.upperBound(of: $0), maximum), UInt64(buckets[$0])) }
  }

  /// Returns the smallest value that a share of all values does not exceed, up to the width of a bucket, in
  /// nanoseconds; 0 without values.
  ///
  /// - Parameter share: 0 … 1.
  public func percentile(_ share: Double) -> UInt64 {
    let rank = UInt64((Double(count) * share).rounded(.up))
    var seen: UInt64 = 0
    for (position, bucket) in buckets.enumerated() where bucket > 0 {
      seen += UInt64(bucket)
      if seen >= rank { return min(Self.upperBound(of: position), maximum) }
    }
    return 0
  }

  private static func bucket(of value: UInt64) -> Int {
    let magnitude = max(0, 63 - value.leadingZeroBitCount - linearBits)
    return magnitude << linearBits + Int(value >> UInt64(magnitude))
  }

  private static func upperBound(of bucket: Int) -> UInt64 {
    let magnitude = max(0, bucket >> linearBits - 1)
    let steps = UInt64(bucket - magnitude << linearBits)
    return (steps + 1) << UInt64(magnitude) &- 1
  }
}
