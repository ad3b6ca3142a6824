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
      "Shows a shared table: a daemon on a free port of this machine, bots that play and contend, and what comes of "
      + "it, as the daemon's diffs tell it.",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption(
            "--for", "SECONDS", "Ends after that time. Until then a new table is dealt whenever one is won or stuck.",
            standard: "until interrupted"),
          CommandOption("--bots", "N", "Bots at the table.", standard: "\(standard.bots)"),
          CommandOption(
            "--type", "TYPE", "The table's type, options behind '?', such as klondike?draw=3.",
            standard: standard.tableType),
          CommandOption(
            "--seed", "S", "Of the first deal and of what the bots choose; each further deal takes the next.",
            standard: "any"),
          CommandOption("--rate", "N", "Operations per second of each bot.", standard: "\(standard.rate)"),
        ])
    ],
    notes: [
      "In a terminal the table is drawn in place. Into a pipe or a file go plain lines: the table, then every diff.",
      "One bot may act at the very moment another does, and now and then one breaks a rule on purpose, so that refusals are "
        + "seen, too. Others may join meanwhile: the line with baize-bot says how.",
      "At the end every copy of the table is compared with the daemon's, hash for hash. The exit code is 0 if all are equal, "
        + "1 if not, 2 if it was called wrongly.",
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
    // The bots live on a thread of their own, as a daemon's clients do.
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

  /// Ends the program with one clear line where the flags make no demo.
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
