/// A command line, parsed by the definition of a ``Command``.
///
/// `--flag value` and `--flag=value` are equivalent. Everything after `--` is an operand. Every command has `--help`, `-h` and
/// `--version`. A flag without a value can be given as `--flag=false`, so that it overrides what is set elsewhere
/// (``add(environment:for:)``, ``add(_:)``).
public struct CommandLineArguments: Hashable, Sendable {
  /// The arguments that are neither flags nor their values, in order.
  public private(set) var operands: [String] = []
  /// Whether the help was requested.
  public private(set) var wantsHelp = false
  /// Whether the version was requested.
  public private(set) var wantsVersion = false
  private var values: [String: Value] = [:]

  private struct Value: Hashable {
    let text: String
    let origin: SettingOrigin
  }

  /// Parses a command line.
  ///
  /// - Parameters:
  ///   - arguments: The arguments without the names of the program and the subcommand.
  ///   - command: The command's definition.
  public init(_ arguments: some Sequence<String>, for command: Command) throws(CommandLineError) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        for operand in rest { try add(operand: operand, command) }
        return
      }
      if argument.hasPrefix("-"), argument != "-" {
        try add(flag: argument, &rest, command)
      } else {
        try add(operand: argument, command)
      }
    }
  }

  private mutating func add(
    flag argument: String, _ rest: inout ArraySlice<String>, _ command: Command
  ) throws(CommandLineError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let flag = parts[0]
    if flag == "--help" || flag == "-h" {
      wantsHelp = true
      return
    }
    if flag == "--version" {
      wantsVersion = true
      return
    }
    guard let option = command.options.first(where: { $0.flag == flag }) else {
      throw .unknownFlag(flag, meant: Self.nearest(to: flag, among: command.options.map(\.flag)))
    }
    guard values[flag] == nil else { throw .repeated(flag) }
    let text = try Self.value(of: option, parts.count == 2 ? parts[1] : nil, &rest)
    values[flag] = Value(text: text, origin: .commandLine)
  }

  private static func value(
    of option: CommandOption, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(CommandLineError) -> String {
    guard let placeholder = option.placeholder else {
      let text = attached ?? Self.yes
      guard text == Self.yes || text == Self.no else { throw .unwantedValue(option.flag) }
      return text
    }
    if let attached { return attached }
    // Something that looks like a flag is one: a forgotten value must not consume it.
    guard let next = rest.first, !next.hasPrefix("--") else {
      throw .missingValue(CommandLineFlag(flag: option.flag, placeholder: placeholder))
    }
    rest.removeFirst()
    return next
  }

  private mutating func add(operand: String, _ command: Command) throws(CommandLineError) {
    guard command.operands != nil else { throw .unexpectedOperand(operand) }
    operands.append(operand)
  }

  // MARK: Values

  /// Returns whether a flag without a value is given, or one with a value.
  public func has(_ flag: String) -> Bool { values[flag].map { $0.text != Self.no } ?? false }

  public func text(_ flag: String) -> String? { values[flag]?.text }

  /// Returns the origin of the value of a flag; `nil` if it is not given.
  public func origin(_ flag: String) -> SettingOrigin? { values[flag]?.origin }

  /// Returns the value of a flag as an integer.
  ///
  /// - Parameters:
  ///   - flag: The flag.
  ///   - range: The valid values.
  ///   - unit: The unit, for the error message.
  public func number<Number: FixedWidthInteger>(
    _ flag: String, in range: ClosedRange<Number>, _ unit: String = ""
  ) throws(CommandLineError) -> Number? {
    guard let text = text(flag) else { return nil }
    let isPlain = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isPlain, let number = Number(text), range.contains(number) else {
      let counted = unit.isEmpty ? "a number" : "a number of \(unit)"
      throw mistake(in: flag, needed: "\(counted) from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns the value of a flag that takes one of several words.
  public func choice<Choice: RawRepresentable & CaseIterable>(
    _ flag: String, _: Choice.Type = Choice.self
  ) throws(CommandLineError) -> Choice? where Choice.RawValue == String {
    guard let text = text(flag) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw mistake(in: flag, needed: "one of \(words)")
    }
    return choice
  }

  /// Returns the mistake of a flag with a value that it cannot have, which names the origin of the value.
  ///
  /// - Parameters:
  ///   - flag: The flag.
  ///   - needed: The values that it can have.
  public func mistake(in flag: String, needed: String) -> CommandLineError {
    let value = values[flag]?.text ?? ""
    return switch values[flag]?.origin {
    case .file(let position, let key): .badSetting(position: position, key: key, value: value, needed: needed)
    case .environment(let name): .badValue(flag: name, value: value, needed: needed)
    case .commandLine, nil: .badValue(flag: flag, value: value, needed: needed)
    }
  }

  // MARK: Other origins

  private static let yes = "true"
  private static let no = "false"

  /// Adds the settings of an environment that the command line does not have. An empty variable sets nothing.
  ///
  /// A variable that begins like those of the options but has none of their names is a mistake, unless it is one that Kubernetes makes
  /// for a service whose name begins with the program's.
  ///
  /// - Parameters:
  ///   - environment: The variables.
  ///   - command: The command's definition.
  ///   - others: The names of variables that the program reads elsewhere.
  public mutating func add(
    environment: [String: String], for command: Command, besides others: Set<String> = []
  ) throws(CommandLineError) {
    let names = others.union(command.options.map(\.variable))
    for name in environment.keys.sorted() where name.hasPrefix(CommandOption.variablePrefix) && !names.contains(name) {
      guard name.wholeMatch(of: Self.serviceVariable) == nil else { continue }
      throw .unknownVariable(name, meant: Self.nearest(to: name, among: names.sorted(), allowsPrefix: false))
    }
    for option in command.options where values[option.flag] == nil {
      guard let text = environment[option.variable], !text.isEmpty else { continue }
      values[option.flag] = Value(text: text, origin: .environment(option.variable))
      guard option.placeholder != nil || text == Self.yes || text == Self.no else {
        throw mistake(in: option.flag, needed: "true or false")
      }
    }
  }

  /// The names of the variables that Kubernetes makes for a service, with the upper-case name of the service in front:
  /// `BAIZE_SERVICE_HOST`, `BAIZE_SERVICE_PORT_HTTP`, `BAIZE_PORT`, `BAIZE_PORT_7777_TCP_ADDR`.
  private static var serviceVariable: Regex<Substring> {
    /[A-Z0-9_]+_(?:SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)|PORT(?:_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)/
  }

  /// Adds the settings of another command line that this one does not have.
  public mutating func add(_ other: CommandLineArguments) { values.merge(other.values) { own, _ in own } }

  /// Adds a setting of a file, unless the command line or the environment has it.
  public mutating func add(_ setting: FileSetting) {
    guard values[setting.option.flag] == nil else { return }
    values[setting.option.flag] = Value(
      text: setting.text, origin: .file(position: setting.position, key: setting.option.key))
  }

  // MARK: Hints

  /// Returns the flag that was probably intended: the one with the fewest edits, if they are few.
  ///
  /// - Parameters:
  ///   - flag: The unknown flag.
  ///   - flags: The known ones.
  ///   - allowsPrefix: Whether the beginning of a flag stands for it.
  static func nearest(
    to flag: String, among flags: [String], allowsPrefix: Bool = true
  ) -> String? {
    let ranked = flags.map { (flag: $0, edits: edits(from: Array(flag.utf8), to: Array($0.utf8))) }
    guard let best = ranked.min(by: { $0.edits < $1.edits }),
      best.edits <= Self.editsMax || allowsPrefix && best.flag.hasPrefix(flag)
    else {
      return nil
    }
    return best.flag
  }

  /// The number of edits that are few.
  private static let editsMax = 2

  /// Returns the Levenshtein distance, computed row by row.
  private static func edits(from left: [UInt8], to right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (index, byte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let cost = min(diagonal + (byte == right[column] ? 0 : 1), row[column] + 1, row[column + 1] + 1)
        diagonal = row[column + 1]
        row[column + 1] = cost
      }
    }
    return row[right.count]
  }
}
