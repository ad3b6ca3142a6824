import BaizeCommandLine
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport

/// The flags of `baized` and the configuration they give.
enum ListenOptions {
  private static let standard = ServerConfiguration()
  private static let listenStandard = "127.0.0.1:\(ServerLimits.port)"

  static let command = Command(
    "baized", summary: "Serves shared reorderable tables over TCP and keeps them in a journal.",
    usage: ["[OPTIONS]", "check FILE…", "tables FILE", "replay FILE TABLE [OPTIONS]", "demo [OPTIONS]"],
    sections: [
      Command.Section(
        "Listening",
        [
          CommandOption(
            "--listen", "HOST:PORT", "The address to listen on; port 0 takes any free port.",
            standard: listenStandard),
          CommandOption(
            "--open", nil,
            "Admits everyone who can reach the port. Without it, at an address that other machines can reach, joining a "
              + "table requires the invite that its creator receives. (Some table types always require one.)"),
          CommandOption(
            "--closed", nil,
            "Requires invites on loopback too, for example behind a proxy on this machine. Without it, every process of this "
              + "machine, and all clients of a proxy, can join every table there."),
          CommandOption(
            "--create", "WHO",
            "Who may create tables. anyone: everyone who can connect. token: clients with the token in the file of "
              + "--create-token. nobody: only tables in the journal can be joined.", standard: "anyone"),
          CommandOption(
            "--create-token", "FILE",
            "The file of the token that --create token asks for, as the invite of a client that creates a table; created "
              + "with a random token if missing.", standard: CreationTokenFile.standard),
          CommandOption("--shards", "N", "Threads that hold tables.", standard: "one per core"),
          CommandOption(
            "--log-level", "LEVEL", "error, warning, info or debug; the log goes to standard error.", standard: "info"),
        ]),
      Command.Section(
        "Tables",
        [
          CommandOption(
            "--types", "DIR", "Adds the table types in DIR, files ending in .json, to the bundled ones.",
            standard: "none"),
          CommandOption(
            "--allow-seeds", nil,
            "Lets clients choose the seed of a table's shuffles, for tests and demos. The seed reveals the order of the deck."
          ),
          CommandOption(
            "--grace", "SECONDS", "The time for which the seat of a lost connection is kept.",
            standard: "\(standard.limits.sessions.graceSeconds)"),
        ]),
      Command.Section(
        "Durability",
        [
          CommandOption(
            "--journal", "FILE",
            "The journal file; created if missing. Only one daemon can use it at a time. \(inMemory) keeps tables only "
              + "while the daemon runs.",
            standard: "\(journalStandard), in the working directory"),
          CommandOption(
            "--durability", "LEVEL",
            "strict: operations are durable before anyone receives them. relaxed: they are sent at once and durable "
              + "within milliseconds; a crash may lose the last ones. memory: nothing is kept and no file is used.",
            standard: "\(standard.durability.rawValue)"),
          CommandOption(
            "--keep", "REVISIONS",
            "The minimum number of each table's last revisions to keep; fewer where refusals take up much of its history.",
            standard: "\(standard.keepRevisions)"),
          CommandOption(
            "--unload", "SECONDS", "The time for which an unused table stays in memory if the journal has it.",
            standard: "\(standard.limits.tables.unloadSeconds)"),
          CommandOption(
            "--discard", "SECONDS",
            "The time after which an unused table is discarded if there is no journal (--durability memory).",
            standard: "\(standard.limits.tables.discardSeconds), a day"),
        ]),
      Command.Section("Limits", LimitOption.all.map(\.option)),
      Command.Section("About", [CommandOption("--version", nil, "Prints the version.")]),
    ],
    notes: [
      "Commands:\n  check FILE…        Reports mistakes in table types (baized check --help).\n"
        + "  tables FILE        Lists the tables in a journal (baized tables --help).\n"
        + "  replay FILE TABLE  Prints and checks a table's history (baized replay --help).\n"
        + "  demo               Runs a daemon, a table and bots that play (baized demo --help).",
      "Once it accepts connections it prints \"baized listening on HOST:PORT\" and notifies the service manager that set "
        + "NOTIFY_SOCKET. SIGTERM and SIGINT stop it cleanly: clients receive the time to reconnect, and all tables are "
        + "written to the journal. The exit code is 0 after a clean stop, 1 after a failure, 2 if it could not start.",
    ])

