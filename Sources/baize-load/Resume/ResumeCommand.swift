import BaizeCommandLine
import BaizeTransport

extension MeasureCommand {
  /// `baize-load resume`: the cost of catch-up.
  static var resume: MeasureCommand {
    let clients = NumberOption(
      "--clients", "N", "Spectators that lose their connections and reconnect, all at once.", in: 1...20_000,
      standard: 1_000)
    let tables = NumberOption.tables("The number of tables.", standard: 1)
    let items = NumberOption("--items", "N", "Items on each table.", in: 1...100_000, standard: 1_000)
    let revisions = NumberOption(
      "--revisions", "N", "Revisions that they miss at each table.", in: 1...1_000, standard: 100)
    let runs = NumberOption.runs("Runs.")
    return MeasureCommand(
      "resume", "The cost of catch-up after a reconnect, compared with a snapshot.",
      summary:
        "Disconnects many spectators, changes their tables, and measures the time and bytes until all have caught up, "
        + "compared with new spectators.",
      options: [clients, tables, items, revisions, runs].map(\.option),
      notes: [
        "Starts baized from the folder of baize-load, with a journal in the system's temporary directory. "
          + "Bytes are those of frames, without the overhead of TCP and IP.",
        "The limits: for items with a title, reconnecting spectators receive at least "
          + "\(Int(ResumeMeasure.ratioMin)) times fewer bytes, and all have caught up within "
          + "\(Int(ResumeMeasure.secondsMax)) s. The exit code is 1 if one is missed.",
      ]
    ) { parsed in
      try ResumeMeasure(
        clients: clients(parsed), tables: tables(parsed), items: items(parsed),
        revisions: revisions(parsed), runs: runs(parsed), report: Console.print
      ).perform()
    }
  }
}
