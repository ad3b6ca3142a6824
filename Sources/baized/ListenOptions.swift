import BaizeCommandLine
import BaizeJournal
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport

/// The flags of `baized` and the configuration they give.
enum ListenOptions {
  static let standard = ServerConfiguration()
  static let listenStandard = "127.0.0.1:\(ServerLimits.port)"

  static let command = Command(
    "baized", summary: "Serves shared reorderable tables over TCP and keeps them in a journal.",
    usage: [
      "[OPTIONS]", "check FILE…", "config [OPTIONS]", "tables FILE [OPTIONS]", "replay FILE TABLE [OPTIONS]",
      "backup FILE COPY", "export FILE TABLE [OPTIONS]", "delete FILE TABLE…", "migrate FILE TABLE… [OPTIONS]",
      "demo [OPTIONS]", "completion SHELL",
    ],
    sections: [
      Command.Section(
        "Listening",
        [
          CommandOption(
            "--listen", "HOST:PORT", "The address to listen on; port 0 takes any free port.",
            standard: listenStandard)
        ] + HTTPOptions.all + TLSOptions.all + TokenOptions.all + AdminOptions.all + [
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
              + "--create-token. nobody: only tables in the journal can be joined.", standard: "anyone",
            choices: Creators.allCases.map(\.rawValue)),
          CommandOption(
            "--create-token", "FILE",
            "The file of the token that --create token asks for, as the invite of a client that creates a table; created "
              + "with a random token if missing.", standard: TokenFile.standard),
          CommandOption(
            "--proxy-protocol", "ADDRESSES",
            "The addresses of proxies, separated by commas, such as 127.0.0.1 or 10.1.0.0/16. Their connections must begin with "
              + "the header of the PROXY protocol, version 1 or 2, which tells the client's address for limits and the log; nobody "
              + "else may send it. Joining a table then requires an invite, unless --open is given.", standard: "none"),
          CommandOption(
            "--shared-address", "ADDRESSES",
            "Addresses that stand for many people, separated by commas, such as a proxy that does not tell whom it serves: they may "
              + "take all memory and contents that are free, where every other address has a share.",
            standard: "none"),
          CommandOption("--shards", "N", "Threads that hold tables.", standard: "one per core"),
        ]),
      Command.Section(
        "Tables",
        [
          CommandOption(
            "--types", "DIR", "Adds the table types in DIR, files ending in .json, to the bundled ones.",
            standard: "none"),
          CommandOption(
            "--migrate", nil,
            "Moves every table with an older document of its type to the present one when it is loaded from the journal, if it "
              + "fits; if not, the log says why (baized migrate --help)."),
          CommandOption(
            "--allow-seeds", nil,
            "Lets clients choose the seed of a table's shuffles, for tests and demos. The seed reveals the order of the deck."
          ),
          CommandOption(
            "--grace", "SECONDS",
            "The time after which turns pass over a player whose connection is lost, and the host's rights go to another. The "
              + "seat is kept: see --seat-kept-max.",
            standard: "\(standard.limits.sessions.graceSeconds)"),
        ]),
      Command.Section(
        "Durability",
        [
          CommandOption(
            "--journal", "FILE",
            "The journal file; created if missing. Only one daemon can use it at a time. \(inMemory) keeps tables only "
              + "while the daemon runs. \(JournalLocation.postgresWord) keeps them in the database that PGHOST, PGDATABASE and the other "
              + "variables of libpq name; a daemon that is started later takes it over. (A build without the trait PostgreSQL has none.)",
            standard: "\(journalStandard), in the working directory"),
          CommandOption(
            "--node", "NAME",
            "The daemon is one of several with the same journal in PostgreSQL, and this is its name among them: one serves, and the "
              + "others wait, listening nowhere, until it ends or does not answer for \(JournalNode.leaseNanoseconds / 1_000_000_000) "
              + "seconds. An earlier start of the same name is taken over from at once.", standard: "it is alone"),
          CommandOption(
            "--durability", "LEVEL",
            "strict: operations are durable before anyone receives them. relaxed: they are sent at once and durable "
              + "within milliseconds; a crash may lose the last ones. memory: nothing is kept and no file is used.",
            standard: "\(standard.durability.rawValue)", choices: Durability.allCases.map(\.rawValue)),
          CommandOption(
            "--keep", "REVISIONS",
            "The minimum number of each table's last revisions to keep; fewer where refusals take up much of its history.",
            standard: "\(standard.keepRevisions)"),
          CommandOption(
            "--expire", "DAYS",
            "The time after which a table that nobody uses is deleted, with its history: days of 24 hours for which a daemon "
              + "runs with this option, whatever the date says.", standard: "never"),
          CommandOption(
            "--expire-dry-run", nil,
            "Has --expire delete nothing: the log names what it would delete."),
          CommandOption(
            "--unload", "SECONDS", "The time for which an unused table stays in memory if the journal has it.",
            standard: "\(standard.limits.tables.unloadSeconds)"),
          CommandOption(
            "--discard", "SECONDS",
            "The time after which an unused table is discarded if there is no journal (--durability memory).",
            standard: "\(standard.limits.tables.discardSeconds), a day"),
        ]),
      Command.Section("Limits", LimitOption.all.map(\.option)),
      Command.Section(
        "Operation",
        [
          CommandOption(
            "--config", "FILE",
            "A file with settings: a JSON object such as {\"tablesBurstMax\": 20, \"open\": true}, whose keys are the names of "
              + "these flags.", standard: "none", scope: .commandLineAndEnvironment),
          CommandOption(
            "--log-level", "LEVEL", "error, warning, info or debug; the log goes to standard error.", standard: "info",
            choices: Log.Level.allCases.map(\.rawValue)),
          CommandOption(
            "--log-format", "FORMAT",
            "text: the time, the level and the text. json: an object with these on each line.", standard: "text",
            choices: Log.Format.allCases.map(\.rawValue)),
        ]),
    ],
    notes: [
      "Each flag can also be given in the file of --config and as an environment variable: --tables-burst-max 20 is "
        + "BAIZE_TABLES_BURST_MAX=20, and --open is BAIZE_OPEN=true. A flag overrides the environment, which overrides the "
        + "file; --open=false overrides what they say.",
      "Commands:\n"
        + "  check FILE…          Reports mistakes in table types (baized check --help).\n"
        + "  config               Prints the settings and where each comes from (baized config --help).\n"
        + "  tables FILE          Lists the tables in a journal (baized tables --help).\n"
        + "  replay FILE TABLE    Prints and checks a table's history (baized replay --help).\n"
        + "  backup FILE COPY     Copies a journal, also that of a running daemon (baized backup --help).\n"
        + "  export FILE TABLE    Prints a table as JSON (baized export --help).\n"
        + "  copy FROM TO         Copies all tables to another journal, also to PostgreSQL (baized copy --help).\n"
        + "  delete FILE TABLE…   Deletes tables from a journal, or in a running daemon (baized delete --help).\n"
        + "  migrate FILE TABLE…  Moves tables to the present documents of their types (baized migrate --help).\n"
        + "  demo                 Runs a daemon, a table and bots that play (baized demo --help).\n"
        + "  token                Prints a signed token for trying out (baized token --help).\n"
        + "  completion SHELL     Prints a script that completes commands and flags (baized completion --help).",
      "Once it accepts connections it prints \"baized listening on HOST:PORT\" and notifies the service manager that set "
        + "NOTIFY_SOCKET. SIGTERM and SIGINT stop it cleanly: clients receive the time to reconnect, and all tables are "
        + "written to the journal. SIGHUP reads the file of --config, the table types, the certificate and the keys of tokens again: --types, "
        + "--grace, --unload, --discard and most limits change at once, and the log says which; other settings need a restart. "
        + "The exit code is 0 after a clean stop, 1 after a failure, 2 if it could not start, and 3 if another daemon has taken "
        + "over its journal in PostgreSQL.",
    ])

  /// The clients that may create tables.
  enum Creators: String, CaseIterable {
    case anyone
    case token
    case nobody
  }

  static let journalStandard = "baize.sqlite"
  static let inMemory = ":memory:"
}
