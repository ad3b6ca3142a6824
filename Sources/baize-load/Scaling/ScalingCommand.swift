import BaizeCommandLine

/// `baize-load scaling`: long lists compared with short ones.
enum ScalingCommand {
  private static let short = NumberOption(
    "--short", "N", "The number of items of the short list.", in: 1...1_000_000, standard: 1_000)
  private static let long = NumberOption(
    "--long", "N", "The number of items of the long list.", in: 1...1_000_000, standard: 1_000_000)
  private static let players = NumberOption.players("The number of players.")
  private static let window = NumberOption(
    "--window", "W", "Operations that each player has in flight.", in: 1...256, "operations", standard: 1)
  private static let runs = NumberOption.runs("The number of runs of each, alternating.")

  private static let command = MeasureCommand.command(
    "scaling",
    summary:
      "Measures the cost of a list's length: operations on a short and a long list, and the effect of a new spectator "
      + "of the long one on its players.",
    options: [
      short.option, long.option, players.option, window.option, NumberOption.seconds.option, runs.option,
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      var options = LoadOptions()
      options.players = try players.read(parsed)
      options.seconds = Double(try NumberOption.seconds.read(parsed))
      options.window = try window.read(parsed)
      return try Scaling(
        options: options, runs: try runs.read(parsed), short: try short.read(parsed), long: try long.read(parsed),
        report: Console.print
      ).perform()
    }
  }
}
