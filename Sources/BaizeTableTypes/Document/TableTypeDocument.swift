public import BaizeTable

/// A table type as its author writes it: a JSON document without mistakes. Options chosen by a table's creator turn it
/// into a ``TableType``.
///
/// `Protocol/table-types.md` describes the language.
public struct TableTypeDocument: Sendable {
  public let text: String
  /// The title for people.
  public let title: String
  /// The options, in the order of the document.
  public let options: [OptionDeclaration]
  /// The table type with all options at their defaults.
  public let defaultTableType: TableType
  private let json: JSON
  private let uses: [String: OptionUses]
  /// The work of compiling it.
  let steps: Int

  /// Parses a document and checks it with all options at their defaults.
  ///
  /// - Throws: All mistakes, ordered by position.
  /// - Complexity: O(size of the document × collections in a family).
  public init(parsing bytes: [UInt8]) throws(DocumentMistakes) {
    let json = try JSONParser.parse(bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    let compilation = try Self.compile(json, text: text, choices: [:])
    self.json = json
    self.text = text
    title = compilation.title
    options = compilation.options
    uses = compilation.uses
    steps = compilation.steps
    defaultTableType = compilation.tableType
  }

  /// Parses a document; see ``init(parsing:)-([UInt8])``.
  public init(parsing text: String) throws(DocumentMistakes) { try self.init(parsing: Array(text.utf8)) }

  public var name: String { defaultTableType.name }

  /// Returns the table type with the options in `text`, such as `draw=3&emptyPile=any`, and the others at their defaults.
  public func makeTableType(options text: String) throws(TableTypeError) -> TableType {
    try makeTableType(choosing: try OptionText.parse(text, for: options))
  }

  /// Returns the table type with options that another party has chosen, as listed in ``TableType/options``.
  public func makeTableType(options chosen: [Attribute]) throws(TableTypeError) -> TableType {
    var choices: [String: AttributeValue] = [:]
    for attribute in chosen {
      guard let option = options.first(where: { $0.name.hasBytes(of: attribute.name) }) else {
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
      return try Self.compile(json, text: text, choices: choices, options: options).tableType
    } catch {
      throw .mistakes(error)
    }
  }

  /// The values of options that may lead to mistakes, the ones most likely to do so first.
  var extremes: [OptionChoice] {
    let values = options.map { option in uses[option.name].map { option.extremes($0) } ?? [] }
    let rounds = values.map(\.count).max() ?? 0
    return (0..<rounds).flatMap { round in
      zip(options, values).compactMap { option, values in
        round < values.count ? OptionChoice(option: option.name, value: values[round]) : nil
      }
    }
  }

  /// Returns the mistakes with one option at a value, and the work of finding them.
  func mistakes(with choice: OptionChoice) -> (mistakes: [Mistake], steps: Int) {
    let compiler = Compiler(choices: [choice.option: choice.value], options: options)
    _ = compiler.compile(json, text: text)
    return (compiler.mistakes.map { $0.with("\(choice.option)=\(choice.value.text)") }, compiler.steps)
  }

  private static func compile(
    _ json: JSON, text: String, choices: [String: AttributeValue], options: [OptionDeclaration]? = nil
  ) throws(DocumentMistakes) -> Compilation {
    let compiler = Compiler(choices: choices, options: options)
    guard let compilation = compiler.compile(json, text: text) else { throw DocumentMistakes(compiler.mistakes) }
    return compilation
  }
}

/// A value of one option; the others have their defaults.
struct OptionChoice {
  let option: String
  let value: AttributeValue
}
