import BaizeCommandLine

/// `baize-load durability`: the cost of a journal.
enum DurabilityCommand {
  private static let tables = NumberOption.tables()
  private static let players = NumberOption.players()
  private static let directory = CommandOption(
    "--directory", "DIR", "Where the journals go: on a real disk, or the figures say little.",
    standard: "the system's for temporary files")
  private static let runs = NumberOption.runs("Runs of each, in turn.")

  private static let command = MeasureCommand.command(
    "durability",
    summary: "Measures daemons that keep everything before it is seen (--durability strict) beside daemons that keep "
      + "nothing (--durability memory), in turns, each with one core for all its threads.",
    options: [tables.option, players.option, directory, NumberOption.seconds.option, runs.option],
    notes: [
      "baized is started from the folder where baize-load lies. Needs taskset, and two cores.",
      "The marks: at window 16 a strict daemon delivers at least "
        + "\(Int(DurabilityMeasure.ratioMin * 100)) % of what the other does; at window 1 at most "
        + "\(Int(DurabilityMeasure.commitsMax)) commit times are added to the median from submit to one's own answer. With the "
        + "journal on a tmpfs: at both windows at least \(Int(DurabilityMeasure.tmpfsRatioMin * 100)) % of the deliveries. The "
        + "exit code is 1 if one is missed, and 2 if a copy differed.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      var options = LoadOptions()
      options.tables = try tables.read(parsed)
      options.players = try players.read(parsed)
      options.seconds = Double(try NumberOption.seconds.read(parsed))
      return try DurabilityMeasure(
        options: options, runs: try runs.read(parsed), directory: parsed.text(directory.flag),
        report: Console.print
      ).perform()
    }
  }
}
