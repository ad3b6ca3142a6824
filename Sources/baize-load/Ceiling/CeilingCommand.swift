import BaizeCommandLine

/// `baize-load ceiling`: the daemon compared with a relay without tables.
enum CeilingCommand {
  private static let tables = NumberOption.tables()
  private static let players = NumberOption.players()
  private static let window = CommandOption("--window", "W", "Measures only this window.", standard: "1, then 16")
  private static let runs = NumberOption.runs("The number of runs of each, alternating.")

  private static let command = MeasureCommand.command(
    "ceiling",
    summary:
      "Compares the daemon, on one shard, with a relay that sends the same bytes over the same transport without "
      + "judging anything, and prints the ratio.",
    options: [tables.option, players.option, window, NumberOption.seconds.option, runs.option],
    notes: [
      "Starts baized from the folder of baize-load. The exit code is 1 if a copy differed, or if the ratio is "
        + Ceiling.ratioMins.sorted { $0.key < $1.key }.map { "below \($0.value) at window \($0.key)" }.joined(
          separator: " or ") + "."
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      var options = LoadOptions()
      options.tables = try tables.read(parsed)
      options.players = try players.read(parsed)
      options.seconds = Double(try NumberOption.seconds.read(parsed))
      let window = try parsed.number(window.flag, in: 1...256, "operations") as Int?
      return try Ceiling(
        options: options, runs: try runs.read(parsed), windows: window.map { [$0] } ?? [1, 16], report: Console.print
      ).perform()
    }
  }
}
