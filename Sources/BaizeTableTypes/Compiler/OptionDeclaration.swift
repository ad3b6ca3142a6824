public import BaizeTable

/// Something about a table that its creator may choose.
public struct OptionDeclaration: Hashable, Sendable {
  public let name: String
  public let domain: Domain
  public let defaultValue: AttributeValue

  public enum Domain: Hashable, Sendable {
    case integer(ClosedRange<Int64>)
    /// Numbers and texts, in the order of the document.
    case choice([AttributeValue])
    /// The texts `true` and `false`.
    case boolean
  }

  /// The value that `text` stands for, if the option allows it.
  public func value(of text: String) -> AttributeValue? {
    switch domain {
    case .integer(let range):
      guard let number = Int64(text), range.contains(number), String(number) == text else { return nil }
      return .number(number)
    case .choice(let values): return values.first { $0.text == text }
    case .boolean: return text == "true" || text == "false" ? .text(text) : nil
    }
  }

  public func allows(_ value: AttributeValue) -> Bool { self.value(of: value.text) == value }

  /// What may be chosen, for people: `from 1 to 3`, `one of king, any`.
  public var domainDescription: String {
    switch domain {
    case .integer(let range): "from \(range.lowerBound) to \(range.upperBound)"
    case .choice(let values): "one of \(values.map(\.text).joined(separator: ", "))"
    case .boolean: "true or false"
    }
  }

  /// The values at which rules are most likely to break: the ends of a range, every choice.
  var extremes: [AttributeValue] {
    switch domain {
    case .integer(let range): [.number(range.lowerBound), .number(range.upperBound)]
    case .choice(let values): values
    case .boolean: [.text("true"), .text("false")]
    }
  }
}

extension AttributeValue {
  /// As it is written behind an option's `=`.
  var text: String {
    switch self {
    case .number(let number): String(number)
    case .text(let text): text
    }
  }
}
