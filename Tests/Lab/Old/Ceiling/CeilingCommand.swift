import BaizeCommandLine
import BaizeDriver

extension MeasureCommand {
  /// `baize-lab ceiling`: the daemon compared with a relay without tables.
  static var ceiling: MeasureCommand {
    let tables = NumberOption.tables()
    let players = NumberOption.players()
    let window = CommandOption("--window", "W", "Measures only this window.", standard: "1, then 16")
    let runs = NumberOption.runs("The number of runs of each, alternating.")
    let load = [tables, players, NumberOption.seconds]
    return MeasureCommand(
      "ceiling", "The daemon compared with a relay without tables.",
      summary:
        "Compares the daemon, on one shard, with a relay that sends the same bytes over the same transport without "
        + "judging anything, and prints the ratio.",
      options: [tables.option, players.option, window, NumberOption.seconds.option, runs.option],
      notes: [
        "Starts baized from the folder of baize-lab. The exit code is 1 if the ratio is "
          + Ceiling.ratioMins.sorted { $0.key < $1.key }.map { "below \($0.value) at window \($0.key)" }.joined(
            separator: " or ") + "."
      ]
    ) { parsed in
      let window = try parsed.number(window.flag, in: 1...256, "operations") as Int?
      return try Ceiling(
        options: LoadOptions(parsed, load), runs: runs(parsed), windows: window.map { [$0] } ?? [1, 16],
        report: Console.print
      ).perform()
    }
  }
}
