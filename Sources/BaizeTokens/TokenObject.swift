import BaizeTableTypes

/// A JSON object of a token, whose members have the types that are asked for.
struct TokenObject {
  private let members: [String: JSON]
  private let name: String

  init(_ bytes: [UInt8], _ name: String) throws(TokenRefusal) {
    let json: JSON
    do throws(DocumentMistakes) {
      json = try JSONParser.parse(bytes)
    } catch {
      throw TokenRefusal("\(name) are no JSON, or one is there twice")
    }
    try self.init(json, name)
  }

  private init(_ json: JSON, _ name: String) throws(TokenRefusal) {
    guard case .object(let members) = json.content else { throw TokenRefusal("\(name) are no JSON object") }
    self.members = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
    self.name = name
  }

  var keys: some Sequence<String> { members.keys }

  func has(_ key: String) -> Bool { members[key] != nil }

  func text(_ key: String) throws(TokenRefusal) -> String? {
    guard let value = members[key] else { return nil }
    guard case .text(let text) = value.content, text.utf8.count <= TokenLimits.claimBytesMax else {
      throw TokenRefusal("'\(key)' is not a text of at most \(TokenLimits.claimBytesMax) bytes")
    }
    return text
  }

  /// Returns a list of texts, or the only one; empty without the member.
  func texts(_ key: String) throws(TokenRefusal) -> [String] {
    if case .text? = members[key]?.content { return [try text(key)].compactMap(\.self) }
    return members[key] == nil ? [] : try list(key, countMax: .max)
  }

  func list(_ key: String, countMax: Int) throws(TokenRefusal) -> [String] {
    guard case .array(let values)? = members[key]?.content, values.count <= countMax else {
      throw TokenRefusal("'\(key)' is not a list of texts, or of too many")
    }
    return try values.map { (value) throws(TokenRefusal) in
      guard case .text(let text) = value.content else { throw TokenRefusal("'\(key)' is not a list of texts") }
      return text
    }
  }

  func object(_ key: String) throws(TokenRefusal) -> TokenObject? {
    try members[key].map { (value) throws(TokenRefusal) in try TokenObject(value, "the members of '\(key)'") }
  }

  /// Returns a whole number.
  func number(_ key: String, in range: ClosedRange<Int64>) throws(TokenRefusal) -> Int64? {
    guard let value = members[key] else { return nil }
    guard case .integer(let number) = value.content, range.contains(number) else {
      throw TokenRefusal("'\(key)' is not a whole number from \(range.lowerBound)")
    }
    return number
  }

  /// Returns a time in seconds since 1970. A fraction is cut off.
  func time(_ key: String) throws(TokenRefusal) -> Int64? {
    guard let value = members[key] else { return nil }
    switch value.content {
    case .integer(let seconds) where Self.times.contains(seconds): return seconds
    case .number(let text):
      guard let seconds = Double(text), seconds >= 0, seconds <= Double(Self.times.upperBound) else { break }
      return Int64(seconds)
    case .integer, .null, .boolean, .text, .array, .object: break
    }
    throw TokenRefusal("'\(key)' is not a time in seconds since 1970")
  }

  /// Times of which sums do not overflow: up to the year 9999.
  private static let times: ClosedRange<Int64> = 0...253_402_300_799
}
