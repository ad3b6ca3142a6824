import BaizeWire

/// Pieces of bytes, each behind its length: the form of inputs that have parts.
enum Chunks {
  /// The pieces, up to the first that is incomplete.
  static func split(_ input: [UInt8]) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var position = 0
    while let range = (try? FrameReader().next(in: input, from: position)) ?? nil {
      chunks.append(Array(input[range]))
      position = range.upperBound
    }
    return chunks
  }

  static func join(_ chunks: [[UInt8]]) -> [UInt8] { chunks.flatMap { length($0.count) + $0 } }

  /// A varint.
  private static func length(_ count: Int) -> [UInt8] {
    count < 0x80 ? [UInt8(count)] : [UInt8(count & 0x7F | 0x80)] + length(count >> 7)
  }
}
