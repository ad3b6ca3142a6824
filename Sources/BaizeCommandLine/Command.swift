/// A program or a subcommand: its purpose, options and operands.
///
/// One value defines both the parser and the help, so that they cannot disagree.
public struct Command: Sendable {
  /// The name, such as `baized check`.
  public let name: String
  /// The purpose, in a line or two.
  public let summary: String
  /// The forms of a call without the name, such as `[OPTIONS] FILE…`.
  public let usage: [String]
  /// The operands, such as `FILE…`; `nil` if there are none.
  public let operands: String?
  /// The words that an operand is one of; empty if it can be anything.
  public let operandChoices: [String]
  /// The options, in the sections of the help.
  public let sections: [Section]
  /// Paragraphs after the options.
  public let notes: [String]

  /// The program's name: the first word of ``name``.
  public var program: String { String(name.prefix { $0 != " " }) }

  public init(
    _ name: String, summary: String, usage: [String] = ["[OPTIONS]"], operands: String? = nil,
    operandChoices: [String] = [], sections: [Section], notes: [String] = []
  ) {
    self.name = name
    self.summary = summary
    self.usage = usage
    self.operands = operands
    self.operandChoices = operandChoices
    self.sections = sections
    self.notes = notes
  }

  /// A group of options in the help.
  public struct Section: Sendable {
    public let title: String
    public let options: [CommandOption]

    public init(_ title: String, _ options: [CommandOption]) {
      self.title = title
      self.options = options
    }
  }

  /// The options of all sections.
  public var options: [CommandOption] { sections.flatMap(\.options) }
}

/// A flag such as `--shards N`, and where it is a setting the environment variable and the key of a file with its name.
public struct CommandOption: Sendable {
  /// The flag with its dashes.
  public let flag: String
  /// The name of the value in the help; `nil` for a flag without a value.
  public let placeholder: String?
  /// The description in the help.
  public let help: String
  /// The description of the default, if any.
  public let standard: String?
  /// The values that it takes; empty if they are not words to choose from.
  public let choices: [String]
  /// The places that can set it, for a command that reads more than its command line.
  public let scope: Scope

  /// The places that can set an option.
  public enum Scope: Sendable {
    /// The command line, the environment and a file.
    case setting
    /// The command line and the environment.
    case commandLineAndEnvironment
  }

  public init(
    _ flag: String, _ placeholder: String? = nil, _ help: String, standard: String? = nil, choices: [String] = [],
    scope: Scope = .setting
  ) {
    self.flag = flag
    self.placeholder = placeholder
    self.help = help
    self.standard = standard
    self.choices = choices
    self.scope = scope
  }

  /// The name of the environment variable, such as `BAIZE_TABLES_BURST_MAX` of `--tables-burst-max`.
  public var variable: String {
    Self.variablePrefix + flag.dropFirst(2).uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  /// The key in a file, such as `tablesBurstMax` of `--tables-burst-max`.
  public var key: String {
    let words = flag.dropFirst(2).split(separator: "-")
    return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  static let variablePrefix = "BAIZE_"
}

/// A mistake in a command line, described in a sentence for its author.
public enum CommandLineError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownFlag(String, meant: String?)
  case missingValue(CommandLineFlag)
  case unwantedValue(String)
  case repeated(String)
  case exclusive(String, String)
  case unexpectedOperand(String)
  case badValue(flag: String, value: String, needed: String)
  case badSetting(position: String, key: String, value: String, needed: String)
  case unknownVariable(String, meant: String?)

  public var description: String {
    switch self {
    case .unknownFlag(let flag, let meant):
      "unknown flag '\(flag)'" + (meant.map { "; did you mean '\($0)'?" } ?? "")
    case .missingValue(let flag): "'\(flag.flag)' needs a value: \(flag.flag) \(flag.placeholder)"
    case .unwantedValue(let flag): "'\(flag)' takes no value"
    case .repeated(let flag): "'\(flag)' is given twice"
    case .exclusive(let one, let other): "'\(one)' and '\(other)' exclude each other"
    case .unexpectedOperand(let text): "unexpected argument '\(text)'"
    case .badValue(let flag, let value, let needed): "'\(flag)' cannot be '\(value)'; expected \(needed)"
    case .badSetting(let position, let key, let value, let needed):
      "\(position): \(key): cannot be '\(value)'; expected \(needed)"
    case .unknownVariable(let name, let meant):
      "unknown environment variable '\(name)'" + (meant.map { "; did you mean '\($0)'?" } ?? "")
    }
  }
}

/// A flag and the name of its value.
public struct CommandLineFlag: Hashable, Sendable {
  public let flag: String
  public let placeholder: String
}
