import BaizeBot
import BaizeClient
import BaizeCommandLine
import BaizeTransport

/// `baize-bot`: runs bots at a daemon's table.
enum BotCommand {
  private static let standard = BotOptions()

  private static let command = Command(
    "baize-bot", summary: "Runs bots at a daemon's table. They play by the rules that the daemon sends.",
    sections: [
      Command.Section(
        "Table",
        [
          CommandOption(
            "--connect", "HOST:PORT",
            "The daemon's address, or with commas between those of several nodes of which one serves.",
            standard: "\(standard.endpoint)"),
          CommandOption(
            "--tls-ca", "FILE",
            "Connects with TLS, and trusts the authorities in the file, in PEM form. The daemon's certificate must be for the HOST "
              + "of --connect.", standard: "no TLS"),
          CommandOption("--table", "ID", "The table.", standard: standard.table),
          CommandOption(
            "--link", "LINK",
            "The table and its invite, as the link that the web table gives. The daemon's address is that of --connect, not the "
              + "page's."),
          CommandOption(
            "--type", "TYPE",
            "Creates the table if it does not exist, with options after '?', such as klondike?draw=3. Without it the bots "
              + "join an existing table."),
          CommandOption("--invite", "TEXT", "The invite for players, if the table requires one."),
          CommandOption(
            "--deal-seed", "S",
            "The seed of a new table's shuffle, to repeat a deal. The daemon accepts it only with --allow-seeds."),
        ]),
      Command.Section(
        "Bots",
        [
          CommandOption("--count", "N", "The number of bots.", standard: "\(standard.count)"),
          CommandOption("--name", "NAME", "The bots' name, to which a number is added.", standard: standard.name),
          CommandOption(
            "--strategy", "NAME",
            "random submits any legal operation; greedy plays to win, by what its seat sees, and does what is left to do where "
              + "nothing can be won.",
            standard: "greedy at games, otherwise random"),
          CommandOption("--seed", "S", "The seed of the bots' choices, not of the deal.", standard: "random"),
          CommandOption(
            "--rate", "N", "Operations per second of each bot; 0 to act after each answer.",
            standard: "\(standard.rate)"),
          CommandOption(
            "--pace", "NAME",
            "steady acts at the rate; human thinks before each operation, mostly for one to three seconds, by --seed.",
            standard: standard.pace.rawValue),
          CommandOption(
            "--wait-for", "N", "The bots act once this many seats are taken, their own included.", standard: "at once"),
        ]),
      Command.Section(
        "Duration",
        [
          CommandOption("--for", "SECONDS", "Ends after this time.", standard: "until interrupted"),
          CommandOption("--until-won", nil, "Ends when the game is over, or when no bot has anything left to do."),
          CommandOption("--quiet", nil, "Prints only the summary."),
        ]),
    ],
    notes: [
      "SIGTERM and SIGINT stop it cleanly: the bots leave the table.",
      "The exit code is 0 after the time or an interrupt; 1 if the daemon could not be reached or ended a bot's session; 2 "
        + "for a usage error. With --until-won it is 0 only if the game is over; 3 if the bots have nothing left to do; 1 "
        + "if they did not finish in time.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let options: BotOptions
    let signals: SignalWatch
    do {
      signals = try SignalWatch()
      options = try Self.options(command.read(arguments))
    } catch {
      Console.refuse(command.name, "\(error) (see \(command.name) --help)")
    }
    BotProcess.run(options, signals)
  }

  /// - Throws: An error that describes the mistake in the command line.
  private static func options(_ parsed: CommandLineArguments) throws -> BotOptions {
    var options = BotOptions()
    if let text = parsed.text("--connect") { options.endpoint = try .tcp(parsing: text) }
    if let authorities = parsed.text("--tls-ca") {
      options.endpoint = try .tls(parsing: parsed.text("--connect") ?? "\(standard.endpoint)", authorities: authorities)
    }
    options.table = parsed.text("--table") ?? options.table
    options.tableType = parsed.text("--type") ?? options.tableType
    if let text = parsed.text("--link") {
      guard let link = TableLink(text) else { throw InvalidLink(text: text) }
      (options.table, options.invite) = (link.table, link.invite)
    }
    options.invite = parsed.text("--invite") ?? options.invite
    options.dealSeed = try parsed.number("--deal-seed", in: 1...UInt64.max) ?? options.dealSeed
    options.count = try parsed.number("--count", in: 1...1_000) ?? options.count
    options.name = parsed.text("--name") ?? options.name
    options.strategy = try parsed.choice("--strategy")
    options.seed = try parsed.number("--seed", in: 0...UInt64.max)
    options.rate = try parsed.number("--rate", in: 0...100_000, "operations per second") ?? options.rate
    options.pace = try parsed.choice("--pace") ?? options.pace
    options.playersMin = try parsed.number("--wait-for", in: 1...1_000, "seats") ?? options.playersMin
    options.seconds = try parsed.number("--for", in: 1...31_536_000, "seconds")
    options.endsWhenWon = parsed.has("--until-won")
    options.isQuiet = parsed.has("--quiet")
    return options
  }
}

/// A text that is no link to a table.
private struct InvalidLink: Error, CustomStringConvertible {
  let text: String

  var description: String { "--link '\(text)' names no table, as http://HOST/#table=NAME does" }
}
