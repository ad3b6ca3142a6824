public import BaizeTable

/// A table type as its author wrote it: a JSON document without mistakes, from which a table's creator gets a
/// ``TableType`` by choosing options.
///
/// The language is described in `Protocol/table-types.md`.
public struct TableTypeDocument: Sendable {
  /// The document, byte for byte.
  public let text: String
  /// The name for people.
  public let title: String
  /// How many seats a table has at least and at most.
  public let seats: ClosedRange<Int>
  /// What a table's creator may choose, in the order of the document.
  public let options: [OptionDeclaration]
  /// The table type with all options at their defaults.
  public let defaultTableType: TableType
  private let json: JSON

  /// Reads a document and checks it with all options at their defaults.
  ///
  /// - Throws: All mistakes, in the order of their positions.
  /// - Complexity: O(size of the document × collections in a family).
  public init(parsing bytes: [UInt8]) throws(DocumentMistakes) {
    let json = try JSONParser.parse(bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    let compilation = try Self.compile(json, text: text, choices: [:])
    self.json = json
    self.text = text
    title = compilation.title
    seats = compilation.seats
    options = compilation.options
    defaultTableType = compilation.tableType
  }

  public init(parsing text: String) throws(DocumentMistakes) { try self.init(parsing: Array(text.utf8)) }

  public var name: String { defaultTableType.name }

  /// The table type with the options that `text` chooses, such as `draw=3&emptyPile=any`; the others have their
  /// defaults.
  public func makeTableType(options text: String) throws(TableTypeError) -> TableType {
    try makeTableType(choosing: try OptionText.parse(text, for: options))
  }

  /// The table type with the options that another party chose, as ``TableType/options`` lists them.
  public func makeTableType(options chosen: [Attribute]) throws(TableTypeError) -> TableType {
    var choices: [String: AttributeValue] = [:]
    for attribute in chosen {
      guard let option = options.first(where: { $0.name == attribute.name }) else {
        throw .unknownOption(attribute.name, known: options.map(\.name))
      }
      guard let value = attribute.value, option.allows(value) else {
        throw .valueNotAllowed(attribute.value?.text ?? "", option)
      }
      guard choices.updateValue(value, forKey: option.name) == nil else { throw .repeatedOption(option.name) }
    }
    return try makeTableType(choosing: choices)
  }

  private func makeTableType(choosing choices: [String: AttributeValue]) throws(TableTypeError) -> TableType {
    let isDefault = options.allSatisfy { choices[$0.name] == nil || choices[$0.name] == $0.defaultValue }
    if isDefault { return defaultTableType }
    do throws(DocumentMistakes) {
      return try Self.compile(json, text: text, choices: choices).tableType
    } catch {
      throw .mistakes(error)
    }
  }

  /// All that is wrong when options are at the ends of what they allow, one option after the other.
  func mistakesAtExtremes() -> [Mistake] {
    options.flatMap { option in
      option.extremes.flatMap { value -> [Mistake] in
        var compiler = Compiler(choices: [option.name: value])
        _ = compiler.compile(json, text: text)
        return compiler.mistakes.map { $0.with("\(option.name)=\(value.text)") }
      }
    }
  }

  private static func compile(
    _ json: JSON, text: String, choices: [String: AttributeValue]
  ) throws(DocumentMistakes) -> Compilation {
    var compiler = Compiler(choices: choices)
    guard let compilation = compiler.compile(json, text: text) else { throw DocumentMistakes(compiler.mistakes) }
    return compilation
  }
}
