import BaizeCommandLine
import BaizeJournal
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTableTypes

/// `baized export`: prints a table as JSON.
enum ExportCommand {
  static let command = Command(
    "baized export", summary: "Prints a table from its journal as JSON.",
    usage: ["FILE TABLE [OPTIONS]", "--admin HOST:PORT TABLE [OPTIONS]"], operands: "FILE TABLE",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption(
            "--view", "VIEW",
            "all: every face, also hidden ones. spectator: what everyone may see. A number: what that seat may see.",
            standard: "all")
        ]), .running,
    ],
    notes: [
      "The object has table, type, view, revision, epoch, status, variables, seats, the type's document, and collections, each "
        + "with id, enabled, count and items. An item has id and attributes and, where they apply, pinned, opens (the collection "
        + "that it opens), aliasOf, hidden (nobody may see the face) and representations (type, and text or base64).",
      "The file is not changed; a daemon may use it meanwhile.",
      "The exit code is 0, 1 if the table cannot be read, and 2 if there is no such file or table.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    let (file, operands, _) = command.journal(parsed, with: 1...1, expected: "a file and a table")
    let view = view(parsed)
    do {
      let journal = try JournalLocation(file).openForReading()
      guard let stored = try journal.table(named: operands[0]) else {
        Console.refuse(command.name, "there is no table '\(operands[0])' in '\(file)'")
      }
      let table = try RestoredTable(stored, types: TableTypeCompiler.shared)
      Console.print(String(decoding: try TableExport(table, view: view).bytes, as: UTF8.self))
      Console.end(.success)
    } catch let error as JournalError where error.kind == .unusable {
      Console.refuse(command.name, "\(error)")
    } catch {
      Console.printError("\(command.name): \(error)")
      Console.end(.failure)
    }
  }

  private static func view(_ arguments: CommandLineArguments) -> TableExport.View {
    switch arguments.text("--view") {
    case nil, "all": return .all
    case "spectator": return .seat(.spectator)
    case let text?:
      guard let seat = UInt32(text), seat > 0 else {
        Console.refuse(command.name, "'--view' cannot be '\(text)'; expected all, spectator or a seat's number")
      }
      return .seat(SeatNumber(rawValue: seat))
    }
  }
}
