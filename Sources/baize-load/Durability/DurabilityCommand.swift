import BaizeCommandLine

extension MeasureCommand {
  /// `baize-load durability`: the cost of a journal.
  static var durability: MeasureCommand {
    let tables = NumberOption.tables()
    let players = NumberOption.players()
    let directory = CommandOption(
      "--directory", "DIR", "The directory of the journals, which should be on a real disk.",
      standard: "the system's temporary directory")
    let runs = NumberOption.runs("The number of runs of each, alternating.")
    let load = [tables, players, NumberOption.seconds]
    return MeasureCommand(
      "durability", "The cost of a journal.",
      summary:
        "Compares daemons that commit everything before they send it (--durability strict) with daemons without a "
        + "journal (--durability memory), in turns, each with one core for all its threads.",
      options: [tables.option, players.option, directory, NumberOption.seconds.option, runs.option],
      notes: [
        "Starts baized from the folder of baize-load. Needs taskset and two cores.",
        "The limits: at window 16 a strict daemon delivers at least "
          + "\(Int(DurabilityMeasure.ratioMin * 100)) % of the other's deliveries; at window 1 at most "
          + "\(Int(DurabilityMeasure.commitsMax)) commit times are added to the median from submit to one's own answer. With the "
          + "journal on a tmpfs: at both windows at least \(Int(DurabilityMeasure.tmpfsRatioMin * 100)) % of the deliveries. The "
          + "exit code is 1 if one is missed, and 2 if a copy differed.",
      ]
    ) { parsed in
      try DurabilityMeasure(
        options: LoadOptions(parsed, load), runs: runs(parsed), directory: parsed.text(directory.flag),
        report: Console.print
      ).perform()
    }
  }
}
