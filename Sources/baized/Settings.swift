import BaizeCommandLine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The daemon's settings from everywhere: the command line, the environment and the configuration file.
struct Settings {
  /// The settings in force.
  private(set) var arguments: CommandLineArguments

  /// Collects the settings; reads the configuration file, if there is one.
  init(_ commandLine: CommandLineArguments) throws {
    arguments = commandLine
    try arguments.add(
      environment: ProcessInfo.processInfo.environment, for: ListenOptions.command, besides: [AdminOptions.variable])
    guard let file = arguments.text("--config") else { return }
    for setting in try ConfigurationFile.settings(in: file, for: ListenOptions.command) { arguments.add(setting) }
  }

  /// Returns what `body` reads from settings, or ends the program with one line.
  static func orRefuse<Value>(_ body: () throws -> Value) -> Value {
    do {
      return try body()
    } catch let error as CommandLineError {
      Console.refuse("baized", "\(error) (see baized --help)")
    } catch {
      Console.refuse("baized", "\(error)")
    }
  }
}
