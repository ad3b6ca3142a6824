import BaizeCommandLine

/// `baize-load durability`: what a journal costs.
enum DurabilityCommand {
  private static let command = Command(
    "baize-load durability",
    summary: "Measures daemons that keep everything before it is seen (--durability strict) beside daemons that keep "
      + "nothing (--durability memory), in turns, each with one core for all its threads.",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption("--tables", "T", "Tables.", standard: "64"),
          CommandOption("--players", "P", "Players at each table.", standard: "4"),
          CommandOption(
            "--directory", "DIR", "Where the journals go: on a real disk, or the figures say little.",
            standard: "the system's for temporary files"),
          CommandOption("--seconds", "N", "How long each run is measured.", standard: "3"),
          CommandOption("--runs", "N", "Runs of each, in turn.", standard: "5"),
          CommandOption("--json", "FILE", "Writes the result there too."),
        ])
    ],
    notes: [
      "baized is started from the folder where baize-load lies. Needs taskset, and two cores.",
      "The marks: at window 16 a strict daemon delivers at least "
        + "\(Int(DurabilityMeasure.ratioMin * 100)) % of what the other does; at window 1 at most "
        + "\(Int(DurabilityMeasure.commitsMax)) commit times are added to the median from submit to one's own answer. The "
        + "exit code is 1 if one is missed, and 2 if a copy differed.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      var options = LoadOptions()
      options.tables = try parsed.number("--tables", in: 1...1_000) ?? options.tables
      try MeasureCommand.common(parsed, &options)
      return try DurabilityMeasure(
        options: options, runs: try parsed.number("--runs", in: 1...100) ?? 5, directory: parsed.text("--directory"),
        report: Console.say
      ).perform()
    }
  }
}
