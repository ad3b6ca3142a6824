import BaizeCommandLine

/// `baize-load startup`: the start of a daemon with a large journal.
enum StartupCommand {
  private static let journal = CommandOption(
    "--journal", "FILE", "The journal. It is made if it is not there, and kept for the next time.",
    standard: "one that goes with the run")
  private static let tables = NumberOption.tables("Tables in a journal that is made.", in: 1...100_000, standard: 1_000)
  private static let diffs = NumberOption(
    "--diffs", "N", "Diffs in it, in all.", in: 0...100_000_000, standard: 1_000_000)
  private static let samples = NumberOption(
    "--samples", "N", "Tables that are loaded in each run.", in: 1...1_000, standard: 20)
  private static let runs = NumberOption.runs("Runs.")

  private static let command = MeasureCommand.command(
    "startup",
    summary: "Starts a daemon on a large journal, and measures how soon it accepts connections and how soon a table is "
      + "there for someone who asks for it.",
    options: [journal, tables.option, diffs.option, samples.option, runs.option],
    notes: [
      "baized is started from the folder where baize-load lies. What the system keeps of the file in memory it keeps: a "
        + "machine that has just started reads more slowly.",
      "The marks: a daemon accepts within \(Int(StartupMeasure.acceptingMillisecondsMax)) ms, and the slowest table is there in "
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
