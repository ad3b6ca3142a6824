import BaizeCommandLine
import BaizeDriver
import BaizeTransport
import BaizeWorkload

/// `baize-load reconnect`: plays through restarts of a daemon, and compares all verdicts with the tables.
enum ReconnectCommand {
  private static let standard = LedgerPlayOptions()
  private static let tables = NumberOption(
    "--tables", "T", "The number of tables.", in: 1...10_000, standard: standard.tables)
  private static let players = NumberOption(
    "--players", "P", "The number of players at each table.", in: 1...64, standard: standard.players)
  private static let window = NumberOption(
    "--window", "W", "The maximum number of operations of each player in flight.", in: 1...256, "operations",
    standard: standard.window)
  private static let rate = NumberOption(
    "--rate", "N", "Operations per second of each player.", in: 1...100_000, "operations per second",
    standard: Int(standard.rate))

  static let command = Command(
    "baize-load reconnect",
    summary:
      "Plays on while the daemon is restarted and connections are lost, and compares all verdicts with the tables.",
    sections: [
      Command.Section(
        "Tables",
        [
          LoadFlags.connect, tables.option, players.option,
          CommandOption(
            "--type", "TYPE", "The tables' type, with options after '?'.",
            standard: "in turn \(standard.tableTypes.joined(separator: ", "))"),
          LoadFlags.seed,
        ]),
      Command.Section(
        "Load",
        [
          rate.option, window.option,
          CommandOption("--seconds", "N", "The duration.", standard: "until SIGTERM or SIGINT"),
        ]),
      Command.Section("Result", [LoadFlags.json, LoadFlags.quiet]),
    ],
    notes: [
      "The players are whole clients: they reconnect and send pending operations again, and sometimes drop their connections. "
        + "The daemon may be killed and restarted at the same address at any time; it must use --durability strict and be down for "
        + "no longer than \(Int(standard.timeoutSeconds)) s.",
      "The exit code is 0 if no operation was lost or had two effects and every copy has the daemon's hash; 1 if not; 2 if the "
        + "run failed.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    do {
      // First of all, so that no stop comes too early to be a clean one.
      let signals = try SignalWatch()
      let parsed = command.read(arguments)
      let options = try options(parsed)
      let duration = try parsed.number("--seconds", in: 1...86_400, "seconds").map { (count: Int) in Double(count) }
      try StopRequest.run(signals, thread: "load") { request in
        do {
          let result = try LedgerPlay(options).perform(
            seconds: duration, until: request, report: Console.print, showsProgress: !parsed.has(LoadFlags.quiet.flag))
          Console.print(result.text)
          try LoadFlags.write(result.json, parsed)
          Console.end(result.faults.isEmpty ? .success : .failure)
        } catch {
          Console.refuse(command.name, "\(error)")
        }
      }
      Console.end(.failure)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }

  private static func options(_ parsed: CommandLineArguments) throws -> LedgerPlayOptions {
    var options = LedgerPlayOptions()
    if let text = parsed.text(LoadFlags.connect.flag) { options.address = try SocketAddress(parsing: text) }
    options.tables = try tables(parsed)
    options.players = try players(parsed)
    if let type = parsed.text("--type") { options.tableTypes = [type] }
    options.window = try window(parsed)
    options.rate = UInt64(try rate(parsed))
    options.seed = try parsed.number(LoadFlags.seed.flag, in: 0...UInt64.max) ?? options.seed
    options.tablePrefix = "reconnect-\(MonotonicClock.now())"
    return options
  }
}
