/// Why there is no table type of a name with options. Each has a sentence for the one who asked.
public enum TableTypeError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownType(String, known: [String])
  /// What stands there is not `name=value`, or it is too long.
  case unreadableOption(String)
  case unknownOption(String, known: [String])
  case repeatedOption(String)
  case valueNotAllowed(String, OptionDeclaration)
  /// The options are allowed each by itself, and together they make no table.
  case mistakes(DocumentMistakes)

  public var description: String {
    switch self {
    case .unknownType(let name, let known):
      "unknown table type \(name.quoted)\(Suggestion(for: name, among: known))"
    case .unreadableOption(let text):
      "\(text.quoted) is no option: needed is name=value, several joined by '&'"
    case .unknownOption(let name, let known):
      "unknown option \(name.quoted); "
        + (known.isEmpty ? "this type has none" : "this type has \(known.joined(separator: ", "))")
    case .repeatedOption(let name):
      "the option '\(name)' stands there twice"
    case .valueNotAllowed(let value, let option):
      "the option '\(option.name)' cannot be \(value.quoted); it is \(option.domainDescription)"
    case .mistakes(let mistakes):
      "these options together make no table: \(mistakes.mistakes.first.map(\.message) ?? "")"
    }
  }
}
