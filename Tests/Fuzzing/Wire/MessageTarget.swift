import BaizeWire

/// A message is refused, or it is the same after encoding and decoding.
enum MessageTarget {
  static func run<Message: Equatable>(
    _ input: [UInt8], decode: ([UInt8]) throws -> Message, encode: (Message) -> [UInt8]
  ) -> Bool {
    guard let message = try? decode(input) else { return false }
    let canonical = encode(message)
    let again = try? decode(canonical)
    hold(again == message, "\(message) comes back as \(String(describing: again))")
    hold(again.map(encode) == canonical, "\(message) has two canonical forms")
    return true
  }
}
