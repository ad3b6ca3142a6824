/// The link to a table that the web table gives: `http://HOST/#table=NAME`, with `&invite=TEXT` where one is needed.
public struct TableLink: Hashable, Sendable {
  /// The table's name.
  public let table: String
  /// The invite; empty for none.
  public let invite: String

  /// Reads a link; `nil` if it names no table, or its text is not UTF-8.
  public init?(_ text: String) {
    guard let hash = text.firstIndex(of: "#") else { return nil }
    var values: [String: String] = [:]
    for part in text[text.index(after: hash)...].split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let value = Self.decoded(pair.count == 2 ? pair[1] : "") else { return nil }
      // The page, too, reads the first of several values.
      if values[String(pair[0])] == nil { values[String(pair[0])] = value }
    }
    guard let table = values["table"], !table.isEmpty else { return nil }
    self.table = table
    invite = values["invite"] ?? ""
  }

  /// Returns a text without its percent encoding, in which a plus sign is a space.
  private static func decoded(_ text: Substring) -> String? {
    var (bytes, rest) = ([UInt8](), Substring(text).utf8)
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let code = Self.byte(rest.prefix(2)) else { return nil }
        bytes.append(code)
        rest = rest.dropFirst(2)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
  /// Returns the byte that two hexadecimal digits name.
  private static func byte(_ digits: Substring.UTF8View) -> UInt8? {
    let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    return values.count == 2 ? UInt8(values[0] << 4 | values[1]) : nil
  }
}
