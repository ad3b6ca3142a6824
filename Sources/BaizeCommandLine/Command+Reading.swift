import BaizeTable

extension Command {
  /// Parses a command line. Prints the help or the version and ends the program if asked to; ends it with one line if the command line is
  /// not valid.
  public func read(_ arguments: some Sequence<String>) -> CommandLineArguments {
    do throws(CommandLineError) {
      let read = try CommandLineArguments(arguments, for: self)
      guard read.wantsHelp || read.wantsVersion else { return read }
      print(read.wantsHelp ? help : "\(program) \(BaizeVersion.text)\n", terminator: "")
      Console.end(.success)
    } catch {
      Console.refuse(name, "\(error) (see \(name) --help)")
    }
  }
}
