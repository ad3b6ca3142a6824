import BaizeCommandLine

/// `baize-load startup`: how soon a daemon with a large journal is there.
enum StartupCommand {
  private static let command = Command(
    "baize-load startup",
    summary: "Starts a daemon on a large journal, and measures how soon it accepts connections and how soon a table is "
      + "there for someone who asks for it.",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption(
            "--journal", "FILE", "The journal. It is made if it is not there, and kept for the next time.",
            standard: "one that goes with the run"),
          CommandOption("--tables", "T", "Tables in a journal that is made.", standard: "1000"),
          CommandOption("--diffs", "N", "Diffs in it, in all.", standard: "1000000"),
          CommandOption("--samples", "N", "Tables that are loaded in each run.", standard: "20"),
          CommandOption("--runs", "N", "Runs.", standard: "5"),
          CommandOption("--json", "FILE", "Writes the result there too."),
        ])
    ],
    notes: [
      "baized is started from the folder where baize-load lies. What the system keeps of the file in memory it keeps: a "
        + "machine that has just started reads more slowly.",
      "The marks: a daemon accepts within \(Int(StartupMeasure.acceptingMillisecondsMax)) ms, and the slowest table is there in "
        + "less than \(Int(StartupMeasure.loadingMillisecondsMax)) ms. The exit code is 1 if one is missed.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      var measure = StartupMeasure(report: Console.say)
      measure.file = parsed.text("--journal")
      measure.tables = try parsed.number("--tables", in: 1...100_000) ?? measure.tables
      measure.diffs = try parsed.number("--diffs", in: 0...100_000_000) ?? measure.diffs
      measure.samples = try parsed.number("--samples", in: 1...1_000) ?? measure.samples
      measure.runs = try parsed.number("--runs", in: 1...100) ?? measure.runs
      return try measure.perform()
    }
  }
}
