/// An input that is read as decisions: each takes a byte, and when there are no more, every decision is the first.
struct InputScript {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func byte() -> UInt8 {
    guard !isAtEnd else { return 0 }
    defer { position += 1 }
    return bytes[position]
  }

  /// A number below `count`, which is at most 256.
  mutating func below(_ count: Int) -> Int { Int(byte()) % count }

  mutating func happens(onceIn count: Int) -> Bool { below(count) == count - 1 }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

  /// A number near one that would be right, or one that is right nowhere.
  mutating func number(near right: UInt64) -> UInt64 {
    switch below(8) {
    case 0...3: right
    case 4: right &+ 1
    case 5: right &- 1
    case 6: right &- UInt64(byte())
    default: pick([0, 1, .max, .max - 1, 1 << 63, 1 << 62, 1 << 32, UInt64(byte()) << 24])
    }
  }
}
