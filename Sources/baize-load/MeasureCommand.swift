import BaizeCommandLine
import BaizeTransport

/// `baize-load ceiling` and `baize-load scaling`: comparisons of several alternating runs against daemons of their own.
enum MeasureCommand {
  private static let ceiling = Command(
    "baize-load ceiling",
    summary: "Measures the daemon, on one shard, beside a relay that sends the same bytes over the same transport and "
      + "has no game in it, and prints the ratio.",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption("--tables", "T", "Tables.", standard: "64"),
          CommandOption("--players", "P", "Players at each table.", standard: "4"),
          CommandOption("--window", "W", "One window only.", standard: "1, then 16"),
          CommandOption("--seconds", "N", "How long each run is measured.", standard: "3"),
          CommandOption("--runs", "N", "Runs of each, in turn.", standard: "5"),
          CommandOption("--json", "FILE", "Writes the result there too."),
        ])
    ],
    notes: ["baized is started from the folder where baize-load lies. The exit code is 1 if a copy differed."])

  private static let scaling = Command(
    "baize-load scaling",
    summary:
      "Measures what the length of a list costs: operations on a short and a long one, and what a newcomer to the "
      + "long one does to those who play.",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption("--short", "N", "Items of the short list.", standard: "1000"),
          CommandOption("--long", "N", "Items of the long list.", standard: "1000000"),
          CommandOption("--players", "P", "Players.", standard: "4"),
          CommandOption("--window", "W", "Operations that each player has unanswered.", standard: "1"),
          CommandOption("--seconds", "N", "How long each run is measured.", standard: "3"),
          CommandOption("--runs", "N", "Runs of each, in turn.", standard: "5"),
          CommandOption("--json", "FILE", "Writes the result there too."),
        ])
    ])

  static func runCeiling(_ arguments: ArraySlice<String>) -> Never {
    perform(ceiling, arguments) { parsed in
      var options = LoadOptions()
      options.tables = try parsed.number("--tables", in: 1...1_000) ?? options.tables
      try common(parsed, &options)
      let window = try parsed.number("--window", in: 1...256, "operations") as Int?
      return try Ceiling(
        options: options, runs: try parsed.number("--runs", in: 1...100) ?? 5, windows: window.map { [$0] } ?? [1, 16],
        report: Console.say
      ).perform()
    }
  }

  static func runScaling(_ arguments: ArraySlice<String>) -> Never {
    perform(scaling, arguments) { parsed in
      var options = LoadOptions()
      try common(parsed, &options)
      options.window = try parsed.number("--window", in: 1...256, "operations") ?? 1
      return try Scaling(
        options: options, runs: try parsed.number("--runs", in: 1...100) ?? 5,
        short: try parsed.number("--short", in: 1...1_000_000) ?? 1_000,
        long: try parsed.number("--long", in: 1...1_000_000) ?? 1_000_000, report: Console.say
      ).perform()
    }
  }

  static func common(_ parsed: CommandLineArguments, _ options: inout LoadOptions) throws {
    options.players = try parsed.number("--players", in: 1...64) ?? options.players
    options.seconds = Double(try parsed.number("--seconds", in: 1...600, "seconds") ?? 3)
  }

  /// Measures, and ends the program: with 1 where what was measured is not sound.
  static func perform(
    _ command: Command, _ arguments: ArraySlice<String>,
    _ measure: (CommandLineArguments) throws -> (isSound: Bool, json: [String: Any])
  ) -> Never {
    let parsed = command.read(arguments)
    do {
      DescriptorLimit.raise()
      let (isSound, json) = try measure(parsed)
      if let file = parsed.text("--json") { try LoadCommand.write(json, to: file) }
      Console.end(isSound ? .success : .failure)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }
}
