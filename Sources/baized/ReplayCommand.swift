import BaizeClient
import BaizeCommandLine
import BaizeJournal
import BaizeSync
import BaizeTable

/// `baized replay FILE TABLE`: a table's history as text, and whether it holds together.
enum ReplayCommand {
  private static let command = Command(
    "baized replay",
    summary: "Prints what happened at a table, from its journal, and checks that the stored snapshots are what the "
      + "history before them leads to.",
    usage: ["FILE TABLE [OPTIONS]"], operands: "FILE TABLE",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption(
            "--from", "REVISION", "Prints what led to this revision and to later ones; all of it is checked.",
            standard: "the beginning of what is kept")
        ])
    ],
    notes: [
      "A line is a revision, who did it, and what it did, or why it was refused. Cards that lay face down then are not "
        + "told, nor is anything that lets a session resume. The file is not changed; a daemon that has it open must be "
        + "stopped first.",
      "The exit code is 0 if everything holds together, 1 if it does not, and 2 if the file or the table cannot be used.",
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
      Console.complain("\(command.name): \(error)")
      Console.end(.failure)
    }
    Console.say(
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
      return Replay(history, from: start, types: TableTypeDocuments.shared) { Console.say($0) }
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }
}
