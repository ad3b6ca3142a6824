import BaizeCommandLine

/// `baize-load shards`: two shards compared with one.
enum ShardsCommand {
  private static let tables = NumberOption.tables()
  private static let players = NumberOption.players()
  private static let window = NumberOption(
    "--window", "W", "Operations that each player has in flight.", in: 1...256, "operations", standard: 16)
  private static let rate = CommandOption(
    "--rate", "N", "Operations per second of all players together, instead of a window.", standard: "none")
  private static let runs = NumberOption.runs("The number of runs of each, alternating.")

  private static let command = MeasureCommand.command(
    "shards",
    summary: "Compares the daemon's processor time per operation on two shards and on one, under the same load.",
    options: [tables.option, players.option, window.option, rate, NumberOption.seconds.option, runs.option],
    notes: ["The exit code is 1 if two shards take more than \(ShardsMeasure.ratioMax) times the time of one."])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      var options = LoadOptions()
      options.tables = try tables.read(parsed)
      options.players = try players.read(parsed)
      options.window = try window.read(parsed)
      options.rate = (try parsed.number(rate.flag, in: 1...10_000_000, "operations per second") as Int?).map(
        Double.init)
      options.seconds = Double(try NumberOption.seconds.read(parsed))
      return try ShardsMeasure(options: options, runs: try runs.read(parsed), report: Console.print).perform()
    }
  }
}
