import BaizeCommandLine
import BaizeTransport

/// `baize-bot`: players that are no people, at a daemon's table.
enum BotCommand {
  private static let standard = BotOptions()

  private static let command = Command(
    "baize-bot", summary: "Plays at a daemon's table, by the rules that the daemon sends.",
    sections: [
      Command.Section(
        "Where",
        [
          CommandOption("--connect", "HOST:PORT", "The daemon.", standard: "\(standard.address)"),
          CommandOption("--table", "ID", "The table.", standard: standard.table),
          CommandOption(
            "--type", "TYPE",
            "Creates the table if it does not exist, options behind '?', such as klondike?draw=3. Without it the bots join "
              + "what is there."),
          CommandOption("--invite", "TEXT", "What lets players in, where the table asks for it."),
          CommandOption(
            "--deal-seed", "S",
            "The seed of a new table's shuffle, for the same deal again. A daemon takes it only under --allow-seeds."),
        ]),
      Command.Section(
        "Who",
        [
          CommandOption("--count", "N", "Bots, each a player of its own.", standard: "\(standard.count)"),
          CommandOption("--name", "NAME", "What they are called, with a number behind it.", standard: standard.name),
          CommandOption(
            "--strategy", "NAME",
            "random does anything that the rules allow; greedy tries to finish klondike, from what it sees.",
            standard: "greedy at klondike, else random"),
          CommandOption("--seed", "S", "Of what the bots choose; not of the deal.", standard: "any"),
          CommandOption(
            "--rate", "N", "Operations per second of each bot; 0 for as fast as answers come.",
            standard: "\(standard.rate)"),
        ]),
      Command.Section(
        "How long",
        [
          CommandOption("--for", "SECONDS", "Ends after that time.", standard: "until interrupted"),
          CommandOption("--until-won", nil, "Ends when the game is won, or when no bot can do anything more."),
          CommandOption("--quiet", nil, "Prints only the summary, not what each bot does."),
        ]),
    ],
    notes: [
      "SIGTERM and SIGINT end it cleanly: the bots leave the table.",
      "The exit code is 0 if the time is over or it was interrupted; 1 if the table was closed to a bot or the daemon could "
        + "not be reached; 2 if it was called wrongly. With --until-won it is 0 only if the game was won; 3 if the bots are "
        + "stuck; 1 if they had no time to finish.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let options: BotOptions
    do {
      options = try Self.options(command.read(arguments))
    } catch {
      Console.refuse(command.name, "\(error) (see \(command.name) --help)")
    }
    BotProcess.run(options)
  }

  /// - Throws: What is wrong with the command line.
  private static func options(_ parsed: CommandLineArguments) throws -> BotOptions {
    var options = BotOptions()
    if let text = parsed.text("--connect") { options.address = try SocketAddress(parsing: text) }
    options.table = parsed.text("--table") ?? options.table
    options.tableType = parsed.text("--type") ?? options.tableType
    options.invite = parsed.text("--invite") ?? options.invite
    options.dealSeed = try parsed.number("--deal-seed", in: 1...UInt64.max) ?? options.dealSeed
    options.count = try parsed.number("--count", in: 1...1_000) ?? options.count
    options.name = parsed.text("--name") ?? options.name
    options.strategy = try parsed.choice("--strategy")
    options.seed = try parsed.number("--seed", in: 0...UInt64.max)
    options.rate = try parsed.number("--rate", in: 0...100_000, "operations per second") ?? options.rate
    options.seconds = try parsed.number("--for", in: 1...31_536_000, "seconds")
    options.endsWhenWon = parsed.has("--until-won")
    options.isQuiet = parsed.has("--quiet")
    return options
  }
}
