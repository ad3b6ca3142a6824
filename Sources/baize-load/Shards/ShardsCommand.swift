import BaizeCommandLine

extension MeasureCommand {
  /// `baize-load shards`: two shards compared with one.
  static var shards: MeasureCommand {
    let tables = NumberOption.tables()
    let players = NumberOption.players()
    let window = NumberOption(
      "--window", "W", "Operations that each player has in flight.", in: 1...256, "operations", standard: 16
    ) { $0.window = $1 }
    let rate = CommandOption(
      "--rate", "N", "Operations per second of all players together, instead of a window.", standard: "none")
    let runs = NumberOption.runs("The number of runs of each, alternating.")
    let load = [tables, players, window, NumberOption.seconds]
    return MeasureCommand(
      "shards", "The daemon's processor time on two shards compared with one.",
      summary: "Compares the daemon's processor time per operation on two shards and on one, under the same load.",
      options: [tables.option, players.option, window.option, rate, NumberOption.seconds.option, runs.option],
      notes: ["The exit code is 1 if two shards take more than \(ShardsMeasure.ratioMax) times the time of one."]
    ) { parsed in
      var options = try LoadOptions(parsed, load)
      options.rate = (try parsed.number(rate.flag, in: 1...10_000_000, "operations per second") as Int?).map(
        Double.init)
      return try ShardsMeasure(options: options, runs: runs(parsed), report: Console.print).perform()
    }
  }
}
