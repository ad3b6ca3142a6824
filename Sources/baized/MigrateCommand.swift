import BaizeCommandLine
import BaizeJournal
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTableTypes

/// `baized migrate`: moves tables to the present documents of their types.
enum MigrateCommand {
  static let command = Command(
    "baized migrate",
    summary:
      "Moves tables to the present documents of their types, in the journal of a stopped daemon, or has a running one move "
      + "them.",
    usage: ["FILE TABLE… [OPTIONS]", "--admin HOST:PORT TABLE…"], operands: "FILE TABLE…",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption(
            "--types", "DIR", "Adds the table types in DIR to the bundled ones. A running daemon has its own.",
            standard: "none"),
          CommandOption(
            "--end-sessions", nil,
            "Ends the sessions of the tables, so that collections may get other handles: nobody has operations on their way "
              + "then. Seats become free."),
        ]), .running,
    ],
    notes: [
      "A table keeps the document that its type had when it was created. If the present one fits, the table continues with it: "
        + "all collections with their items, the options, the status and the variables. If it does not fit, each reason is a "
        + "line, and none of the tables is changed. 'baized tables' shows which tables have an older document.",
      "With a running daemon, the tables are moved one by one; their clients connect again and get the new document.",
      "The exit code is 0, 1 if a table does not fit or the file cannot be written, and 2 if a daemon uses it or a table is not "
        + "there.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    let (file, tables, daemon) = command.journal(parsed, with: 1...Int.max - 1, expected: "a file and tables")
    do throws(JournalError) {
      try command.checkTables(tables, in: file)
      if let daemon { migrateWhileRunning(tables, daemon, endsSessions: parsed.has("--end-sessions")) }
      try migrate(tables, in: file, TableTypeCache(command.types(parsed)), endsSessions: parsed.has("--end-sessions"))
    } catch {
      command.end(error)
    }
  }

  /// Moves all of the tables in one commit, or none.
  private static func migrate(
    _ tables: [String], in file: String, _ types: TableTypeCache, endsSessions: Bool
  ) throws(JournalError) -> Never {
    let journal = try JournalLocation(file).open()
    var writes: [JournalWrite] = []
    var lines: [String] = []
    var hasObstacles = false
    for name in tables {
      guard let stored = try journal.table(named: name) else { continue }
      var table = try RestoredTable(stored, types: TableTypeCompiler.shared, random: RandomSource.ofSystem)
      do throws(MigrationObstacles) {
        guard try table.migrate(to: types, endsSessions: endsSessions) else {
          lines.append("\(name): has the present document")
          continue
        }
        if let record = table.takeMigration() { writes.append(.record(record)) }
        lines.append(
          "\(name): moved, revision \(table.state.revision.rawValue), epoch \(table.epoch.rawValue), "
            + table.definition.typeText.printable())
      } catch {
        hasObstacles = true
        for obstacle in error.all { Console.printError("\(name): \(obstacle.description.printable())") }
      }
    }
    guard !hasObstacles else {
      Console.printError("\(command.name): nothing is changed")
      Console.end(.failure)
    }
    try journal.commit(writes)
    for line in lines { Console.print(line) }
    Console.end(.success)
  }

  /// Has a daemon move the tables, one by one.
  private static func migrateWhileRunning(_ tables: [String], _ daemon: RunningDaemon, endsSessions: Bool) -> Never {
    var code = ExitCode.success
    for table in tables {
      do throws(RunningDaemonError) {
        Console.print("\(table): \(try daemon.migrate(table, endsSessions: endsSessions))")
      } catch {
        code = .failure
        for line in error.description.split(separator: "\n") { Console.printError("\(table): \(line)") }
      }
    }
    Console.end(code)
  }
}

extension RandomSource {
  /// The words of the operating system.
  fileprivate static var ofSystem: RandomSource {
    RandomSource {
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
  }
}
