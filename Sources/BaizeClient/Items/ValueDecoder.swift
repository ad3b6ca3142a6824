import BaizeTable
import Foundation

/// Decodes Swift values from a ``CodedValue``.
struct ValueDecoder: Decoder {
  let value: CodedValue
  /// Whether the value is that of an attribute: a text or an integer, which may stand for any other value.
  let isAttribute: Bool
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = try nested("an object") else { throw mismatch("an object") }
    return KeyedDecodingContainer(KeyedDecoder<Key>(members: members, areAttributes: false, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let elements) = try nested("a list") else { throw mismatch("a list") }
    return ListDecoder(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleDecoder(decoder: self) }

  /// Returns a decoder of the fields of an item.
  static func keyed<Key: CodingKey>(
    _ attributes: [String: CodedValue], by type: Key.Type
  ) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedDecoder<Key>(members: attributes, areAttributes: true, codingPath: []))
  }

  // MARK: Values

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let simple = try simpleValue(type) {
      guard let value = simple as? Value else { throw mismatch("\(type)") }
      return value
    }
    return try Value(from: self)
  }

  /// Returns whether a type has a plain form of its own, in place of what its `init(from:)` reads.
  static func hasPlainForm<Value>(_ type: Value.Type) -> Bool {
    type == Date.self || type == Data.self || type == URL.self || type == Decimal.self
  }

  private func simpleValue<Value>(_ type: Value.Type) throws -> Any? {
    if type == Date.self { return Date(timeIntervalSince1970: Double(try integer(Int64.self)) / 1_000) }
    if type == Data.self {
      guard let data = Data(base64Encoded: try text()) else { throw mismatch("Base64") }
      return data
    }
    if type == URL.self {
      guard let url = URL(string: try text()) else { throw mismatch("a URL") }
      return url
    }
    if type == Decimal.self {
      guard let decimal = Decimal(string: try numberText("a decimal number"), locale: Locale(identifier: "en_US_POSIX"))
      else { throw mismatch("a decimal number") }
      return decimal
    }
    return nil
  }

  var isNull: Bool { if case .null = value { true } else { false } }

  func boolean() throws -> Bool {
    switch value {
    case .boolean(let value): return value
    case .text("true") where isAttribute: return true
    case .text("false") where isAttribute: return false
    default: throw mismatch("a boolean")
    }
  }

  func text() throws -> String {
    guard case .text(let text) = value else { throw mismatch("a text") }
    return text
  }

  func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    switch value {
    case .integer(let integer):
      guard let number = Number(exactly: integer) else { throw outOfRange("\(integer)") }
      return number
    case .number(let text):
      guard let number = Number(text) else { throw outOfRange(text) }
      return number
    default: throw mismatch("a number")
    }
  }

  func real<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ type: Number.Type) throws -> Number {
    let text = try numberText("a number")
    guard let number = Number(text), number.isFinite else { throw outOfRange(text) }
    return number
  }

  private func numberText(_ expected: String) throws -> String {
    switch value {
    case .integer(let integer): return "\(integer)"
    case .number(let text): return text
    case .text(let text) where isAttribute && Double(text) != nil: return text
    default: throw mismatch(expected)
    }
  }

  /// Returns the list or object; that of an attribute is JSON text.
  private func nested(_ expected: String) throws -> CodedValue {
    guard isAttribute else { return value }
    guard case .text(let text) = value else { throw mismatch(expected) }
    guard let nested = CodedValue(parsing: text) else {
      throw ItemCodingError(.mismatch(expected: "\(expected) as JSON", found: "another text"), at: codingPath)
    }
    return nested
  }

  func mismatch(_ expected: String) -> ItemCodingError {
    ItemCodingError(.mismatch(expected: expected, found: value.kindDescription), at: codingPath)
  }

  private func outOfRange(_ number: String) -> ItemCodingError {
    ItemCodingError(.numberOutOfRange(number), at: codingPath)
  }
}

// MARK: - Containers

private struct KeyedDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [String: CodedValue]
  let areAttributes: Bool
  let codingPath: [any CodingKey]

  /// In a fixed order, so that an error is always the same one.
  var allKeys: [Key] { members.keys.sorted().compactMap { Key(stringValue: $0) } }
  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).isNull }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).boolean() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key).text() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).real(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).real(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key).integer(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder(key).integer(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder(key).integer(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder(key).integer(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder(key).integer(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder(key).integer(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder(key).integer(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder(key).integer(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder(key).integer(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder(key).integer(type) }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try decoder(key).decode(type) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { try decoder(PathKey.parent) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: some CodingKey) throws -> ValueDecoder {
    guard let value = members[key.stringValue] else { throw ItemCodingError(.missing, at: codingPath + [key]) }
    return ValueDecoder(value: value, isAttribute: areAttributes, codingPath: codingPath + [key])
  }
}

private struct ListDecoder: UnkeyedDecodingContainer {
  let elements: [CodedValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(elements: [CodedValue], codingPath: [any CodingKey]) {
    self.elements = elements
    self.codingPath = codingPath
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try decoder().isNull else { return false }
    currentIndex += 1
    return true
  }
  mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.boolean() } }
  mutating func decode(_ type: String.Type) throws -> String { try next { try $0.text() } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.real(type) } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.real(type) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.integer(type) } }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.decode(type) } }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next { try $0.container(keyedBy: type) }
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }
  mutating func superDecoder() throws -> any Decoder { try next { $0 } }

  private func decoder() throws -> ValueDecoder {
    let path = codingPath + [PathKey(index: currentIndex)]
    guard !isAtEnd else { throw ItemCodingError(.missing, at: path) }
    return ValueDecoder(value: elements[currentIndex], isAttribute: false, codingPath: path)
  }
  private mutating func next<Value>(_ decode: (ValueDecoder) throws -> Value) throws -> Value {
    let value = try decode(decoder())
    currentIndex += 1
    return value
  }
}

private struct SingleDecoder: SingleValueDecodingContainer {
  let decoder: ValueDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.boolean() }
  func decode(_ type: String.Type) throws -> String { try decoder.text() }
  func decode(_ type: Double.Type) throws -> Double { try decoder.real(type) }
  func decode(_ type: Float.Type) throws -> Float { try decoder.real(type) }
  func decode(_ type: Int.Type) throws -> Int { try decoder.integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(type) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
}
