import BaizeCommandLine

/// An option with a number: its help and its reading in one value, so that the two cannot differ.
struct NumberOption: Sendable {
  let option: CommandOption
  private let range: ClosedRange<Int>
  /// The unit, for error messages.
  private let unit: String
  private let standard: Int
  /// Sets the parameter of a run, if it is one.
  fileprivate let set: @Sendable (inout LoadOptions, Int) -> Void

  init(
    _ flag: String, _ placeholder: String, _ help: String, in range: ClosedRange<Int>, _ unit: String = "",
    standard: Int, set: @escaping @Sendable (inout LoadOptions, Int) -> Void = { _, _ in }
  ) {
    option = CommandOption(flag, placeholder, help, standard: "\(standard)")
    self.range = range
    self.unit = unit
    self.standard = standard
    self.set = set
  }

  func callAsFunction(_ parsed: CommandLineArguments, standard: Int? = nil) throws(CommandLineError) -> Int {
    try parsed.number(option.flag, in: range, unit) ?? standard ?? self.standard
  }
}

extension LoadOptions {
  /// Reads the parameters that a command line has, and leaves the others at their defaults.
  init(_ parsed: CommandLineArguments, _ options: [NumberOption]) throws(CommandLineError) {
    for option in options { option.set(&self, try option(parsed)) }
  }
}

/// The options of several commands.
extension NumberOption {
  static func tables(
    _ help: String = "The number of tables.", in range: ClosedRange<Int> = 1...1_000,
    standard: Int = LoadOptions().tables
  ) -> NumberOption {
    NumberOption("--tables", "T", help, in: range, standard: standard) { $0.tables = $1 }
  }

  static func players(_ help: String = "The number of players at each table.") -> NumberOption {
    NumberOption("--players", "P", help, in: 1...64, standard: LoadOptions().players) { $0.players = $1 }
  }

  static var seconds: NumberOption {
    NumberOption("--seconds", "N", "The duration of each run.", in: 1...600, "seconds", standard: 3) {
      $0.seconds = Double($1)
    }
  }

  static var rate: NumberOption {
    NumberOption(
      "--rate", "N", "Operations per second of all players together.", in: 1...1_000_000, "operations per second",
      standard: 4_000
    ) { $0.rate = Double($1) }
  }

  static func window(standard: Int) -> NumberOption {
    NumberOption(
      "--window", "W", "Operations that each player has in flight.", in: 1...256, "operations", standard: standard
    ) { $0.window = $1 }
  }

  static func runs(_ help: String) -> NumberOption { NumberOption("--runs", "N", help, in: 1...100, standard: 5) }
}
