import BaizeTable

/// A strict reader of RFC 8259 that says where it stumbled.
///
/// It takes any bytes: what is not UTF-8, too long or too deep is a mistake like any other. A key that appears twice is
/// noted and read over, so that one pass finds them all; the first error in the syntax ends the reading.
struct JSONParser {
  let bytes: [UInt8]
  private(set) var index = 0
  private var line = 1
  private var column = 1
  private var path = DocumentPath()
  private(set) var duplicateKeys: [Mistake] = []

  /// Reads `bytes` as one JSON value.
  static func parse(_ bytes: [UInt8]) throws(DocumentMistakes) -> JSON {
    var parser = JSONParser(bytes)
    let json: JSON
    do throws(Mistake) {
      json = try parser.parseDocument()
    } catch {
      throw DocumentMistakes(parser.duplicateKeys + [error])
    }
    guard parser.duplicateKeys.isEmpty else { throw DocumentMistakes(parser.duplicateKeys) }
    return json
  }

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  private mutating func parseDocument() throws(Mistake) -> JSON {
    guard bytes.count <= DocumentLimits.documentBytesMax else {
      throw mistake("the document has \(bytes.count) bytes; \(DocumentLimits.documentBytesMax) are allowed")
    }
    try checkEncoding()
    skipSpace()
    let json = try parseValue()
    skipSpace()
    guard index == bytes.count else { throw mistake("the document should end here") }
    return json
  }

  /// UTF-8 throughout, so that texts can be decoded without a second look.
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
    guard let byte = peek else { throw mistake("the document ends where a value should stand") }
    switch byte {
    case UInt8(ascii: "{"): return .object(try parseMembers())
    case UInt8(ascii: "["): return .array(try parseElements())
    case UInt8(ascii: "\""): return .text(try parseText())
    case UInt8(ascii: "t"): return try parseWord("true", as: .boolean(true))
    case UInt8(ascii: "f"): return try parseWord("false", as: .boolean(false))
    case UInt8(ascii: "n"): return try parseWord("null", as: .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
    default: throw mistake("a value should stand here")
    }
  }

  private mutating func parseMembers() throws(Mistake) -> [JSON.Member] {
    var members: [JSON.Member] = []
    var keys: Set<String> = []
    try enter()
    if try takeEnd("}", isFirst: true) { return members }
    repeat {
      let keyPosition = position
      guard peek == UInt8(ascii: "\"") else { throw mistake("a key in quotation marks should stand here") }
      let key = try parseText()
      path.append(.key(key))
      if !keys.insert(key).inserted, duplicateKeys.count < DocumentLimits.mistakesMax {
        duplicateKeys.append(
          Mistake(.syntax, "the key \(key.quoted) appears twice", path: path, position: keyPosition))
      }
      skipSpace()
      guard take(":") else { throw mistake("a colon should stand here") }
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

  /// Goes behind an opening bracket.
  private mutating func enter() throws(Mistake) {
    guard path.steps.count < DocumentLimits.depthMax else {
      throw mistake("values stand more than \(DocumentLimits.depthMax) deep in one another")
    }
    advance()
    skipSpace()
  }

  /// Whether an object or list ends here; otherwise goes behind the comma, if one is due.
  private mutating func takeEnd(_ end: Unicode.Scalar, isFirst: Bool) throws(Mistake) -> Bool {
    skipSpace()
    if take(end) { return true }
    if isFirst { return false }
    guard take(",") else { throw mistake("a comma or '\(end)' should stand here") }
    skipSpace()
    return false
  }

  private mutating func parseWord(_ word: String, as content: JSON.Content) throws(Mistake) -> JSON.Content {
    guard bytes[index...].starts(with: word.utf8) else { throw mistake("a value should stand here") }
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
    case 0x80..<0xC0: break  // the rest of a scalar that is counted already
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
