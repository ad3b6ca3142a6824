import BaizeCommandLine

/// `baized completion SHELL`: prints a script that completes commands and flags.
enum CompletionCommand {
  static let command = Command(
    "baized completion",
    summary: "Prints a script that completes the commands and flags of baized in a shell.",
    usage: CompletionScript.Shell.allCases.map(\.rawValue), operands: "SHELL",
    operandChoices: CompletionScript.Shell.allCases.map(\.rawValue), sections: [],
    notes: [
      "For the present bash: source <(baized completion bash). The script says where it goes for every shell."
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let words = command.read(arguments).operands
    guard words.count == 1, let shell = CompletionScript.Shell(rawValue: words[0]) else {
      let known = command.operandChoices.joined(separator: ", ")
      Console.refuse(command.name, "one of \(known) is needed (see \(command.name) --help)")
    }
    print(script.text(for: shell), terminator: "")
    Console.end(.success)
  }

  private static var script: CompletionScript {
    CompletionScript(
      ListenOptions.command,
      Subcommand.allCases.compactMap { subcommand in
        subcommand.command.map { CompletionScript.Subcommand(subcommand.rawValue, $0) }
      })
  }
}
