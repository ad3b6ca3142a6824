import BaizeCommandLine
import BaizeJournal
import BaizeSync

/// `baized delete`: deletes tables from the journal of a stopped daemon, or has a running one delete them.
enum DeleteCommand {
  static let command = Command(
    "baized delete",
    summary: "Deletes tables, with their histories, from the journal of a stopped daemon, or of a running one by its "
      + "operator's address.",
    usage: ["FILE TABLE…", "--admin HOST:PORT TABLE…"], operands: "FILE TABLE…", sections: [.running],
    notes: [
      "All of the tables are deleted, or none: a name that is not there is refused. The file gets no smaller; later tables use "
        + "the room, and 'baized backup' makes a copy without it.",
      "The exit code is 0, 1 if the file cannot be written, and 2 if a daemon uses it or a table is not there.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    let (file, tables, daemon) = command.journal(parsed, with: 1...Int.max - 1, expected: "a file and tables")
    do throws(JournalError) {
      try command.checkTables(tables, in: file)
      if let daemon { deleteWhileRunning(tables, daemon) }
      let journal = try JournalLocation(file).open()
      try journal.commit(tables.map { .deletion($0) })
      while try journal.tidy() {}
    } catch {
      command.end(error)
    }
    finish(tables)
  }

  /// Has a daemon delete the tables, one by one.
  private static func deleteWhileRunning(_ tables: [String], _ daemon: RunningDaemon) -> Never {
    for (index, table) in tables.enumerated() {
      do throws(RunningDaemonError) {
        try daemon.delete(table)
      } catch {
        Console.printError("\(command.name): '\(table)' and \(tables.count - index - 1) more are not deleted: \(error)")
        Console.end(.failure)
      }
    }
    finish(tables)
  }

  private static func finish(_ tables: [String]) -> Never {
    Console.print("deleted: \(tables.joined(separator: ", "))")
    Console.end(.success)
  }
}
