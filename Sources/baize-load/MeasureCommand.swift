import BaizeCommandLine
import BaizeTransport

/// A command that measures daemons of its own, in several runs.
struct MeasureCommand {
  /// Whether the limits are met, and the result for programs.
  typealias Result = (isSound: Bool, json: [String: Any])

  /// The word after the program's name.
  let word: String
  /// The command in half a line, for the program's help.
  let title: String
  private let command: Command
  private let measure: (CommandLineArguments) throws -> Result

  static let json = CommandOption("--json", "FILE", "Also writes the result to a file, as JSON.")

  /// - Parameter options: Without `--json`, which all of them have.
  init(
    _ word: String, _ title: String, summary: String, options: [CommandOption], notes: [String] = [],
    measure: @escaping (CommandLineArguments) throws -> Result
  ) {
    self.word = word
    self.title = title
    command = Command(
      "baize-load \(word)", summary: summary, sections: [Command.Section("Options", options + [Self.json])],
      notes: notes)
    self.measure = measure
  }

  /// In the order of the program's help.
  static var all: [MeasureCommand] {
    [
      ceiling, scaling, durability, webSocket, resume, startup, idle, stalled, core, shards, heavy, waiting, memory,
      crash,
      relaunch, restart,
    ]
  }

  /// Measures, and ends the program: with 1 where the result is not sound.
  func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    do {
      DescriptorLimit.raise()
      let (isSound, json) = try measure(parsed)
      try LoadCommand.write(json, parsed)
      Console.end(isSound ? .success : .failure)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }
}
