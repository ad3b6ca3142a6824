import BaizeCommandLine

/// `baized config`: prints the settings in force.
enum ConfigCommand {
  static let command = Command(
    "baized config",
    summary:
      "Prints the settings of the daemon that would start with the same options, environment and configuration file: "
      + "each with its value and where it comes from.",
    sections: ListenOptions.command.sections,
    notes: [
      "Nothing is started or created, and no token is printed: files are named instead. The exit code is 0 if the settings are "
        + "valid, otherwise 2; all mistakes of a configuration file are printed."
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    do {
      let settings = try Settings(parsed)
      _ = try ListenOptions.configuration(settings.arguments)
      for line in lines(settings) { Console.print(line) }
      Console.end(.success)
    } catch let error as ConfigurationFileError {
      for mistake in error.mistakes { Console.printError(mistake) }
    } catch {
      Console.printError("\(command.name): \(error)")
    }
    Console.end(.misuse)
  }

  private static func lines(_ settings: Settings) -> [String] {
    let rows = command.options.map { option -> (String, String, String) in
      guard let origin = settings.arguments.origin(option.flag) else {
        return (option.flag, option.placeholder == nil ? "false" : option.standard ?? "none", "default")
      }
      return (option.flag, settings.arguments.text(option.flag) ?? "", origin.label)
    }
    let widths = (rows.map(\.0.count).max() ?? 0, min(40, rows.map(\.1.count).max() ?? 0))
    return rows.map { flag, value, origin in
      "\(flag.padded(widths.0))  \(value.padded(widths.1))  \(origin)"
    }
  }
}

extension SettingOrigin {
  fileprivate var label: String {
    switch self {
    case .file(let position, _): position
    case .environment(let name): name
    case .commandLine: "command line"
    }
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
