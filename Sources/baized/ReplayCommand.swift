import BaizeClient
import BaizeCommandLine
import BaizeJournal
import BaizeSync
import BaizeTable
import BaizeTableTypes

/// `baized replay`: prints and checks a table's history, or checks that of every table.
enum ReplayCommand {
  static let command = Command(
    "baized replay",
    summary: "Prints the history of a table from its journal and checks that each stored snapshot matches the history "
      + "before it.",
    usage: ["FILE TABLE [OPTIONS]", "FILE", "--admin HOST:PORT [TABLE]"], operands: "FILE [TABLE]",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption(
            "--from", "REVISION", "Prints the history from this revision on. All of it is checked.",
            standard: "the oldest revision kept")
        ]), .running,
    ],
    notes: [
      "Each line has a revision, its author, and the change or the reason of a refusal. Faces that were hidden then are not "
        + "shown, nor are tokens. The file is not changed; a daemon may use it meanwhile.",
      "Without a table every table is checked, with one line for each.",
      "The exit code is 0 if the history is consistent, 1 if it is not, and 2 if the file or the table cannot be used.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    let (file, operands, _) = command.journal(
      parsed, with: 0...1, expected: "a file, and a table unless all are to be checked")
    let start = start(parsed)
    let journal = open(file)
    if let table = operands.first { print(table, of: journal, file, from: start) }
    checkAll(of: journal)
  }

  private static func print(
    _ table: String, of journal: any StoredJournal, _ file: String, from start: Revision
  ) -> Never {
    do throws(JournalError) {
      guard let history = try journal.history(ofTable: table) else {
        Console.refuse(command.name, "there is no table '\(table)' in '\(file)' (see baized tables \(file))")
      }
      var replay = Replay(history, from: start, types: TableTypeCompiler.shared) { Console.print($0) }
      try replay.run()
      Console.print(replay.summary)
      Console.end(.success)
    } catch {
      Console.printError("\(command.name): \(error)")
      Console.end(.failure)
    }
  }

  private static func checkAll(of journal: any StoredJournal) -> Never {
    var (tables, faulty) = (0, 0)
    do throws(JournalError) {
      for table in try journal.names() {
        tables += 1
        do throws(JournalError) {
          guard let history = try journal.history(ofTable: table) else { continue }
          var replay = Replay(history, types: TableTypeCompiler.shared) { _ in }
          try replay.run()
          Console.print("\(table): \(replay.summary)")
        } catch {
          faulty += 1
          Console.printError("\(command.name): \(table): \(error)")
        }
      }
    } catch {
      Console.printError("\(command.name): \(error)")
      Console.end(.failure)
    }
    Console.print("\(tables) tables, \(tables - faulty) consistent")
    Console.end(faulty == 0 ? .success : .failure)
  }

  private static func start(_ arguments: CommandLineArguments) -> Revision {
    do {
      return Revision(rawValue: try arguments.number("--from", in: 0...UInt64(Int64.max)) ?? 0)
    } catch {
      Console.refuse(command.name, "\(error) (see \(command.name) --help)")
    }
  }

  private static func open(_ file: String) -> any StoredJournal {
    do throws(JournalError) {
      return try JournalLocation(file).openForReading()
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }
}
