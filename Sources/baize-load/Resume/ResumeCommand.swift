import BaizeCommandLine
import BaizeTransport

/// `baize-load resume`: the cost of catch-up.
enum ResumeCommand {
  private static let clients = NumberOption(
    "--clients", "N", "Spectators that are cut off and come back, all at once.", in: 1...20_000, standard: 1_000)
  private static let tables = NumberOption.tables("Tables that they are at.", standard: 1)
  private static let items = NumberOption("--items", "N", "Items on each table.", in: 1...100_000, standard: 1_000)
  private static let revisions = NumberOption(
    "--revisions", "N", "Revisions that they miss, at each table.", in: 1...1_000, standard: 100)
  private static let runs = NumberOption.runs("Runs.")

  private static let command = MeasureCommand.command(
    "resume",
    summary:
      "Cuts off a crowd, lets its table go on, and measures what it takes until everyone who comes back is level, "
      + "beside what those get who were never there.",
    options: [clients, tables, items, revisions, runs].map(\.option),
    notes: [
      "baized is started from the folder where baize-load lies, with a journal in the system's folder for temporary files. "
        + "Bytes are those of frames, without what TCP and IP add.",
      "The marks: of items with a title those who come back are sent at least "
        + "\(Int(ResumeMeasure.ratioMin)) times fewer bytes, and all are level within "
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
