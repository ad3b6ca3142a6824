import BaizeTableTypes

/// A value between a Swift type and the attributes of a face: the values of JSON, with numbers as written.
enum CodedValue: Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  /// Any other number, in the canonical notation where this module wrote it.
  case number(String)
  case text(String)
  case list([CodedValue])
  case object([String: CodedValue])

  /// The kind of value, for messages.
  var kindDescription: String {
    switch self {
    case .null: "nothing"
    case .boolean: "a boolean"
    case .integer, .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .object: "an object"
    }
  }
}

// MARK: - JSON

extension CodedValue {
  /// Parses JSON; `nil` if the text is none.
  init?(parsing text: String) {
    guard let json = try? JSONParser.parse(Array(text.utf8)) else { return nil }
    self.init(json)
  }

  private init(_ json: JSON) {
    switch json.content {
    case .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .number(let text): self = .number(text)
    case .text(let text): self = .text(text)
    case .array(let elements): self = .list(elements.map(CodedValue.init))
    case .object(let members):
      self = .object(
        Dictionary(members.map { ($0.key, CodedValue($0.value)) }, uniquingKeysWith: { _, last in last }))
    }
  }

  /// The value as canonical JSON (RFC 8785): keys ascend by their UTF-16, no space, numbers in the notation of ECMAScript. Only
  /// integers beyond 2⁵³ keep all their digits.
  var json: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .integer(let value): text += "\(value)"
    case .number(let number): text += number
    case .text(let value): Self.write(value, to: &text)
    case .list(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        element.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      let sorted = members.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
      for (index, (key, value)) in sorted.enumerated() {
        if index > 0 { text += "," }
        Self.write(key, to: &text)
        text += ":"
        value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{8}": text += "\\b"
      case "\t": text += "\\t"
      case "\n": text += "\\n"
      case "\u{C}": text += "\\f"
      case "\r": text += "\\r"
      case _ where scalar.value < 0x10: text += "\\u000" + String(scalar.value, radix: 16)
      case _ where scalar.value < 0x20: text += "\\u00" + String(scalar.value, radix: 16)
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

// MARK: - Numbers

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
  /// The shortest decimal number with this value, in the notation of ECMAScript and RFC 8785: `2.5`, `3`, `1e-7`; `nil`
  /// unless the number is finite.
  var canonicalText: String? {
    guard isFinite else { return nil }
    guard self != 0 else { return "0" }
    // Swift's own description has the shortest digits, in another notation.
    let parts = magnitude.description.split(separator: "e")
    let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let fraction = halves.count == 2 && halves[1] != "0" ? halves[1] : ""
    var point = halves[0].count + (parts.count == 2 ? Int(parts[1]) ?? 0 : 0)
    var digits = halves[0] + fraction
    while digits.first == "0" {
      digits.removeFirst()
      point -= 1
    }
    while digits.last == "0" { digits.removeLast() }
    return (self < 0 ? "-" : "") + Self.notation(of: String(digits), point: point)
  }

  /// - Parameter point: The number of digits before the decimal point; it may lie outside of the digits.
  private static func notation(of digits: String, point: Int) -> String {
    switch point {
    case _ where point >= digits.count && point <= 21:
      return digits + String(repeating: "0", count: point - digits.count)
    case 1...21: return digits.prefix(point) + "." + digits.dropFirst(point)
    case -5...0: return "0." + String(repeating: "0", count: -point) + digits
    default:
      let exponent = point - 1
      let mantissa = digits.count == 1 ? digits : digits.prefix(1) + "." + digits.dropFirst()
      return "\(mantissa)e\(exponent < 0 ? "-" : "+")\(abs(exponent))"
    }
  }
}
