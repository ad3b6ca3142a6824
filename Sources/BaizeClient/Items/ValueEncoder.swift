import BaizeTable
import Foundation

/// Encodes Swift values as ``CodedValue``: the same value always gives the same result.
struct ValueEncoder: Encoder {
  let codingPath: [any CodingKey]
  let node = Node()
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// A value that containers are still filling.
  final class Node {
    enum Content {
      case none
      case value(CodedValue)
      case list([Node])
      case object([String: Node])
    }

    var content = Content.none

    /// The finished value. A value that encoded nothing is an empty object.
    var value: CodedValue {
      switch content {
      case .none: .object([:])
      case .value(let value): value
      case .list(let nodes): .list(nodes.map(\.value))
      case .object(let nodes): .object(nodes.mapValues(\.value))
      }
    }

    func append(_ node: Node) {
      if case .list(let nodes) = content { content = .list(nodes + [node]) } else { content = .list([node]) }
    }

    func set(_ node: Node, for key: String) {
      guard case .object(var nodes) = content else { return content = .object([key: node]) }
      content = .none
      nodes[key] = node
      content = .object(nodes)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = node.content {} else { node.content = .object([:]) }
    return KeyedEncodingContainer(KeyedEncoder<Key>(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .list = node.content {} else { node.content = .list([]) }
    return ListEncoder(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleEncoder(node: node, codingPath: codingPath)
  }
}

extension ValueEncoder {
  /// Encodes a value into a node of its own.
  static func encode(_ value: some Encodable, at path: [any CodingKey]) throws -> Node {
    guard path.count <= DocumentLimits.depthMax else {
      throw ItemCodingError(.invalid("values are nested more than \(DocumentLimits.depthMax) deep"), at: path)
    }
    let encoder = ValueEncoder(codingPath: path)
    if let simple = try simpleValue(value, at: path) {
      encoder.node.content = .value(simple)
      return encoder.node
    }
    try value.encode(to: encoder)
    if let unordered = value as? any Unordered, case .list = encoder.node.content,
      case .list(let list) = encoder.node.value
    {
      encoder.node.content = .value(.list(unordered.sorted(list)))
    }
    return encoder.node
  }

  /// Returns the value of a type that has a plain form of its own, in place of that of its `encode(to:)`.
  private static func simpleValue(_ value: some Encodable, at path: [any CodingKey]) throws -> CodedValue? {
    switch value {
    case let date as Date: try .integer(milliseconds(of: date, at: path))
    case let data as Data: .text(data.base64EncodedString())
    case let url as URL: .text(url.absoluteString)
    case let decimal as Decimal: .text(decimal.description)
    default: nil
    }
  }

  private static func milliseconds(of date: Date, at path: [any CodingKey]) throws -> Int64 {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    guard let number = Int64(exactly: milliseconds) else {
      throw ItemCodingError(.numberOutOfRange("\(milliseconds)"), at: path)
    }
    return number
  }

  static func number(_ value: some BinaryInteger, at path: [any CodingKey]) throws -> CodedValue {
    guard let number = Int64(exactly: value) else { throw ItemCodingError(.numberOutOfRange("\(value)"), at: path) }
    return .integer(number)
  }

  static func number(
    _ value: some BinaryFloatingPoint & LosslessStringConvertible, at path: [any CodingKey]
  ) throws -> CodedValue {
    guard let text = value.canonicalText else { throw ItemCodingError(.numberOutOfRange("\(value)"), at: path) }
    return .number(text)
  }
}

/// A collection whose order is not part of its value: its encoding is sorted, so that equal values have equal bytes.
private protocol Unordered {
  func sorted(_ list: [CodedValue]) -> [CodedValue]
}

extension Set: Unordered {
  func sorted(_ list: [CodedValue]) -> [CodedValue] {
    list.map { ($0, $0.json) }.sorted { $0.1.utf8.lexicographicallyPrecedes($1.1.utf8) }.map(\.0)
  }
}

extension Dictionary: Unordered {
  /// Sorts the pairs of a dictionary whose keys are neither texts nor numbers: key, value, key, value.
  func sorted(_ list: [CodedValue]) -> [CodedValue] {
    stride(from: 0, to: list.count - 1, by: 2).map { (list[$0], list[$0 + 1], list[$0].json) }
      .sorted { $0.2.utf8.lexicographicallyPrecedes($1.2.utf8) }.flatMap { [$0.0, $0.1] }
  }
}

// MARK: - Containers

private struct KeyedEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: ValueEncoder.Node
  let codingPath: [any CodingKey]

  mutating func encodeNil(forKey key: Key) { set(.null, key) }
  mutating func encode(_ value: Bool, forKey key: Key) { set(.boolean(value), key) }
  mutating func encode(_ value: String, forKey key: Key) { set(.text(value), key) }
  mutating func encode(_ value: Double, forKey key: Key) throws {
    try set(ValueEncoder.number(value, at: path(key)), key)
  }
  mutating func encode(_ value: Float, forKey key: Key) throws {
    try set(ValueEncoder.number(value, at: path(key)), key)
  }
  mutating func encode(_ value: Int, forKey key: Key) throws { try set(ValueEncoder.number(value, at: path(key)), key) }
  mutating func encode(_ value: Int8, forKey key: Key) throws {
    try set(ValueEncoder.number(value, at: path(key)), key)
  }
  mutating func encode(_ value: Int16, forKey key: Key) throws {
    try set(ValueEncoder.number(value, at: path(key)), key)
  }
  mutating func encode(_ value: Int32, forKey key: Key) throws {
    try set(ValueEncoder.number(value, at: path(key)), key)
  }
  mutating func encode(_ value: Int64, forKey key: Key) throws {
    try set(ValueEncoder.number(value, at: path(key)), key)
  }
  mutating func encode(_ value: UInt, forKey key: Key) throws {
    try set(ValueEncoder.number(value, at: path(key)), key)
  }
  mutating func encode(_ value: UInt8, forKey key: Key) throws {
    try set(ValueEncoder.number(value, at: path(key)), key)
  }
  mutating func encode(_ value: UInt16, forKey key: Key) throws {
    try set(ValueEncoder.number(value, at: path(key)), key)
  }
  mutating func encode(_ value: UInt32, forKey key: Key) throws {
    try set(ValueEncoder.number(value, at: path(key)), key)
  }
  mutating func encode(_ value: UInt64, forKey key: Key) throws {
    try set(ValueEncoder.number(value, at: path(key)), key)
  }
  mutating func encode(_ value: some Encodable, forKey key: Key) throws {
    node.set(try ValueEncoder.encode(value, at: path(key)), for: key.stringValue)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nested(key).container(keyedBy: keyType)
  }
  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key).unkeyedContainer()
  }
  mutating func superEncoder() -> any Encoder { nested(PathKey.parent) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

  private func nested(_ key: some CodingKey) -> ValueEncoder {
    let encoder = ValueEncoder(codingPath: codingPath + [key])
    node.set(encoder.node, for: key.stringValue)
    return encoder
  }
  private func path(_ key: Key) -> [any CodingKey] { codingPath + [key] }
  private func set(_ value: CodedValue, _ key: Key) {
    let leaf = ValueEncoder.Node()
    leaf.content = .value(value)
    node.set(leaf, for: key.stringValue)
  }
}

private struct ListEncoder: UnkeyedEncodingContainer {
  let node: ValueEncoder.Node
  let codingPath: [any CodingKey]
  private(set) var count = 0

