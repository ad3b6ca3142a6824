import BaizeCommandLine
import BaizeServer
import BaizeTable
import BaizeTableTypes
import BaizeTransport

/// `baized demo`: a daemon, a table, and bots that play.
enum DemoCommand {
  private static let standard = DemoOptions()

  private static let command = Command(
    "baized demo",
    summary:
      "Shows a shared table: a daemon on a free port of this machine, bots that play and contend for cards, and the "
      + "daemon's diffs.",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption(
            "--for", "SECONDS", "Ends after that time. Until then a new table is dealt whenever one is won or stuck.",
            standard: "until interrupted"),
          CommandOption("--bots", "N", "The number of bots at the table.", standard: "\(standard.bots)"),
          CommandOption(
            "--type", "TYPE", "The table's type, with options after '?', such as klondike?draw=3.",
            standard: standard.tableType),
          CommandOption(
            "--seed", "S",
            "The seed of the first deal and of the bots' choices; each further deal takes the next seed.",
            standard: "a random one"),
          CommandOption("--rate", "N", "Operations per second of each bot.", standard: "\(standard.rate)"),
        ])
    ],
    notes: [
      "In a terminal the table is drawn in place. To a pipe or a file it prints plain lines: the table, then every diff.",
      "Bots sometimes act at the same moment as another bot, or submit an operation that the rules forbid, so that refusals "
        + "are shown, too. Others may join: the line that begins with baize-bot has the command.",
      "At the end every copy of the table is compared with the daemon's by its hash. The exit code is 0 if all are equal, "
        + "1 if not, 2 for a usage error.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let options = options(command.read(arguments))
    let log = Log(.warning)
    StopRequest.run(log) { request in
      do {
        return try await show(options, log, until: request)
      } catch {
        Console.printError("\(command.name): \(error)")
        return .failure
      }
    }
  }

  private static func show(_ options: DemoOptions, _ log: Log, until request: StopRequest) async throws -> ExitCode {
    var configuration = ServerConfiguration()
    configuration.address = .loopback(port: 0)
    configuration.allowsSeeds = true
    configuration.log = log
    let server = try await Server.start(configuration)
    // The bots run on a thread of their own, like clients.
    let result: Result<ExitCode, any Error> = await withCheckedContinuation { continuation in
      do {
        _ = try LoopThread(name: "demo") {
          continuation.resume(returning: Result { try DemoRun(options, server).run(until: request) })
        }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    await server.stop()
    return try result.get()
  }

  /// Reads the options, or ends the program with one line if a flag is not valid.
  private static func options(_ parsed: CommandLineArguments) -> DemoOptions {
    do {
      var options = DemoOptions()
      options.tableType = parsed.text("--type") ?? options.tableType
      let seatsMax = try TableTypeLibrary.bundled.tableType(options.tableType).seatsMax
      let botsMax = min(seatsMax, DemoOptions.names.count)
      options.bots = try parsed.number("--bots", in: 1...botsMax) ?? min(options.bots, botsMax)
      options.rate = try parsed.number("--rate", in: 1...1_000, "operations per second") ?? options.rate
      options.seed = try parsed.number("--seed", in: 1...UInt64.max) ?? options.seed
      options.seconds = try parsed.number("--for", in: 1...31_536_000, "seconds")
      return options
    } catch {
      Console.refuse(command.name, "\(error) (see \(command.name) --help)")
    }
  }
}
