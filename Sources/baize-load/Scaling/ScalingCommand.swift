import BaizeCommandLine

extension MeasureCommand {
  /// `baize-load scaling`: long lists compared with short ones.
  static var scaling: MeasureCommand {
    let short = NumberOption(
      "--short", "N", "Items of the short list.", in: 1...1_000_000, standard: 1_000)
    let long = NumberOption(
      "--long", "N", "Items of the long list.", in: 1...1_000_000, standard: 1_000_000)
    let players = NumberOption.players("Players.")
    let window = NumberOption(
      "--window", "W", "Operations that each player has in flight.", in: 1...256, "operations", standard: 1
    ) { $0.window = $1 }
    let runs = NumberOption.runs("The number of runs of each, alternating.")
    let load = [players, window, NumberOption.seconds]
    return MeasureCommand(
      "scaling", "The cost of long lists.",
      summary:
        "Measures the cost of a list's length: operations on a short and a long list, and the effect of a new spectator "
        + "of the long one on its players.",
      options: [
        short.option, long.option, players.option, window.option, NumberOption.seconds.option, runs.option,
      ]
    ) { parsed in
      try Scaling(
        options: LoadOptions(parsed, load), runs: runs(parsed), short: short(parsed), long: long(parsed),
        report: Console.print
      ).perform()
    }
  }
}
