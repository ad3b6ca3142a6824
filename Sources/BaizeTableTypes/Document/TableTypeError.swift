public import BaizeTable

/// A mistake in the name or the options of a table type, described in a sentence for its author.
public enum TableTypeError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownType(String, known: [String])
  /// The text is not `name=value`, or it is too long.
  case unreadableOption(String)
  case unknownOption(String, known: [String])
  case repeatedOption(String)
  case valueNotAllowed(String, OptionDeclaration)
  /// Each option is valid, but not their combination.
  case mistakes(DocumentMistakes)

  public var description: String {
    switch self {
    case .unknownType(let name, let known):
      "unknown table type \(name.quoted)\(Suggestion(for: name, among: known))"
    case .unreadableOption(let text):
      "\(text.quoted) is not an option: expected name=value, joined by '&'"
    case .unknownOption(let name, let known):
      "unknown option \(name.quoted); "
        + (known.isEmpty ? "this type has none" : "this type has \(known.joined(separator: ", "))")
    case .repeatedOption(let name):
      "the option '\(name)' is given twice"
    case .valueNotAllowed(let value, let option):
      "the option '\(option.name)' cannot be \(value.quoted); expected \(option.domainDescription)"
    case .mistakes(let mistakes):
      "these options cannot be combined: \(mistakes.mistakes.first.map(\.message) ?? "")"
    }
  }

  /// The error as the daemon reports it.
  public var failure: TableTypeFailure {
    switch self {
    case .unknownType: .unknownType(detail: description)
    case .unreadableOption, .unknownOption, .repeatedOption, .valueNotAllowed, .mistakes:
      .badOption(detail: description)
    }
  }
}
