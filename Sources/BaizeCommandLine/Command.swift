/// A program, or one of its subcommands, as its user sees it: what it is for and what it takes.
///
/// One value gives both the parsing and the help, so that the two cannot differ.
public struct Command: Sendable {
  /// Such as `baized check`.
  public let name: String
  /// What it does, in a line or two.
  public let summary: String
  /// Ways to call it, without the name, such as `[OPTIONS] FILE…`.
  public let usage: [String]
  /// What may stand beside the options, such as `FILE…`; `nil` where nothing may.
  public let operands: String?
  public let sections: [Section]
  /// Paragraphs behind the options.
  public let notes: [String]

  public init(
    _ name: String, summary: String, usage: [String] = ["[OPTIONS]"], operands: String? = nil, sections: [Section],
    notes: [String] = []
  ) {
    self.name = name
    self.summary = summary
    self.usage = usage
    self.operands = operands
    self.sections = sections
    self.notes = notes
  }

  /// Options that belong together.
  public struct Section: Sendable {
    public let title: String
    public let options: [CommandOption]

    public init(_ title: String, _ options: [CommandOption]) {
      self.title = title
      self.options = options
    }
  }

  var options: [CommandOption] { sections.flatMap(\.options) }
}

/// A flag such as `--shards N`.
public struct CommandOption: Sendable {
  /// With its dashes.
  public let flag: String
  /// What its value is called; `nil` for a flag that takes none.
  public let placeholder: String?
  public let help: String
  /// What holds without it, as the help says it.
  public let standard: String?

  public init(_ flag: String, _ placeholder: String? = nil, _ help: String, standard: String? = nil) {
    self.flag = flag
    self.placeholder = placeholder
    self.help = help
    self.standard = standard
  }
}

/// Why a command line cannot be followed. Each case has a sentence for the person who wrote it.
public enum CommandLineError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownFlag(String, meant: String?)
  case missingValue(CommandLineFlag)
  case unwantedValue(String)
  case repeated(String)
  case unexpectedOperand(String)
  case badValue(flag: String, value: String, needed: String)

  public var description: String {
    switch self {
    case .unknownFlag(let flag, let meant):
      "unknown flag '\(flag)'" + (meant.map { "; did you mean '\($0)'?" } ?? "")
    case .missingValue(let flag): "'\(flag.flag)' needs a value: \(flag.flag) \(flag.placeholder)"
    case .unwantedValue(let flag): "'\(flag)' takes no value"
    case .repeated(let flag): "'\(flag)' is given twice"
    case .unexpectedOperand(let text): "unexpected argument '\(text)'"
    case .badValue(let flag, let value, let needed): "'\(flag)' cannot be '\(value)'; it is \(needed)"
    }
  }
}

/// A flag and what its value is called.
public struct CommandLineFlag: Hashable, Sendable {
  public let flag: String
  public let placeholder: String
}
