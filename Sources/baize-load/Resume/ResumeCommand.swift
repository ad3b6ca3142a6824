import BaizeCommandLine
import BaizeTransport

/// `baize-load resume`: the cost of catch-up.
enum ResumeCommand {
  private static let clients = NumberOption(
    "--clients", "N", "Spectators that lose their connections and reconnect, all at once.", in: 1...20_000,
    standard: 1_000)
  private static let tables = NumberOption.tables("The number of tables.", standard: 1)
  private static let items = NumberOption(
    "--items", "N", "The number of items on each table.", in: 1...100_000, standard: 1_000)
  private static let revisions = NumberOption(
    "--revisions", "N", "Revisions that they miss at each table.", in: 1...1_000, standard: 100)
  private static let runs = NumberOption.runs("The number of runs.")

  private static let command = MeasureCommand.command(
    "resume",
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
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      try ResumeMeasure(
        clients: clients.read(parsed), tables: tables.read(parsed), items: items.read(parsed),
        revisions: revisions.read(parsed), runs: runs.read(parsed), report: Console.print
      ).perform()
    }
  }
}
