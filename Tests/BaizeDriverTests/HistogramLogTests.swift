import BaizeTransport
import Testing

@testable import BaizeDriver

/// Logs of HdrHistogram, read back by the format's own rules.
@Suite struct HistogramLogTests {
  /// Returns the counts of a payload by the values of their counters.
  private static func decode(_ bytes: [UInt8]) throws -> [(value: UInt64, count: Int64)] {
    #expect(Array(bytes[..<4]) == [0x1C, 0x84, 0x93, 0x13] && Array(bytes[12..<16]) == [0, 0, 0, 2])
    var counts: [(UInt64, Int64)] = []
    var (position, index) = (40, 0)
    while position < bytes.count {
      var (rest, shift) = (UInt64(0), UInt64(0))
      while true {
        let byte = bytes[position]
        position += 1
        rest |= UInt64(byte & 0x7F) << shift
        shift += 7
        if byte < 0x80 { break }
      }
      let number = Int64(rest >> 1) ^ -Int64(rest & 1)
      if number < 0 {
        index += Int(-number)
        continue
      }
      // 256 values, then 128 counters for each doubling.
      let doublings = max(0, index / 128 - 1)
      counts.append((UInt64(index - doublings * 128) << UInt64(doublings), number))
      index += 1
    }
    #expect(bytes[4..<8].reduce(0) { $0 << 8 | Int($1) } == bytes.count - 40)
    return counts
  }

  @Test func `every value is in the log, as precise as the histogram is`() throws {
    var histogram = Histogram()
    let values: [UInt64] = [
      0, 1, 31, 32, 63, 64, 255, 256, 257, 1_000, 20_000, 20_000, 1 << 20, 3_000_000_000, 1 << 40,
    ]
    for value in values { histogram.record(value) }
    let decoded = try Self.decode(HistogramLog.encoded(histogram))
    let found = decoded.flatMap { Array(repeating: $0.value, count: Int($0.count)) }
    #expect(found.count == values.count)
    for (value, found) in zip(values, found) {
      #expect(found + found / 64 + 1 >= value && found <= value + value / 32 + 1, "\(value): \(found)")
    }
  }

  /// The sum is the example of RFC 1950's checksum, which others have published for this text.
  @Test func `the payload is a stream of zlib`() {
    #expect(
      HistogramLog.zlib(Array("Wikipedia".utf8))
        == [0x78, 0x01, 1, 9, 0, 0xF6, 0xFF] + Array("Wikipedia".utf8) + [0x11, 0xE6, 0x03, 0x98])
    let long = HistogramLog.zlib([UInt8](repeating: 7, count: 70_000))
    #expect(long.count == 2 + 5 + 65_535 + 5 + 4_465 + 4 && long[2] == 0 && long[2 + 5 + 65_535] == 1)
    #expect(long.suffix(4) == [0xF3, 0x00, 0x7A, 0x7A], "zlib.adler32 in Python")
  }
}