  /// Reads the configuration, or ends the program with one line if a flag is not valid.
  static func configuration(_ arguments: CommandLineArguments) -> ServerConfiguration {
    do {
      return try read(arguments)
    } catch let error as TableTypeFileError {
      Console.refuse("baized", "\(error)")
    } catch let error as CreationTokenFileError {
      Console.refuse("baized", "\(error)")
    } catch {
      Console.refuse("baized", "\(error) (see baized --help)")
    }
  }

  private static func read(_ arguments: CommandLineArguments) throws -> ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.address = try SocketAddress(parsing: arguments.text("--listen") ?? listenStandard)
    configuration.shardCount = try arguments.number("--shards", in: 1...ServerLimits.shardsMax) ?? standard.shardCount
    configuration.log = Log(try arguments.choice("--log-level", Log.Level.self) ?? .info)
    configuration.isOpen = try isOpen(arguments)
    configuration.creation = try creation(arguments)
    configuration.allowsSeeds = arguments.has("--allow-seeds")
    configuration.limits.sessions.graceSeconds =
      try arguments.number("--grace", in: 0...864_000, "seconds") ?? standard.limits.sessions.graceSeconds
    configuration.limits.tables.unloadSeconds =
      try arguments.number("--unload", in: 0...864_000, "seconds") ?? standard.limits.tables.unloadSeconds
    configuration.limits.tables.discardSeconds =
      try arguments.number("--discard", in: 0...31_536_000, "seconds") ?? standard.limits.tables.discardSeconds
    try LimitOption.apply(arguments, to: &configuration)
    configuration.durability = try arguments.choice("--durability", Durability.self) ?? standard.durability
    configuration.journal = try journal(arguments)
    configuration.keepRevisions =
      try arguments.number("--keep", in: 0...1_000_000_000_000, "revisions") ?? standard.keepRevisions
    if let directory = arguments.text("--types") {
      configuration.tableTypes = try TableTypeFile.library(with: directory)
    }
    return configuration
  }

  /// `nil` unless a flag decides.
  private static func isOpen(_ arguments: CommandLineArguments) throws(CommandLineError) -> Bool? {
    guard arguments.has("--open") || arguments.has("--closed") else { return nil }
    guard !arguments.has("--open") || !arguments.has("--closed") else { throw .exclusive("--open", "--closed") }
    return arguments.has("--open")
  }

  private enum Creators: String, CaseIterable {
    case anyone
    case token
    case nobody
  }

  private static func creation(_ arguments: CommandLineArguments) throws -> CreationRight {
    let creators = try arguments.choice("--create", Creators.self) ?? .anyone
    let file = arguments.text("--create-token")
    guard file == nil || creators == .token else {
      throw CommandLineError.badValue(flag: "--create-token", value: file ?? "", needed: "'--create token' with it")
    }
    switch creators {
    case .anyone: return .anyone
    case .token: return .token(try CreationTokenFile.token(in: file ?? CreationTokenFile.standard))
    case .nobody: return .nobody
    }
  }

  private static let journalStandard = "baize.sqlite"
  private static let inMemory = ":memory:"

  private static func journal(_ arguments: CommandLineArguments) throws -> JournalConfiguration {
    let file = arguments.text("--journal")
    if file == "" { throw CommandLineError.badValue(flag: "--journal", value: "", needed: "a file name") }
    return file == inMemory ? .memory : .file(file ?? journalStandard)
  }
}
