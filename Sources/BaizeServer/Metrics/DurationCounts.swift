/// Counts of durations in buckets whose limits double, from 16 µs to 8.6 s: small, and cheap to add to.
struct DurationCounts: Hashable, Sendable {
  /// The exponent, to the base 2, of the first bucket's limit in nanoseconds.
  private static let firstExponent = 14
  static let bucketCount = 20

  /// The number of durations in each bucket, and of longer ones in the last.
  private(set) var buckets = [UInt64](repeating: 0, count: bucketCount + 1)
  private(set) var count: UInt64 = 0
  private(set) var sumNanoseconds: UInt64 = 0

  /// Returns the limit of a bucket, which is the longest duration in it, in nanoseconds.
  static func limit(ofBucket index: Int) -> UInt64 { 1 << UInt64(firstExponent + index) }

  /// Adds a duration several times.
  mutating func record(nanoseconds: UInt64, times: Int = 1) {
    let exponent = UInt64.bitWidth - (max(1, nanoseconds) - 1).leadingZeroBitCount
    buckets[min(max(0, exponent - Self.firstExponent), Self.bucketCount)] &+= UInt64(times)
    count &+= UInt64(times)
    sumNanoseconds &+= nanoseconds &* UInt64(times)
  }

  static func += (left: inout Self, right: Self) {
    for index in left.buckets.indices { left.buckets[index] &+= right.buckets[index] }
    left.count &+= right.count
    left.sumNanoseconds &+= right.sumNanoseconds
  }
}
