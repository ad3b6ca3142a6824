import BaizeCommandLine
import BaizeHarness
import BaizeTransport
import Foundation

/// `baize-load`: puts a running daemon under load and compares every copy with it.
enum LoadCommand {
  private static let standard = LoadOptions()

  private static let command = Command(
    "baize-load", summary: "Puts a daemon under load and, at the end, compares every copy of every table with it.",
    usage: ["--connect HOST:PORT [OPTIONS]", "--connect HOST:PORT --reconnect [OPTIONS]"]
      + MeasureCommand.all.map { "\($0.word) [OPTIONS]" },
    sections: [
      Command.Section(
        "Load",
        [
          CommandOption("--connect", "HOST:PORT", "The daemon's address.", standard: "\(standard.address)"),
          CommandOption("--tables", "T", "The number of tables.", standard: "\(standard.tables)"),
          CommandOption("--players", "P", "The number of players at each table.", standard: "\(standard.players)"),
          CommandOption(
            "--spectators", "S", "The number of spectators at each table.", standard: "\(standard.spectators)"),
          CommandOption("--type", "TYPE", "The tables' type, with options after '?'.", standard: standard.tableType),
          CommandOption(
            "--window", "W", "Operations that each player has in flight.", standard: "\(standard.window)"),
          CommandOption(
            "--seconds", "N", "The duration of the measurement, after a warm-up of one second.", standard: "5"),
          CommandOption(
            "--operations", "N",
            "Measures exactly N operations instead, and reads a line from standard input before and after them."),
          CommandOption("--seed", "S", "The seed of the players' choices.", standard: "\(standard.seed)"),
        ]),
      Command.Section(
        "Restarts of the daemon",
        [
          CommandOption(
            "--reconnect", nil,
            "The players survive restarts of the daemon: they reconnect and send pending operations again, and at the end all "
              + "verdicts are compared with the tables."),
          CommandOption(
            "--rate", "N", "Operations per second of each of those players.", standard: "\(LedgerPlayOptions().rate)"),
        ]),
      Command.Section(
        "Result",
        [
          MeasureCommand.json,
          CommandOption("--quiet", nil, "Prints no line per second."),
        ]),
    ],
    notes: [
      "Commands:\n"
        + MeasureCommand.all.map { "  \($0.word.padding(toLength: 12, withPad: " ", startingAt: 0))\($0.title)\n" }
        .joined()
        + "Each has its own --help.",
      "With --reconnect there are \(LedgerPlayOptions().tables) tables of \(LedgerPlayOptions().players) players, window "
        + "\(LedgerPlayOptions().window), unless given; their types are, in turn, "
        + "\(LedgerPlayOptions().tableTypes.joined(separator: ", ")). They play until SIGTERM or SIGINT, or for "
        + "--seconds, and sometimes drop their connections. The daemon may be killed and restarted at the same address "
        + "at any time; it must use --durability strict and be down for no longer than "
        + "\(Int(LedgerPlayOptions().timeoutSeconds)) s.",
      "A delivery is one diff read by one client, its author included. One connection per table keeps a live copy, from "
        + "which its players choose operations; the others check that no revision is missing, and are compared after the "
        + "run.",
      "The exit code is 0 if nothing was lost, no revision was missing and every copy has the daemon's hash; 1 if not; "
        + "2 if the run failed.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    if parsed.has("--reconnect") { runReconnecting(parsed) }
    if parsed.has("--rate") { Console.refuse(command.name, "'--rate' requires '--reconnect'") }
    do {
      let options = try options(parsed)
      DescriptorLimit.raise()
      let result = try LoadSession(options: options, report: Console.print).perform()
      Console.print(result.text)
      if let file = parsed.text("--json") { try write(result.json, to: file) }
      Console.end(result.faults.isNone ? .success : .failure)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }

  private static func runReconnecting(_ parsed: CommandLineArguments) -> Never {
    let session: ReconnectSession
    do {
      session = try reconnectSession(parsed)
    } catch {
      Console.refuse(command.name, "\(error) (see \(command.name) --help)")
    }
    let file = parsed.text("--json")
    StopSignal.run(command.name) { stop in
      let result = try session.perform(stop)
      Console.print(result.text)
      if let file { try write(result.json, to: file) }
      return result.faults.isEmpty ? .success : .failure
    }
  }

  /// - Throws: The mistake in the command line.
  private static func reconnectSession(_ parsed: CommandLineArguments) throws -> ReconnectSession {
    if parsed.has("--spectators") { throw RunFailure("'--reconnect' has no spectators") }
    var options = LedgerPlayOptions()
    if let text = parsed.text("--connect") { options.address = try SocketAddress(parsing: text) }
    options.tables = try parsed.number("--tables", in: 1...1_000) ?? options.tables
    options.players = try parsed.number("--players", in: 1...32) ?? options.players
    if let type = parsed.text("--type") { options.tableTypes = [type] }
    options.window = try parsed.number("--window", in: 1...256) ?? options.window
    options.rate = try parsed.number("--rate", in: 1...100_000, "operations per second") ?? options.rate
    options.seed = try parsed.number("--seed", in: 0...UInt64.max) ?? options.seed
    options.tablePrefix = "reconnect-\(MonotonicClock.now())"
    let seconds = (try parsed.number("--seconds", in: 1...86_400, "seconds") as Int?).map(Double.init)
    return ReconnectSession(
      options: options, seconds: seconds, report: Console.print, showsProgress: !parsed.has("--quiet"))
  }

  /// - Throws: The mistake in the command line.
  private static func options(_ parsed: CommandLineArguments) throws -> LoadOptions {
    var options = LoadOptions()
    if let text = parsed.text("--connect") { options.address = try SocketAddress(parsing: text) }
    options.tables = try parsed.number("--tables", in: 1...10_000) ?? options.tables
    options.players = try parsed.number("--players", in: 1...64) ?? options.players
    options.spectators = try parsed.number("--spectators", in: 0...1_000) ?? options.spectators
    options.tableType = parsed.text("--type") ?? options.tableType
    options.window = try parsed.number("--window", in: 1...256) ?? options.window
    options.seconds = Double(try parsed.number("--seconds", in: 1...3_600, "seconds") ?? 5)
    options.operations = try parsed.number("--operations", in: 1...100_000_000, "operations")
    options.seed = try parsed.number("--seed", in: 0...UInt64.max) ?? options.seed
    options.showsProgress = !parsed.has("--quiet")
    // Tables of another run against the same daemon have been played on.
    options.tablePrefix = "load-\(MonotonicClock.now())"
    return options
  }

  static func write(_ json: [String: Any], to file: String) throws {
    let data = try JSONSerialization.data(withJSONObject: json, options: [.prettyPrinted, .sortedKeys])
    try data.write(to: URL(fileURLWithPath: file))
  }
}
