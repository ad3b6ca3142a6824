import BaizeCommandLine
import BaizeTransport

/// The common parts of the commands that measure daemons of their own, in several runs.
enum MeasureCommand {
  /// - Parameter options: Without `--json`, which all of them have.
  static func command(
    _ name: String, summary: String, options: [CommandOption], notes: [String] = []
  ) -> Command {
    Command(
      "baize-load \(name)", summary: summary, sections: [Command.Section("Options", options + [json])], notes: notes)
  }

  static let json = CommandOption("--json", "FILE", "Also writes the result to a file, as JSON.")

  /// Measures, and ends the program: with 1 where the result is not sound.
  static func perform(
    _ command: Command, _ arguments: ArraySlice<String>,
    _ measure: (CommandLineArguments) throws -> (isSound: Bool, json: [String: Any])
  ) -> Never {
    let parsed = command.read(arguments)
    do {
      DescriptorLimit.raise()
      let (isSound, json) = try measure(parsed)
      if let file = parsed.text(Self.json.flag) { try LoadCommand.write(json, to: file) }
      Console.end(isSound ? .success : .failure)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }
}
