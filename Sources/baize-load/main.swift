import BaizeCommandLine

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first.flatMap(Subcommand.init) {
case .run: RunCommand.run(arguments.dropFirst())
case .search: SearchCommand.run(arguments.dropFirst())
case .compare: CompareCommand.run(arguments.dropFirst())
case .reconnect: ReconnectCommand.run(arguments.dropFirst())
case nil: Subcommand.main.run(arguments)
}

enum Subcommand: String, CaseIterable {
  case run
  case search
  case compare
  case reconnect

  /// The program without a subcommand, which only has the help.
  static let main = Command(
    "baize-load", summary: "Puts a daemon under load, and says whether it holds.",
    usage: allCases.flatMap { word in word.command.usage.map { "\(word.rawValue) \($0)" } }, operands: "COMMAND",
    operandChoices: allCases.map(\.rawValue), sections: [],
    notes: [
      allCases.map { "  \($0.rawValue.padded(to: 10))  \($0.command.summary)" }.joined(separator: "\n"),
      "'baize-load COMMAND --help' has the options of a command.",
    ])

  private var command: Command {
    switch self {
    case .run: RunCommand.command
    case .search: SearchCommand.command
    case .compare: CompareCommand.command
    case .reconnect: ReconnectCommand.command
    }
  }
}

extension Command {
  /// Ends the program: a command is missing, or is not known.
  fileprivate func run(_ arguments: [String]) -> Never {
    let word = read(arguments).operands.first
    let commands = operandChoices.joined(separator: ", ")
    Console.refuse(
      name,
      (word.map { "unknown command '\($0)'" } ?? "a command is missing")
        + "; there are \(commands) (see \(name) --help)")
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
