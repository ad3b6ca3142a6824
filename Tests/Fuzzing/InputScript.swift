import BaizeWorkload

/// An input that is read as decisions: each takes a byte, and when there are no more, every decision is the first.
struct InputScript: DecisionSource {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func byte() -> UInt8 {
    guard !isAtEnd else { return 0 }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func below(_ bound: Int) -> Int {
    bound <= 256 ? Int(byte()) % bound : (Int(byte()) << 8 | Int(byte())) % bound
  }

  /// Not with the byte 0, so that nothing unusual happens at the end of an input.
  mutating func happens(onceIn times: Int) -> Bool { times > 0 && below(times) == times - 1 }
}
