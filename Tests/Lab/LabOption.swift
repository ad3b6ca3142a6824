import BaizeCommandLine
import BaizeDriver

/// An option of a measure.
protocol LabOption: Sendable {
  var option: CommandOption { get }
}

extension NumberOption: LabOption {
  /// Returns the option with another default.
  func standard(_ number: Int) -> NumberOption {
    NumberOption(option.flag, option.placeholder ?? "N", option.help, in: range, standard: number)
  }
}

extension CommandOption: LabOption {
  var option: CommandOption { self }
}

/// The options that several measures have.
extension LabOption where Self == NumberOption {
  static var tables: NumberOption {
    NumberOption("--tables", "T", "The number of tables.", in: 1...100_000, standard: LoadOptions().tables)
  }

  static var players: NumberOption {
    NumberOption("--players", "P", "The number of players at each table.", in: 1...64, standard: LoadOptions().players)
  }

  static var window: NumberOption {
    NumberOption(
      "--window", "W", "Operations that each player has in flight.", in: 1...LoadOptions.windowMax, "operations",
      standard: LoadOptions().window)
  }

  static var rate: NumberOption {
    NumberOption(
      "--rate", "N", "Operations per second of all players together.", in: 1...1_000_000, "operations per second",
      standard: 4_000)
  }

  static var seconds: NumberOption {
    NumberOption("--seconds", "N", "The duration of each run.", in: 1...600, "seconds", standard: 3)
  }

  static var runs: NumberOption {
    NumberOption("--runs", "N", "The number of runs of each, alternating.", in: 1...100, standard: 5)
  }

  static var items: NumberOption {
    NumberOption("--items", "N", "The number of items on a table.", in: 2...1_000_000, standard: 1_000)
  }

  static var connections: NumberOption {
    NumberOption("--connections", "N", "The number of connections.", in: 1...28_000, standard: 1_000)
  }
}

extension LabOption where Self == CommandOption {
  static var seed: CommandOption {
    CommandOption("--seed", "S", "The seed of all choices, which is printed.", standard: "a random one")
  }

  static var directory: CommandOption {
    CommandOption("--directory", "DIR", "The directory of the journals.", standard: "the system's temporary directory")
  }

  /// The durability of a measure that has a default of its own.
  static var durability: CommandOption {
    CommandOption(
      "--durability", "MODE", "The daemon's durability: memory, relaxed or strict.", standard: "the measure's own")
  }

  static var webSocket: CommandOption { CommandOption("--websocket", nil, "Connects by WebSocket.") }
}
