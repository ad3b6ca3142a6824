public import BaizeTable

// Values of Swift types as faces of items. `Protocol/client.md`, "Typed items", has the same mapping for other languages.
extension Face {
  /// Creates the face of a value.
  ///
  /// Each field becomes an attribute of its name, so that rules and clients in other languages can read it:
  ///
  /// | field | attribute |
  /// |---|---|
  /// | integer | number |
  /// | text, enumeration of texts, `UUID`, `URL`, `Decimal` | text |
  /// | `Bool` | text, `true` or `false`, as the boolean options of a table type |
  /// | `Double`, `Float` | text, the shortest decimal: `2.5`, `3` |
  /// | `Date` | number of milliseconds since 1970, rounded |
  /// | `Data` | text, Base64 |
  /// | list, set, dictionary, nested value | text, canonical JSON |
  /// | `nil` | none |
  ///
  /// A value without fields, such as a text or a list, is the attribute `value`. Equal values have equal faces. The
  /// representations are those of a ``RepresentedItem``, else none.
  ///
  /// - Throws: ``ItemCodingError`` with the field, for what has no attribute or exceeds a limit.
  public init(encoding value: some Encodable) throws(ItemCodingError) {
    let coded: CodedValue
    do {
      coded = try ValueEncoder.encode(value, at: []).value
    } catch {
      throw ItemCodingError(wrapping: error)
    }
    var fields: [String: CodedValue] = [:]
    if case .object(let members) = coded { fields = members } else { fields[Self.unnamedField] = coded }
    var attributes: [Attribute] = []
    for (name, value) in fields.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      if let value = try value.attributeValue(of: name) { attributes.append(Attribute(name: name, value: value)) }
    }
    self.init(attributes: attributes, representations: (value as? any RepresentedItem)?.representations ?? [])
    try checkLimits()
  }

  /// Reads the face as a value. Attributes that the type does not name are ignored.
  ///
  /// - Parameter type: The type of the value.
  /// - Returns: The value.
  /// - Throws: ``ItemCodingError`` with the field that is missing or of another kind.
  public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(ItemCodingError) -> Value {
    do {
      let decoder = FaceDecoder(face: self)
      return try ValueDecoder.hasPlainForm(type) ? decoder.unnamed().decode(type) : Value(from: decoder)
    } catch {
      throw ItemCodingError(wrapping: error)
    }
  }

  /// The attribute of a value that has no fields.
  static let unnamedField = "value"

  private func checkLimits() throws(ItemCodingError) {
    guard attributes.count <= WireLimits.itemAttributesMax else {
      throw ItemCodingError(
        .tooManyFields(count: attributes.count, countMax: WireLimits.itemAttributesMax), field: "")
    }
    guard representations.count <= WireLimits.itemRepresentationsMax else {
      throw ItemCodingError(
        .tooManyRepresentations(count: representations.count, countMax: WireLimits.itemRepresentationsMax), field: "")
    }
    for representation in representations {
      let bytes = representation.contentType.utf8.count
      guard bytes <= WireLimits.contentTypeBytesMax else {
        throw ItemCodingError(
          .nameTooLong(bytes: bytes, bytesMax: WireLimits.contentTypeBytesMax), field: representation.contentType)
      }
    }
    let bytesMax = TableLimits.operationFaceBytesMax - TableLimits.itemContentBytes
    guard contentBytes <= bytesMax else {
      throw ItemCodingError(.tooLarge(bytes: contentBytes, bytesMax: bytesMax), field: "")
    }
  }
}

extension NewItem {
  /// Creates an item with the face of a value; see `Face.init(encoding:)`.
  ///
  /// - Throws: ``ItemCodingError`` with the field, for what has no attribute or exceeds a limit.
  public init(encoding value: some Encodable) throws(ItemCodingError) { self.init(face: try Face(encoding: value)) }
}

/// A value that offers its content in other forms as well, for collections that accept only certain content types and
/// for other apps.
public protocol RepresentedItem {
  /// The representations, most preferred first.
  var representations: [Representation] { get }
}

extension CodedValue {
  /// Returns the value as that of an attribute; `nil` for no attribute.
  fileprivate func attributeValue(of name: String) throws(ItemCodingError) -> AttributeValue? {
    let text: String
    switch self {
    case .null: return nil
    case .integer(let number):
      try Self.check(name)
      return .number(number)
    case .boolean(let value): text = value ? "true" : "false"
    case .text(let value): text = value
    case .number(let number): text = number
    case .list, .object: text = json
    }
    try Self.check(name)
    guard text.utf8.count <= WireLimits.attributeTextBytesMax else {
      throw ItemCodingError(
        .textTooLong(bytes: text.utf8.count, bytesMax: WireLimits.attributeTextBytesMax), field: name)
    }
    return .text(text)
  }

  private static func check(_ name: String) throws(ItemCodingError) {
    guard !name.isEmpty else { throw ItemCodingError(.emptyName, field: name) }
    guard name.utf8.count <= WireLimits.attributeNameBytesMax else {
      throw ItemCodingError(
        .nameTooLong(bytes: name.utf8.count, bytesMax: WireLimits.attributeNameBytesMax), field: name)
    }
  }
}

/// Decodes the fields of a value from the attributes of a face.
private struct FaceDecoder: Decoder {
  let face: Face
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    ValueDecoder.keyed(
      Dictionary(
        face.attributes.compactMap { attribute in attribute.value.map { (attribute.name, CodedValue($0)) } },
        uniquingKeysWith: { first, _ in first }), by: type)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try unnamed().unkeyedContainer() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { try unnamed().singleValueContainer() }

  func unnamed() throws -> ValueDecoder {
    let path = [PathKey(stringValue: Face.unnamedField)]
    guard let value = face[Face.unnamedField] else { throw ItemCodingError(.missing, at: path) }
    return ValueDecoder(value: CodedValue(value), isAttribute: true, codingPath: path)
  }
}

extension CodedValue {
  fileprivate init(_ value: AttributeValue) {
    switch value {
    case .number(let number): self = .integer(number)
    case .text(let text): self = .text(text)
    }
  }
}

extension ItemCodingError {
  /// Creates the error for what an `encode(to:)` or `init(from:)` threw.
  fileprivate init(wrapping error: any Error) {
    switch error {
    case let error as ItemCodingError: self = error
    case EncodingError.invalidValue(_, let context):
      self.init(.invalid(context.debugDescription), at: context.codingPath)
    case DecodingError.keyNotFound(let key, let context): self.init(.missing, at: context.codingPath + [key])
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      self.init(.invalid(context.debugDescription), at: context.codingPath)
    default: self.init(.invalid("\(error)"), field: "")
    }
  }
}
