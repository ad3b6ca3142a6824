/// A command line, parsed by the definition of a ``Command``.
///
/// `--flag value` and `--flag=value` are equivalent. Everything after `--` is an operand. Every command has `--help` and
/// `-h`.
public struct CommandLineArguments: Hashable, Sendable {
  /// The arguments that are neither flags nor their values, in order.
  public private(set) var operands: [String] = []
  /// Whether the help was requested.
  public private(set) var wantsHelp = false
  private var values: [String: String] = [:]

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
    guard let option = command.options.first(where: { $0.flag == flag }) else {
      throw .unknownFlag(flag, meant: Self.nearest(to: flag, among: command.options.map(\.flag)))
    }
    guard values[flag] == nil else { throw .repeated(flag) }
    values[flag] = try Self.value(of: option, parts.count == 2 ? parts[1] : nil, &rest)
  }

  private static func value(
    of option: CommandOption, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(CommandLineError) -> String {
    guard let placeholder = option.placeholder else {
      guard attached == nil else { throw .unwantedValue(option.flag) }
      return ""
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

  public func has(_ flag: String) -> Bool { values[flag] != nil }

  public func text(_ flag: String) -> String? { values[flag] }

  /// Returns the value of a flag as an integer.
  ///
  /// - Parameters:
  ///   - flag: The flag.
  ///   - range: The valid values.
  ///   - unit: The unit, for the error message.
  public func number<Number: FixedWidthInteger>(
    _ flag: String, in range: ClosedRange<Number>, _ unit: String = ""
  ) throws(CommandLineError) -> Number? {
    guard let text = values[flag] else { return nil }
    let isPlain = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isPlain, let number = Number(text), range.contains(number) else {
      let counted = unit.isEmpty ? "a number" : "a number of \(unit)"
      throw .badValue(flag: flag, value: text, needed: "\(counted) from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns the value of a flag that takes one of several words.
  public func choice<Choice: RawRepresentable & CaseIterable>(
    _ flag: String, _: Choice.Type = Choice.self
  ) throws(CommandLineError) -> Choice? where Choice.RawValue == String {
    guard let text = values[flag] else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw .badValue(flag: flag, value: text, needed: "one of \(words)")
    }
    return choice
  }

  // MARK: Hints

  /// Returns the flag that was probably intended: the one with the fewest edits, if they are few.
  static func nearest(to flag: String, among flags: [String]) -> String? {
    let ranked = flags.map { (flag: $0, edits: edits(from: Array(flag.utf8), to: Array($0.utf8))) }
    guard let best = ranked.min(by: { $0.edits < $1.edits }), best.edits <= 2 || best.flag.hasPrefix(flag) else {
      return nil
    }
    return best.flag
  }

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
