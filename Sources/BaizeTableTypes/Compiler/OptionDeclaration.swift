public import BaizeTable

/// An option that a table's creator may choose.
public struct OptionDeclaration: Hashable, Sendable {
  public let name: String
  public let domain: Domain
  /// The value if the creator chooses none.
  public let defaultValue: AttributeValue
  /// The value at tables whose document has no such option; `nil` if it is the default.
  public let olderValue: AttributeValue?

  public enum Domain: Hashable, Sendable {
    case integer(ClosedRange<Int64>)
    /// Numbers and texts, in the order of the document.
    case choice([AttributeValue])
    /// The texts `true` and `false`.
    case boolean
  }

  /// Returns the value that `text` stands for; `nil` if the option does not permit it.
  public func value(of text: String) -> AttributeValue? {
    switch domain {
    case .integer(let range):
      guard let number = Int64(text), range.contains(number), String(number) == text else { return nil }
      return .number(number)
    case .choice(let values): return values.first { $0.text.hasBytes(of: text) }
    case .boolean: return text == "true" || text == "false" ? .text(text) : nil
    }
  }

  public func allows(_ value: AttributeValue) -> Bool { self.value(of: value.text) == value }

  /// The permitted values, for messages: `a number from 1 to 3`, `one of king, any`.
  public var domainDescription: String {
    switch domain {
    case .integer(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .choice(let values): "one of \(values.map(\.text).joined(separator: ", "))"
    case .boolean: "true or false"
    }
  }

  /// Returns the values most likely to break the rules of a document: both ends of a range and every choice, as far as the
  /// document tells them apart; the default is left out. The first and the last one come first.
  func extremes(_ uses: OptionUses) -> [AttributeValue] {
    let values: [AttributeValue] =
      switch domain {
      case .integer(let range): [.number(range.lowerBound), .number(range.upperBound)]
      case .choice(let values): values
      case .boolean: [.text("true"), .text("false")]
      }
    var told = values.filter { $0 != defaultValue && (uses.isRead || uses.compared.contains($0)) }
    // The default stands for the values that nothing is compared with, unless something is compared with it.
    if !uses.isRead, uses.compared.contains(defaultValue),
      let other = values.first(where: { $0 != defaultValue && !uses.compared.contains($0) })
    {
      told.append(other)
    }
    if told.count > 2, let last = told.popLast() { told.insert(last, at: 1) }
    return told
  }
}

extension AttributeValue {
  /// The value as written after an option's `=`.
  var text: String {
    switch self {
    case .number(let number): String(number)
    case .text(let text): text
    }
  }
}
