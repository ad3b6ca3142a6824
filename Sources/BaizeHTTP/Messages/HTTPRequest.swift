/// A request of HTTP/1.0 or HTTP/1.1, as its head says.
public struct HTTPRequest: Hashable, Sendable {
  /// The method, such as `GET`. It is case-sensitive.
  public let method: String
  /// The path as it was sent, not decoded: it begins with `/`.
  public let path: String
  /// The text behind the `?`; empty without one.
  public let query: String
  /// The host, with the port if there is one, in lowercase letters; `nil` only in HTTP/1.0.
  public let host: String?
  /// The header fields in their order.
  public let fields: [HTTPField]
  /// The body, if it is within the reader's limit.
  public internal(set) var body: [UInt8] = []
  /// Whether the request has a body beyond the reader's limit, which is not read: the connection ends with the response.
  public let hasUnreadBody: Bool
  /// Whether the connection stays open after the response.
  public let isPersistent: Bool
  /// Whether the version is HTTP/1.1, and the connection can change to another protocol.
  public let isCurrent: Bool

  /// Returns the value of a field that occurs once; `nil` if it does not, or more than once.
  ///
  /// - Parameter name: The name in lowercase letters.
  public func value(_ name: String) -> String? {
    var found: String?
    for field in fields where field.name == name {
      if found != nil { return nil }
      found = field.value
    }
    return found
  }

  /// Returns the number of fields with a name, which is in lowercase letters.
  public func count(_ name: String) -> Int { fields.count { $0.name == name } }

  /// Returns whether a field whose value is a list, perhaps in several lines, has a word in it.
  ///
  /// - Parameters:
  ///   - name: The field's name in lowercase letters.
  ///   - word: The word in lowercase letters.
  public func lists(_ name: String, _ word: String) -> Bool {
    fields.contains { field in
      field.name == name && field.value.split(separator: ",").contains { $0.trimmingSpaces.asciiLowercased == word }
    }
  }
}

extension Substring {
  /// The text without spaces and tabs around it.
  var trimmingSpaces: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}

extension StringProtocol {
  /// The text with A–Z in lowercase, and everything else as it is.
  var asciiLowercased: String {
    String(decoding: utf8.map { 0x41 <= $0 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
