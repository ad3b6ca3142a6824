package import BaizeTransport
import Foundation

/// The log format of HdrHistogram (version 1.3), which its tools read: a line for each interval and histogram, which is encoded in
/// format V2, compressed, in Base64.
///
/// Our buckets are 1/32 of their values wide. The log claims two significant digits, and has each value as the largest of its
/// bucket. The payload is in the format of zlib, but in stored blocks: readers find what they expect, and no library is needed.
package struct HistogramLog {
  /// The lines so far.
  package private(set) var text = "#[Histogram log format version 1.3]\n"

  /// - Parameter start: The time at which the first interval began, in seconds since 1970.
  package init(start: Double) {
    text += "#[StartTime: \(LoadResult.fixed(start, 3)) (seconds since epoch)]\n"
    text += "#[BaseTime: \(LoadResult.fixed(start, 3)) (seconds since epoch)]\n"
    text += "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
  }

  /// Adds a line.
  ///
  /// - Parameters:
  ///   - tag: The name of the histogram, without comma and space.
  ///   - start: The time from the beginning of the log, in seconds.
  ///   - seconds: The length of the interval.
  package mutating func add(_ histogram: Histogram, tag: String, start: Double, seconds: Double) {
    let (from, length) = (LoadResult.fixed(start, 3), LoadResult.fixed(seconds, 3))
    // The unit of the maximum is customarily milliseconds.
    let maximum = LoadResult.fixed(Double(histogram.maximum) / 1e6, 3)
    text += "Tag=\(tag),\(from),\(length),\(maximum),\(Data(Self.compressed(histogram)).base64EncodedString())\n"
  }

  // MARK: Encoding

  private static let cookie: UInt32 = 0x1C84_9303 | 0x10
  private static let compressedCookie: UInt32 = 0x1C84_9304 | 0x10
  private static let digits: UInt32 = 2
  /// The buckets of two digits: 256 values, then 128 for each doubling.
  private static let subBucketBits = 8

  /// Returns a histogram in format V2, compressed.
  static func compressed(_ histogram: Histogram) -> [UInt8] {
    let payload = zlib(encoded(histogram))
    return bytes(compressedCookie) + bytes(UInt32(payload.count)) + payload
  }

  /// Returns a histogram in format V2.
  static func encoded(_ histogram: Histogram) -> [UInt8] {
    var counts: [UInt8] = []
    var next = 0
    for (value, count) in histogram.occupied {
      let index = index(of: value)
      if index > next { append(Int64(next - index), to: &counts) }
      append(Int64(clamping: count), to: &counts)
      next = index + 1
    }
    let highest = max(histogram.maximum, 1 << subBucketBits)
    // The normalizing offset is 0, the lowest value 1 ns, and the factor to doubles 1.
    return bytes(cookie) + bytes(UInt32(counts.count)) + bytes(UInt32(0)) + bytes(digits) + bytes(UInt64(1))
      + bytes(highest)
      + bytes((1.0).bitPattern) + counts
  }

  /// Returns the index of a value's counter.
  private static func index(of value: UInt64) -> Int {
    let half = 1 << (subBucketBits - 1)
    let bucket = max(0, 64 - value.leadingZeroBitCount - subBucketBits)
    return (bucket + 1) * half + Int(value >> UInt64(bucket)) - half
  }

  /// Appends a number in LEB128 with its sign in the last bit, in at most 9 bytes.
  private static func append(_ number: Int64, to bytes: inout [UInt8]) {
    var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
    for _ in 0..<8 {
      if rest < 0x80 { return bytes.append(UInt8(rest)) }
      bytes.append(UInt8(rest & 0x7F | 0x80))
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Wraps bytes in the format of zlib (RFC 1950) in stored blocks (RFC 1951, 3.2.4).
  static func zlib(_ data: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    var rest = data[...]
    repeat {
      let block = rest.prefix(Int(UInt16.max))
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      result += [
        rest.isEmpty ? 1 : 0, UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8),
      ]
      result += block
    } while !rest.isEmpty
    return result + bytes(adler32(data))
  }

  private static func adler32(_ data: [UInt8]) -> UInt32 {
    var (low, high) = (UInt32(1), UInt32(0))
    for byte in data {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return high << 16 | low
  }

  /// Returns the bytes of a number, the most significant first.
  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
  }
}

extension LoadResult {
  /// The response, service and seen times of all intervals.
  ///
  /// - Parameter start: The time at which the measurement began, in seconds since 1970.
  package func histogramLog(start: Double) -> HistogramLog {
    var log = HistogramLog(start: start)
    var time = 0.0
    for interval in intervals {
      let counters = interval.counters
      if options.rate != nil { log.add(counters.response, tag: "response", start: time, seconds: interval.seconds) }
      log.add(counters.toOwn, tag: "service", start: time, seconds: interval.seconds)
      log.add(counters.toLast, tag: "seen", start: time, seconds: interval.seconds)
      time += interval.seconds
    }
    return log
  }
}
