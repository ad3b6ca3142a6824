import BaizeTable

/// A strict parser of RFC 8259 that reports positions.
///
/// It accepts any bytes: invalid UTF-8, excessive length and excessive depth are mistakes like others. It collects
/// duplicate keys and continues; a syntax error ends the parsing.
package struct JSONParser {
  let bytes: [UInt8]
  private let bytesMax: Int
  private(set) var index = 0
  private var line = 1
  private var column = 1
  private var path = DocumentPath()
  private(set) var duplicateKeys: [Mistake] = []

  /// Parses `bytes`, which are at most so many, as one JSON value.
  package static func parse(
    _ bytes: [UInt8], bytesMax: Int = DocumentLimits.documentBytesMax
  ) throws(DocumentMistakes) -> JSON {
    var parser = JSONParser(bytes, bytesMax: bytesMax)
    let json: JSON
    do throws(Mistake) {
      json = try parser.parseDocument()
    } catch {
      throw DocumentMistakes(parser.duplicateKeys + [error])
    }
    guard parser.duplicateKeys.isEmpty else { throw DocumentMistakes(parser.duplicateKeys) }
    return json
  }

  private init(_ bytes: [UInt8], bytesMax: Int) { (self.bytes, self.bytesMax) = (bytes, bytesMax) }

  private mutating func parseDocument() throws(Mistake) -> JSON {
    guard bytes.count <= bytesMax else {
      throw mistake("the document has \(bytes.count) bytes; \(bytesMax) are allowed")
    }
    try checkEncoding()
    skipSpace()
    let json = try parseValue()
    skipSpace()
    guard index == bytes.count else { throw mistake("expected the end of the document") }
    return json
  }

  /// Checks that the document is UTF-8, so that texts can be decoded without further checks.
  private func checkEncoding() throws(Mistake) {
    guard String(validating: bytes, as: UTF8.self) == nil else { return }
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var line = 1
    var column = 1
    while true {
      switch decoder.decode(&iterator) {
      case .emptyInput: return
      case .scalarValue("\n"): (line, column) = (line + 1, 1)
      case .scalarValue: column += 1
      case .error:
        let position = TextPosition(line: line, column: column)
        throw Mistake(.syntax, "the document is not UTF-8 from here on", path: path, position: position)
      }
    }
  }

  // MARK: Values

  private mutating func parseValue() throws(Mistake) -> JSON {
    let start = position
    return JSON(content: try parseContent(), position: start)
  }

  private mutating func parseContent() throws(Mistake) -> JSON.Content {
    guard let byte = peek else { throw mistake("expected a value, found the end of the document") }
    switch byte {
    case UInt8(ascii: "{"): return .object(try parseMembers())
    case UInt8(ascii: "["): return .array(try parseElements())
    case UInt8(ascii: "\""): return .text(try parseText())
    case UInt8(ascii: "t"): return try parseWord("true", as: .boolean(true))
    case UInt8(ascii: "f"): return try parseWord("false", as: .boolean(false))
    case UInt8(ascii: "n"): return try parseWord("null", as: .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
    default: throw mistake("expected a value")
    }
  }

  private mutating func parseMembers() throws(Mistake) -> [JSON.Member] {
    var members: [JSON.Member] = []
    var keys: Set<String> = []
    try enter()
    if try takeEnd("}", isFirst: true) { return members }
    repeat {
      let keyPosition = position
      guard peek == UInt8(ascii: "\"") else { throw mistake("expected a key in quotation marks") }
      let key = try parseText()
      path.append(.key(key))
      if !keys.insert(key).inserted, duplicateKeys.count < DocumentLimits.mistakesMax {
        duplicateKeys.append(
          Mistake(.syntax, "the key \(key.quoted) appears twice", path: path, position: keyPosition))
      }
      skipSpace()
      guard take(":") else { throw mistake("expected a colon") }
      skipSpace()
      members.append(JSON.Member(key: key, keyPosition: keyPosition, value: try parseValue()))
      path.removeLast()
    } while try !takeEnd("}", isFirst: false)
    return members
  }

  private mutating func parseElements() throws(Mistake) -> [JSON] {
    var elements: [JSON] = []
    try enter()
    if try takeEnd("]", isFirst: true) { return elements }
    repeat {
      path.append(.index(elements.count))
      elements.append(try parseValue())
      path.removeLast()
    } while try !takeEnd("]", isFirst: false)
    return elements
  }

  /// Skips an opening bracket.
  private mutating func enter() throws(Mistake) {
    guard path.steps.count < DocumentLimits.depthMax else {
      throw mistake("values are nested more than \(DocumentLimits.depthMax) deep")
    }
    advance()
    skipSpace()
  }

  /// Returns whether an object or list ends here; otherwise skips the comma before the next element.
  private mutating func takeEnd(_ end: Unicode.Scalar, isFirst: Bool) throws(Mistake) -> Bool {
    skipSpace()
    if take(end) { return true }
    if isFirst { return false }
    guard take(",") else { throw mistake("expected a comma or '\(end)'") }
    skipSpace()
    return false
  }

  private mutating func parseWord(_ word: String, as content: JSON.Content) throws(Mistake) -> JSON.Content {
    guard bytes[index...].starts(with: word.utf8) else { throw mistake("expected a value") }
    for _ in word.utf8 { advance() }
    return content
  }
}

// MARK: Bytes

extension JSONParser {
  var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  var position: TextPosition { TextPosition(line: line, column: column) }

  mutating func advance() {
    switch bytes[index] {
    case UInt8(ascii: "\n"): (line, column) = (line + 1, 1)
    case 0x80..<0xC0: break  // A continuation byte: its scalar is already counted.
    default: column += 1
    }
    index += 1
  }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard let byte = peek, UInt32(byte) == scalar.value else { return false }
    advance()
    return true
  }

  mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D { advance() }
  }

  func mistake(_ message: String, at position: TextPosition? = nil) -> Mistake {
    Mistake(.syntax, message, path: path, position: position ?? self.position)
  }
}
