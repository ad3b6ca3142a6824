import BaizeCommandLine
import BaizeServer
import BaizeTable
import BaizeTableTypes
import BaizeTransport

/// `baized demo`: a daemon, a table, and bots that play.
enum DemoCommand {
  private static let standard = DemoOptions()

  static let command = Command(
    "baized demo",
    summary:
      "Shows one shared table in two copies side by side: a daemon on a free port of this machine, and bots that move items at "
      + "the same time. Press a key to play instead of the first one.",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption(
            "--for", "SECONDS", "Ends after that time. Until then a new table is dealt whenever one is won or stuck.",
            standard: "until interrupted"),
          CommandOption("--bots", "N", "The number of bots at the table.", standard: "\(standard.bots)"),
          CommandOption(
            "--type", "TYPE",
            "The table's type: '\(DemoBoard.name)', a board of tasks, or a bundled one, with options after '?', such as "
              + "klondike?draw=3.", standard: standard.tableType),
          CommandOption(
            "--seed", "S",
            "The seed of the first deal and of the bots' choices; each further deal takes the next seed.",
            standard: "a random one"),
          CommandOption("--rate", "N", "Operations per second of each bot.", standard: "\(standard.rate)"),
          CommandOption(
            "--delay", "MS",
            "The delay of the first participant's messages, in each direction, in milliseconds.",
            standard: "\(DemoOptions.watchedDelayMilliseconds) in a terminal, otherwise 0"),
        ])
    ],
    notes: [
      "In a terminal the copies are drawn in place, and a person can play: arrows move the cursor, space lifts and drops, esc "
        + "cancels, tab goes to the next collection that would accept the items, u undoes, digits perform the table "
        + "type's actions, b lets the bot go on, q quits. To a pipe or a file it prints plain lines: the table, then every "
        + "diff.",
      "The second bot crosses every other move of the first participant, which is further from the daemon: it moves the same item, "
        + "and the daemon refuses the slower move, or the item before which the other lands, and the daemon rebases it. "
        + "Bots also submit operations that the rules forbid. Others may join with the command after 'join in'.",
      "At the end every copy of the table is compared with the daemon's by its hash. The exit code is 0 if all are equal, "
        + "1 if not, 2 for a usage error.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let signals = StopRequest.watch([.interrupt, .terminate, .hangUp, .quit, .suspend])
    let options = options(command.read(arguments))
    let log = Log(.warning)
    StopRequest.run(signals, log, others: [.suspend: { TerminalScreen.suspend() }]) { request in
      do {
        return try await show(options, log, until: request)
      } catch {
        DemoTerminal.close()
        Console.printError("\(command.name): \(error)")
        return .failure
      }
    }
  }

  private static func show(_ options: DemoOptions, _ log: Log, until request: StopRequest) async throws -> ExitCode {
    var configuration = ServerConfiguration()
    configuration.address = .loopback(port: 0)
    configuration.http = HTTPConfiguration(address: .loopback(port: 0), isOptional: true)
    configuration.allowsSeeds = true
    configuration.tableTypes = try library()
    configuration.log = log
    let server = try await Server.start(configuration)
    var addresses = DemoAddresses(daemon: server.address, far: server.address)
    if options.delayMilliseconds > 0 {
      let delay = options.delayMilliseconds * 1_000_000
      addresses.far = try await DelayedLink.start(to: server.address, delayNanoseconds: delay)
    }
    // The bots run on a thread of their own, like clients.
    let result: Result<ExitCode, any Error> = await withCheckedContinuation { continuation in
      do {
        _ = try LoopThread(name: "demo") { [addresses] in
          continuation.resume(returning: Result { try DemoRun(options, server, at: addresses).run(until: request) })
        }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    await server.stop()
    return try result.get()
  }

  private static func library() throws -> TableTypeLibrary { .bundled.adding(try DemoBoard.document()) }

  /// Reads the options, or ends the program with one line if a flag is not valid.
  private static func options(_ parsed: CommandLineArguments) -> DemoOptions {
    do {
      var options = DemoOptions()
      options.tableType = parsed.text("--type") ?? options.tableType
      let seatsMax = try library().tableType(options.tableType).seatsMax
      let botsMax = min(seatsMax, DemoOptions.names.count)
      options.bots = try parsed.number("--bots", in: 1...botsMax) ?? min(options.bots, botsMax)
      options.rate = try parsed.number("--rate", in: 1...1_000, "operations per second") ?? options.rate
      options.seed = try parsed.number("--seed", in: 1...UInt64.max) ?? options.seed
      let delay = DemoTerminal().isInteractive ? DemoOptions.watchedDelayMilliseconds : 0
      options.delayMilliseconds = try parsed.number("--delay", in: 0...5_000, "milliseconds") ?? delay
      options.seconds = try parsed.number("--for", in: 1...31_536_000, "seconds")
      return options
    } catch {
      Console.refuse(command.name, "\(error) (see \(command.name) --help)")
    }
  }
}