  init(node: ValueEncoder.Node, codingPath: [any CodingKey]) {
    self.node = node
    self.codingPath = codingPath
  }

  mutating func encodeNil() { append(.null) }
  mutating func encode(_ value: Bool) { append(.boolean(value)) }
  mutating func encode(_ value: String) { append(.text(value)) }
  mutating func encode(_ value: Double) throws { append(try ValueEncoder.number(value, at: path)) }
  mutating func encode(_ value: Float) throws { append(try ValueEncoder.number(value, at: path)) }
  mutating func encode(_ value: Int) throws { append(try ValueEncoder.number(value, at: path)) }
  mutating func encode(_ value: Int8) throws { append(try ValueEncoder.number(value, at: path)) }
  mutating func encode(_ value: Int16) throws { append(try ValueEncoder.number(value, at: path)) }
  mutating func encode(_ value: Int32) throws { append(try ValueEncoder.number(value, at: path)) }
  mutating func encode(_ value: Int64) throws { append(try ValueEncoder.number(value, at: path)) }
  mutating func encode(_ value: UInt) throws { append(try ValueEncoder.number(value, at: path)) }
  mutating func encode(_ value: UInt8) throws { append(try ValueEncoder.number(value, at: path)) }
  mutating func encode(_ value: UInt16) throws { append(try ValueEncoder.number(value, at: path)) }
  mutating func encode(_ value: UInt32) throws { append(try ValueEncoder.number(value, at: path)) }
  mutating func encode(_ value: UInt64) throws { append(try ValueEncoder.number(value, at: path)) }
  mutating func encode(_ value: some Encodable) throws { append(try ValueEncoder.encode(value, at: path)) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    nested().container(keyedBy: keyType)
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { nested() }

  private var path: [any CodingKey] { codingPath + [PathKey(index: count)] }
  private mutating func nested() -> ValueEncoder {
    let encoder = ValueEncoder(codingPath: path)
    append(encoder.node)
    return encoder
  }
  private mutating func append(_ value: CodedValue) {
    let leaf = ValueEncoder.Node()
    leaf.content = .value(value)
    append(leaf)
  }
  private mutating func append(_ leaf: ValueEncoder.Node) {
    node.append(leaf)
    count += 1
  }
}

private struct SingleEncoder: SingleValueEncodingContainer {
  let node: ValueEncoder.Node
  let codingPath: [any CodingKey]

