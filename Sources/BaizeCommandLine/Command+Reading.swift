extension Command {
  /// Reads a command line, or ends the program: with the help where it is asked for, with one clear line where the line
  /// cannot be followed.
  public func read(_ arguments: some Sequence<String>) -> CommandLineArguments {
    do throws(CommandLineError) {
      let read = try CommandLineArguments(arguments, for: self)
      guard read.wantsHelp else { return read }
      print(help, terminator: "")
      Console.end(.success)
    } catch {
      Console.refuse(name, "\(error) (see \(name) --help)")
    }
  }
}
