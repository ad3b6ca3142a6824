import BaizeCommandLine
import BaizeJournal
import BaizeSync

/// `baized delete FILE TABLE…`: deletes tables from the journal of a stopped daemon.
enum DeleteCommand {
  static let command = Command(
    "baized delete", summary: "Deletes tables, with their histories, from the journal of a stopped daemon.",
    usage: ["FILE TABLE…"], operands: "FILE TABLE…", sections: [],
    notes: [
      "All of the tables are deleted, or none: a name that is not there is refused. The file gets no smaller; later tables use "
        + "the room, and 'baized backup' makes a copy without it.",
      "The exit code is 0, 1 if the file cannot be written, and 2 if a daemon uses it or a table is not there.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    guard parsed.operands.count > 1 else {
      Console.refuse(command.name, "expected a file and tables (see \(command.name) --help)")
    }
    let (file, tables) = (parsed.operands[0], parsed.operands.dropFirst())
    do throws(JournalError) {
      // Not created if it is missing.
      let names = Set(try JournalReader(path: file).names())
      if let missing = tables.first(where: { !names.contains($0) }) {
        Console.refuse(command.name, "there is no table '\(missing)' in '\(file)'")
      }
      let journal = try SQLiteJournal(path: file)
      journal.append(tables.map { .deletion($0) })
      try journal.commit()
      while try journal.tidy() {}
    } catch {
      guard error.kind != .unusable else { Console.refuse(command.name, "\(error)") }
      Console.printError("\(command.name): \(error)")
      Console.end(.failure)
    }
    Console.print("deleted: \(tables.joined(separator: ", "))")
    Console.end(.success)
  }
}
