import BaizeCommandLine

/// `baize-load startup`: the start of a daemon with a large journal.
enum StartupCommand {
  private static let journal = CommandOption(
    "--journal", "FILE", "The journal. If it does not exist it is created, and kept for the next run.",
    standard: "a temporary one")
  private static let tables = NumberOption.tables("Tables in a created journal.", in: 1...100_000, standard: 1_000)
  private static let diffs = NumberOption(
    "--diffs", "N", "Diffs in a created journal, in total.", in: 0...100_000_000, standard: 1_000_000)
  private static let samples = NumberOption(
    "--samples", "N", "The number of tables to load in each run.", in: 1...1_000, standard: 20)
  private static let runs = NumberOption.runs("The number of runs.")

  private static let command = MeasureCommand.command(
    "startup",
    summary:
      "Starts a daemon on a large journal, and measures the time until it accepts connections and the time to load "
      + "a table.",
    options: [journal, tables.option, diffs.option, samples.option, runs.option],
    notes: [
      "Starts baized from the folder of baize-load. The file is mostly in the system's page cache: after a boot, reading is "
        + "slower.",
      "The limits: a daemon accepts within \(Int(StartupMeasure.acceptingMillisecondsMax)) ms, and the slowest table is loaded in "
        + "less than \(Int(StartupMeasure.loadingMillisecondsMax)) ms. The exit code is 1 if one is missed.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      try StartupMeasure(
        file: parsed.text(journal.flag), tables: tables.read(parsed), diffs: diffs.read(parsed),
        runs: runs.read(parsed),
        samples: samples.read(parsed), report: Console.print
      ).perform()
    }
  }
}
