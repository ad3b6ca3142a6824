import BaizeCommandLine

/// Reads a command line, or ends the program with help or with one clear line.
func parse(_ arguments: ArraySlice<String>, for command: Command) -> CommandLineArguments {
  do throws(CommandLineError) {
    let parsed = try CommandLineArguments(arguments, for: command)
    guard parsed.wantsHelp else { return parsed }
    print(command.help, terminator: "")
    Console.end(.success)
  } catch {
    Console.refuse(command.name, "\(error) (see \(command.name) --help)")
  }
}
