import BaizeCommandLine
import BaizeTransport

/// `hostile-client`: storms of hostile connections, and their effect on a daemon and on honest clients.
enum HostileCommand {
  private static let standard = HostileOptions()

  private static let command = Command(
    "hostile-client",
    summary:
      "Starts a daemon, plays honestly at some of its tables, and lets storms of nonsense loose on it meanwhile.",
    sections: [
      Command.Section(
        "Storms",
        [
          CommandOption("--frames", "N", "Frames in all.", standard: "\(standard.frames)"),
          CommandOption("--connections", "N", "Connections in all, at least.", standard: "\(standard.connections)"),
          CommandOption(
            "--rounds", "N", "Storms, with as many of both; another one of the kind goes before them.",
            standard: "\(standard.rounds)"),
          CommandOption("--seed", "S", "Of what they say.", standard: "\(standard.seed)"),
        ]),
      Command.Section(
        "Daemon",
        [
          CommandOption("--bin", "DIR", "Where baized is.", standard: "beside this program"),
          CommandOption("--journal", nil, "Keeps tables on disk, strictly. Otherwise in memory only."),
        ]),
    ],
    notes: [
      "The exit code is 0 if the daemon lived, held no more memory after the last storm than halfway, and every honest operation was answered "
        + "and every honest copy is the daemon's; 1 if not; 2 if the run could not be made."
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    do {
      DescriptorLimit.raise()
      let options = try options(parsed)
      let result = try HostileRun(options).perform()
      Console.end(result ? .success : .failure)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }

  private static func options(_ parsed: CommandLineArguments) throws -> HostileOptions {
    var options = HostileOptions()
    options.frames = try parsed.number("--frames", in: 1_000...1_000_000_000) ?? options.frames
    options.connections = try parsed.number("--connections", in: 10...10_000_000) ?? options.connections
    options.rounds = try parsed.number("--rounds", in: 1...100) ?? options.rounds
    options.seed = try parsed.number("--seed", in: 0...UInt64.max) ?? options.seed
    options.programs = parsed.text("--bin")
    options.keepsJournal = parsed.has("--journal")
    return options
  }
}

struct HostileOptions {
  var frames = 1_000_000
  var connections = 10_000
  var rounds = 4
  var seed: UInt64 = 1
  /// The folder of the daemon's program; `nil` for this program's own.
  var programs: String?
  var keepsJournal = false
}
