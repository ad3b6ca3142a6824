/// Base64 (RFC 4648) with padding.
package enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns the text that encodes bytes.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for digit in 0..<4 {
        text.append(digit <= group.count ? letters[bits >> (18 - 6 * digit) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns whether a text encodes so many bytes, and is what ``encode(_:)`` would give for them.
  static func isEncoding(_ text: String, ofBytes count: Int) -> Bool {
    let utf8 = Array(text.utf8)
    let padding = (3 - count % 3) % 3
    guard utf8.count == (count + 2) / 3 * 4, utf8.suffix(padding).allSatisfy({ $0 == UInt8(ascii: "=") }) else {
      return false
    }
    let digits = utf8.dropLast(padding).map { letters.firstIndex(of: $0) }
    // The last digit has bits that belong to no byte.
    return digits.allSatisfy { $0 != nil } && (digits.last.flatMap(\.self) ?? 0) & ((1 << (2 * padding)) - 1) == 0
  }
}
