import BaizeCommandLine
import BaizeDriver
import BaizeTransport
import BaizeWorkload
import Foundation

/// `baize-load`: puts a running daemon under load and compares every copy with it.
enum LoadCommand {
  private static let standard = LoadOptions()
  private static let tables = NumberOption(
    "--tables", "T", "The number of tables.", in: 1...10_000, standard: standard.tables)
  private static let players = NumberOption(
    "--players", "P", "The number of players at each table.", in: 1...64, standard: standard.players)
  private static let spectators = NumberOption(
    "--spectators", "S", "The number of spectators at each table.", in: 0...1_000, standard: standard.spectators)
  private static let window = NumberOption(
    "--window", "W", "Operations that each player has in flight.", in: 1...256, "operations", standard: standard.window)
  private static let seconds = NumberOption(
    "--seconds", "N", "The duration of the measurement, after a warm-up of one second.", in: 1...86_400, "seconds",
    standard: Int(standard.seconds))
  private static let json = CommandOption("--json", "FILE", "Also writes the result to a file, as JSON.")

  private static let command = Command(
    "baize-load", summary: "Puts a daemon under load and, at the end, compares every copy of every table with it.",
    usage: ["--connect HOST:PORT [OPTIONS]", "--connect HOST:PORT --reconnect [OPTIONS]"],
    sections: [
      Command.Section(
        "Load",
        [
          CommandOption("--connect", "HOST:PORT", "The daemon's address.", standard: "\(standard.address)"),
          CommandOption("--websocket", nil, "Connects by WebSocket: the address is the daemon's HTTP address."),
          tables.option, players.option, spectators.option,
          CommandOption("--type", "TYPE", "The tables' type, with options after '?'.", standard: standard.tableType),
          window.option, seconds.option,
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
          json,
          CommandOption("--quiet", nil, "Prints no line per second."),
        ]),
    ],
    notes: [
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
    do {
      // First of all, so that no stop comes too early to be a clean one.
      let signals = arguments.contains("--reconnect") ? try SignalWatch() : nil
      let parsed = command.read(arguments)
      if let signals { try runReconnecting(parsed, until: signals) }
      if parsed.has("--rate") { throw RunFailure("'--rate' requires '--reconnect'") }
      DescriptorLimit.raise()
      let result = try LoadSession(options(parsed), report: Console.print).measure()
      try show(result.text, result.json, parsed)
      Console.end(result.faults.isNone ? .success : .failure)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }

  private static func runReconnecting(_ parsed: CommandLineArguments, until signals: SignalWatch) throws {
    if parsed.has("--spectators") { throw RunFailure("'--reconnect' has no spectators") }
    if parsed.has("--websocket") { throw RunFailure("'--reconnect' connects by TCP") }
    var options = LedgerPlayOptions()
    if let text = parsed.text("--connect") { options.address = try SocketAddress(parsing: text) }
    options.tables = try tables(parsed, standard: options.tables)
    options.players = try players(parsed, standard: options.players)
    if let type = parsed.text("--type") { options.tableTypes = [type] }
    options.window = try window(parsed, standard: options.window)
    options.rate = try parsed.number("--rate", in: 1...100_000, "operations per second") ?? options.rate
    options.seed = try parsed.number("--seed", in: 0...UInt64.max) ?? options.seed
    options.tablePrefix = "reconnect-\(MonotonicClock.now())"
    let duration = parsed.has("--seconds") ? Double(try seconds(parsed)) : nil
    try StopRequest.run(signals, thread: "load") { [options] request in
      do {
        let result = try LedgerPlay(options).perform(
          seconds: duration, until: request, report: Console.print, showsProgress: !parsed.has("--quiet"))
        try show(result.text, result.json, parsed)
        Console.end(result.faults.isEmpty ? .success : .failure)
      } catch {
        Console.refuse(command.name, "\(error)")
      }
    }
    Console.end(.failure)
  }

  private static func options(_ parsed: CommandLineArguments) throws -> LoadOptions {
    var options = LoadOptions()
    options.tables = try tables(parsed)
    options.players = try players(parsed)
    options.spectators = try spectators(parsed)
    options.window = try window(parsed)
    options.seconds = Double(try seconds(parsed))
    if let text = parsed.text("--connect") { options.address = try SocketAddress(parsing: text) }
    options.tableType = parsed.text("--type") ?? options.tableType
    options.operations = try parsed.number("--operations", in: 1...100_000_000, "operations")
    options.seed = try parsed.number("--seed", in: 0...UInt64.max) ?? options.seed
    options.showsProgress = !parsed.has("--quiet")
    options.usesWebSocket = parsed.has("--websocket")
    // Tables of another run against the same daemon have been played on.
    options.tablePrefix = "load-\(MonotonicClock.now())"
    return options
  }

  private static func show(_ text: String, _ json: [String: Any], _ parsed: CommandLineArguments) throws {
    Console.print(text)
    guard let file = parsed.text(Self.json.flag) else { return }
    let data = try JSONSerialization.data(withJSONObject: json, options: [.prettyPrinted, .sortedKeys])
    try data.write(to: URL(fileURLWithPath: file))
  }
}
