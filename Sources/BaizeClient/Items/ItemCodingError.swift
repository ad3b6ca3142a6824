import BaizeTable

/// The reason why a value cannot become the face of an item, or a face cannot be read as a value.
public struct ItemCodingError: Error, Hashable, Sendable {
  /// The path of the field, such as `title` or `tags[2].name`; empty for the whole value.
  public let field: String
  /// The problem with the field.
  public let problem: Problem

  /// A problem of one field.
  public enum Problem: Hashable, Sendable {
    /// The field's text is longer than an attribute may be. The text of a nested value is its JSON.
    case textTooLong(bytes: Int, bytesMax: Int)
    /// The field's name is longer than the name of an attribute may be.
    case nameTooLong(bytes: Int, bytesMax: Int)
    /// The field's name is empty.
    case emptyName
    /// The value has more fields than an item may have attributes.
    case tooManyFields(count: Int, countMax: Int)
    /// The value has more representations than an item may have.
    case tooManyRepresentations(count: Int, countMax: Int)
    /// The whole item is larger than one operation may carry.
    case tooLarge(bytes: Int, bytesMax: Int)
    /// The number has no exact value of the type on the other side: beyond 64 bits, not whole, or not finite.
    case numberOutOfRange(String)
    /// The face has no such attribute.
    case missing
    /// The face has a value of another kind.
    case mismatch(expected: String, found: String)
    /// The value's own coding failed, or its JSON is malformed, for the reason given.
    case invalid(String)
  }

  init(_ problem: Problem, at path: [any CodingKey]) {
    self.init(problem, field: path.fieldPath)
  }

  init(_ problem: Problem, field: String) {
    self.field = field
    self.problem = problem
  }
}

extension ItemCodingError: CustomStringConvertible {
  public var description: String { field.isEmpty ? "the item: \(problem)" : "\(field.printable()): \(problem)" }
}

extension ItemCodingError.Problem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .textTooLong(let bytes, let max): "the text has \(bytes) bytes; at most \(max) are allowed"
    case .nameTooLong(let bytes, let max): "the field's name has \(bytes) bytes; at most \(max) are allowed"
    case .emptyName: "the field's name is empty"
    case .tooManyFields(let count, let max): "the value has \(count) fields; at most \(max) are allowed"
    case .tooManyRepresentations(let count, let max):
      "the value has \(count) representations; at most \(max) are allowed"
    case .tooLarge(let bytes, let max): "the item has \(bytes) bytes; at most \(max) are allowed"
    case .numberOutOfRange(let number): "\(number.printable()) is not a number of the field's type"
    case .missing: "the item has no such attribute"
    case .mismatch(let expected, let found): "expected \(expected), found \(found)"
    case .invalid(let reason): reason.printable()
    }
  }
}

extension [any CodingKey] {
  /// The path as text, such as `tags[2].name`.
  var fieldPath: String {
    reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : "." + key.stringValue
      }
    }
  }
}

/// An index in a list, or the key of a superclass.
struct PathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(index: Int) { (stringValue, intValue) = ("\(index)", index) }
  init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
  init(intValue: Int) { self.init(index: intValue) }

  static let parent = PathKey(stringValue: "super")
}
