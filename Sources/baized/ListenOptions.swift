import BaizeCommandLine
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport

/// The flags of `baized`, and what they make of a configuration.
enum ListenOptions {
  private static let standard = ServerConfiguration()
  private static let listenStandard = "127.0.0.1:\(ServerLimits.port)"

  static let command = Command(
    "baized", summary: "Holds shared reorderable tables for those who connect, and keeps them in a journal.",
    usage: ["[OPTIONS]", "check FILE…", "tables FILE", "replay FILE TABLE [OPTIONS]", "demo [OPTIONS]"],
    sections: [
      Command.Section(
        "Listening",
        [
          CommandOption(
            "--listen", "HOST:PORT", "Where to accept connections; port 0 takes any that is free.",
            standard: listenStandard),
          CommandOption(
            "--open", nil,
            "Lets everyone in who can reach the port. Without it, at an address that other machines can reach, a table is "
              + "joined by the invite that its creator gets. (Some table types ask for one everywhere.)"),
          CommandOption("--shards", "N", "Threads that hold tables.", standard: "one per core"),
          CommandOption("--log-level", "LEVEL", "error, warning, info or debug, to standard error.", standard: "info"),
        ]),
      Command.Section(
        "Tables",
        [
          CommandOption(
            "--types", "DIR", "Table types beside the bundled ones: the files of DIR that end in .json.",
            standard: "none"),
          CommandOption(
            "--allow-seeds", nil,
            "Lets clients choose the seed of a table's shuffles, for tests and demos: who knows the seed knows the deck."
          ),
          CommandOption(
            "--grace", "SECONDS", "How long a seat is kept for someone who lost the connection.",
            standard: "\(standard.limits.graceSeconds)"),
        ]),
      Command.Section(
        "Keeping",
        [
          CommandOption(
            "--journal", "FILE",
            "Where tables are kept; made if there is none. One daemon at a time uses it. \(inMemory) keeps them while "
              + "the daemon runs.",
            standard: "\(journalStandard), in the working directory"),
          CommandOption(
            "--durability", "LEVEL",
            "strict: nobody sees what is not on disk yet. relaxed: it is sent at once and on disk within milliseconds; a "
              + "crash may take back that much. memory: nothing is kept, and no file is touched, whatever --journal says.",
            standard: "\(standard.durability.rawValue)"),
          CommandOption(
            "--keep", "REVISIONS",
            "How much of each table's history the journal keeps at least, unless refusals fill it.",
            standard: "\(standard.keepRevisions)"),
          CommandOption(
            "--unload", "SECONDS", "How long a table that nobody is at stays in memory, where the journal has it.",
            standard: "\(standard.limits.unloadSeconds)"),
        ]),
      Command.Section("Limits", LimitOption.all.map(\.option)),
      Command.Section("About", [CommandOption("--version", nil, "Prints the version.")]),
    ],
    notes: [
      "Commands:\n  check FILE…        Says what is wrong with table types, and where (baized check --help).\n"
        + "  tables FILE        Lists the tables that a journal holds (baized tables --help).\n"
        + "  replay FILE TABLE  Prints a table's history and checks it (baized replay --help).\n"
        + "  demo               A daemon, a table, and bots that play (baized demo --help).",
      "When it accepts connections it prints \"baized listening on HOST:PORT\", and tells a service manager that set "
        + "NOTIFY_SOCKET. SIGTERM and SIGINT stop it cleanly: every client is told when to come back, and everything is in "
        + "the journal. It ends with 0 then, with 1 if it could not go on, with 2 if it could not start.",
    ])

  /// Ends the program with one clear line where the flags make no configuration.
  static func configuration(_ arguments: CommandLineArguments) -> ServerConfiguration {
    do {
      return try read(arguments)
    } catch let error as TableTypeFileError {
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
    if arguments.has("--open") { configuration.isOpen = true }
    configuration.allowsSeeds = arguments.has("--allow-seeds")
    configuration.limits.graceSeconds =
      try arguments.number("--grace", in: 0...864_000, "seconds") ?? standard.limits.graceSeconds
    configuration.limits.unloadSeconds =
      try arguments.number("--unload", in: 0...864_000, "seconds") ?? standard.limits.unloadSeconds
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

  private static let journalStandard = "baize.sqlite"
  private static let inMemory = ":memory:"

  private static func journal(_ arguments: CommandLineArguments) throws -> JournalConfiguration {
    let file = arguments.text("--journal")
    if file == "" { throw CommandLineError.badValue(flag: "--journal", value: "", needed: "a file's name") }
    return file == inMemory ? .memory : .file(file ?? journalStandard)
  }
}
