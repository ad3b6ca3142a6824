import BaizeCommandLine

/// `baize-load durability`: the cost of a journal.
enum DurabilityCommand {
  private static let tables = NumberOption.tables()
  private static let players = NumberOption.players()
  private static let directory = CommandOption(
    "--directory", "DIR", "The directory of the journals, which should be on a real disk.",
    standard: "the system's temporary directory")
  private static let runs = NumberOption.runs("The number of runs of each, alternating.")

  private static let command = MeasureCommand.command(
    "durability",
    summary: "Compares daemons that commit everything before they send it (--durability strict) with daemons without a "
      + "journal (--durability memory), in turns, each with one core for all its threads.",
    options: [tables.option, players.option, directory, NumberOption.seconds.option, runs.option],
    notes: [
      "Starts baized from the folder of baize-load. Needs taskset and two cores.",
      "The limits: at window 16 a strict daemon delivers at least "
        + "\(Int(DurabilityMeasure.ratioMin * 100)) % of the other's deliveries; at window 1 at most "
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