  mutating func encodeNil() { set(.null) }
  mutating func encode(_ value: Bool) { set(.boolean(value)) }
  mutating func encode(_ value: String) { set(.text(value)) }
  mutating func encode(_ value: Double) throws { set(try ValueEncoder.number(value, at: codingPath)) }
  mutating func encode(_ value: Float) throws { set(try ValueEncoder.number(value, at: codingPath)) }
  mutating func encode(_ value: Int) throws { set(try ValueEncoder.number(value, at: codingPath)) }
  mutating func encode(_ value: Int8) throws { set(try ValueEncoder.number(value, at: codingPath)) }
  mutating func encode(_ value: Int16) throws { set(try ValueEncoder.number(value, at: codingPath)) }
  mutating func encode(_ value: Int32) throws { set(try ValueEncoder.number(value, at: codingPath)) }
  mutating func encode(_ value: Int64) throws { set(try ValueEncoder.number(value, at: codingPath)) }
  mutating func encode(_ value: UInt) throws { set(try ValueEncoder.number(value, at: codingPath)) }
  mutating func encode(_ value: UInt8) throws { set(try ValueEncoder.number(value, at: codingPath)) }
  mutating func encode(_ value: UInt16) throws { set(try ValueEncoder.number(value, at: codingPath)) }
  mutating func encode(_ value: UInt32) throws { set(try ValueEncoder.number(value, at: codingPath)) }
  mutating func encode(_ value: UInt64) throws { set(try ValueEncoder.number(value, at: codingPath)) }
  mutating func encode(_ value: some Encodable) throws {
    node.content = try ValueEncoder.encode(value, at: codingPath).content
  }

  private func set(_ value: CodedValue) { node.content = .value(value) }
}
