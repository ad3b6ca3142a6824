extension JSONParser {
  mutating func parseText() throws(Mistake) -> String {
    var text: [UInt8] = []
    advance()
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        advance()
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        text.append(contentsOf: Array(String(try parseEscape()).utf8))
      case 0..<0x20:
        throw mistake("a text cannot contain a control character")
      default:
        text.append(byte)
        advance()
      }
    }
    throw mistake("the document ends in a text")
  }

  private mutating func parseEscape() throws(Mistake) -> Unicode.Scalar {
    let start = position
    advance()
    guard let byte = peek else { throw mistake("the document ends in a text") }
    guard byte != UInt8(ascii: "u") else { return try parseUnicodeEscape(from: start) }
    guard let scalar = Self.escapes[byte] else { throw mistake("no such escape sequence", at: start) }
    advance()
    return scalar
  }

  private mutating func parseUnicodeEscape(from start: TextPosition) throws(Mistake) -> Unicode.Scalar {
    let first = try parseHexadecimal()
    guard (0xD800...0xDFFF).contains(first) else { return scalar(first) }
    guard first < 0xDC00, take("\\"), peek == UInt8(ascii: "u") else {
      throw mistake("half of a surrogate pair", at: start)
    }
    let second = try parseHexadecimal()
    guard (0xDC00...0xDFFF).contains(second) else { throw mistake("half of a surrogate pair", at: start) }
    return scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
  }

  private func scalar(_ code: UInt32) -> Unicode.Scalar { Unicode.Scalar(code) ?? "\u{FFFD}" }

  /// Parses the four digits after a `u`.
  private mutating func parseHexadecimal() throws(Mistake) -> UInt32 {
    advance()
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw mistake("expected four hexadecimal digits")
      }
      code = code << 4 | UInt32(digit)
      advance()
    }
    return code
  }

  private static let escapes: [UInt8: Unicode.Scalar] = [
    UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
    UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
  ]
}
