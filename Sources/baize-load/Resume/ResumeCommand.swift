import BaizeCommandLine
import BaizeTransport

/// `baize-load resume`: what it takes to bring level those who were away.
enum ResumeCommand {
  private static let command = Command(
    "baize-load resume",
    summary:
      "Cuts off a crowd, lets its table go on, and measures what it takes until everyone who comes back is level, "
      + "beside what those get who were never there.",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption("--clients", "N", "Spectators that are cut off and come back, all at once.", standard: "1000"),
          CommandOption("--tables", "T", "Tables that they are at.", standard: "1"),
          CommandOption("--items", "N", "Items on each table.", standard: "1000"),
          CommandOption("--revisions", "N", "Revisions that they miss, at each table.", standard: "100"),
          CommandOption("--runs", "N", "Runs.", standard: "5"),
          CommandOption("--json", "FILE", "Writes the result there too."),
        ])
    ],
    notes: [
      "baized is started from the folder where baize-load lies, with a journal in the system's folder for temporary files. "
        + "Bytes are those of frames, without what TCP and IP add.",
      "The marks: of items with a title those who come back are sent at least "
        + "\(Int(ResumeMeasure.ratioMin)) times fewer bytes, and all are level within "
        + "\(Int(ResumeMeasure.secondsMax)) s. The exit code is 1 if one is missed.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      var measure = ResumeMeasure(report: Console.say)
      measure.clients = try parsed.number("--clients", in: 1...20_000) ?? measure.clients
      measure.tables = try parsed.number("--tables", in: 1...1_000) ?? measure.tables
      measure.items = try parsed.number("--items", in: 1...100_000) ?? measure.items
      measure.revisions = try parsed.number("--revisions", in: 1...1_000) ?? measure.revisions
      measure.runs = try parsed.number("--runs", in: 1...100) ?? measure.runs
      return try measure.perform()
    }
  }
}
