import BaizeTable

/// Checks names in documents. The same patterns are in `Protocol/table-type.schema.json`.
enum Name {
  /// `[A-Za-z][A-Za-z0-9_-]*`: types, options, groups, variables, checks, kinds, attributes, actions.
  static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= DocumentLimits.nameLengthMax else { return false }
    return isLetter(first) && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == dash || $0 == underscore }
  }

  /// `[A-Za-z0-9_.-]+`: members of a family, values of an option.
  static func isMember(_ text: String) -> Bool {
    guard !text.isEmpty, text.utf8.count <= DocumentLimits.nameLengthMax else { return false }
    return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == dash || $0 == underscore || $0 == dot }
  }

  /// Returns whether a text is a plain name, or one with a member, such as `score/1`: collections and kinds, variables.
  static func isPath(_ text: String) -> Bool {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    return isPlain(String(parts[0])) && (parts.count == 1 || isMember(String(parts[1])))
  }

  /// Returns whether a text is a path in whose member `{seat}` may stand for the number of a seat, such as `work/{seat}`.
  static func isOwnPath(_ text: String) -> Bool {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    return isPlain(String(parts[0])) && (parts.count == 1 || isMember(withoutMarks(String(parts[1]))))
  }

  /// Returns whether a text is a plain name in which `{seat}` may stand for the number of a seat, such as `won-{seat}`:
  /// statuses.
  static func isStatus(_ text: String) -> Bool { isPlain(withoutMarks(text)) }

  /// Returns the text with a digit for each `{seat}`.
  private static func withoutMarks(_ text: String) -> String {
    text.replacing(DocumentReader.seatMark, with: "0")
  }

  /// `score/{seat}`: one variable for each seat.
  static func isOfSeats(_ text: String) -> Bool {
    text.hasSuffix(Self.ofSeats) && isPlain(String(text.dropLast(Self.ofSeats.count)))
  }

  private static let ofSeats = "/" + DocumentReader.seatMark

  /// `[A-Z][A-Z0-9_]*`: reasons.
  static func isReason(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= DocumentLimits.nameLengthMax else { return false }
    return isUppercase(first) && text.utf8.allSatisfy { isUppercase($0) || isDigit($0) || $0 == underscore }
  }

  /// `[!-~]+`: content types.
  static func isContentType(_ text: String) -> Bool {
    guard !text.isEmpty, text.utf8.count <= DocumentLimits.contentTypeLengthMax else { return false }
    return text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  private static let dash = UInt8(ascii: "-")
  private static let dot = UInt8(ascii: ".")
  private static let underscore = UInt8(ascii: "_")

  private static func isUppercase(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { isUppercase(byte & ~0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension String {
  /// The text in quotation marks, shortened and without control characters.
  var quoted: String {
    let shown = unicodeScalars.prefix(40).map { $0.value < 0x20 || $0.value == 0x7F ? "\u{FFFD}" : String($0) }
    return "'" + shown.joined() + (unicodeScalars.count > 40 ? "…'" : "'")
  }
}
