import BaizeCommandLine

/// An option with a number: its help and its reading in one value, so that the two cannot differ.
struct NumberOption: Sendable {
  let flag: String
  let placeholder: String
  let help: String
  let range: ClosedRange<Int>
  /// The unit, for error messages.
  let unit: String
  let standard: Int

  init(
    _ flag: String, _ placeholder: String, _ help: String, in range: ClosedRange<Int>, _ unit: String = "",
    standard: Int
  ) {
    self.flag = flag
    self.placeholder = placeholder
    self.help = help
    self.range = range
    self.unit = unit
    self.standard = standard
  }

  var option: CommandOption { CommandOption(flag, placeholder, help, standard: "\(standard)") }

  func read(_ parsed: CommandLineArguments) throws(CommandLineError) -> Int {
    try parsed.number(flag, in: range, unit) ?? standard
  }
}

/// The options of several commands.
extension NumberOption {
  static func tables(
    _ help: String = "The number of tables.", in range: ClosedRange<Int> = 1...1_000,
    standard: Int = LoadOptions().tables
  ) -> NumberOption {
    NumberOption("--tables", "T", help, in: range, standard: standard)
  }

  static func players(_ help: String = "The number of players at each table.") -> NumberOption {
    NumberOption("--players", "P", help, in: 1...64, standard: LoadOptions().players)
  }

  static let seconds = NumberOption(
    "--seconds", "N", "The duration of each run.", in: 1...600, "seconds", standard: 3)

  static func runs(_ help: String) -> NumberOption { NumberOption("--runs", "N", help, in: 1...100, standard: 5) }
}
