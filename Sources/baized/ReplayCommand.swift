import BaizeClient
import BaizeCommandLine
import BaizeJournal
import BaizeSync
import BaizeTable
import BaizeTableTypes

/// `baized replay FILE TABLE`: prints and checks a table's history.
enum ReplayCommand {
  static let command = Command(
    "baized replay",
    summary: "Prints the history of a table from its journal and checks that each stored snapshot matches the history "
      + "before it.",
    usage: ["FILE TABLE [OPTIONS]"], operands: "FILE TABLE",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption(
            "--from", "REVISION", "Prints the history from this revision on. All of it is checked.",
            standard: "the oldest revision kept")
        ])
    ],
    notes: [
      "Each line has a revision, its author, and the change or the reason of a refusal. Faces that were hidden then are not "
        + "shown, nor are tokens. The file is not changed. Stop the daemon that has it open first.",
      "The exit code is 0 if the history is consistent, 1 if it is not, and 2 if the file or the table cannot be used.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    guard parsed.operands.count == 2 else {
      Console.refuse(command.name, "a file and a table are needed (see \(command.name) --help)")
    }
    var replay = open(parsed.operands[0], parsed.operands[1], from: start(parsed))
    do throws(JournalError) {
      try replay.run()
    } catch {
      Console.printError("\(command.name): \(error)")
      Console.end(.failure)
    }
    Console.print(
      "\(replay.diffs) diffs to revision \(replay.revision.rawValue); stored snapshots checked: \(replay.snapshots)")
    Console.end(.success)
  }

  private static func start(_ arguments: CommandLineArguments) -> Revision {
    do {
      return Revision(rawValue: try arguments.number("--from", in: 0...UInt64(Int64.max)) ?? 0)
    } catch {
      Console.refuse(command.name, "\(error) (see \(command.name) --help)")
    }
  }

  private static func open(_ file: String, _ table: String, from start: Revision) -> Replay {
    do throws(JournalError) {
      let journal = try JournalReader(path: file)
      guard let history = try journal.history(ofTable: table) else {
        Console.refuse(command.name, "there is no table '\(table)' in '\(file)' (see baized tables \(file))")
      }
      return Replay(history, from: start, types: TableTypeCompiler.shared) { Console.print($0) }
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }
}
