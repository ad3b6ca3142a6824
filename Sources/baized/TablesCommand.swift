import BaizeCommandLine
import BaizeJournal
import BaizeSync
import BaizeTable

/// `baized tables FILE`: what a journal holds.
enum TablesCommand {
  private static let command = Command(
    "baized tables", summary: "Lists the tables that a journal holds.",
    usage: ["FILE"], operands: "FILE", sections: [],
    notes: [
      "A line is a table: its name and type, its last revision, the revision at which its history begins, the records and "
        + "whole snapshots that are kept, and their bytes. The file is not changed; a daemon that has it open must be "
        + "stopped first.",
      "The exit code is 0, or 2 if the file cannot be used.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    guard parsed.operands.count == 1 else {
      Console.refuse(command.name, "one file is needed (see \(command.name) --help)")
    }
    do throws(JournalError) {
      let tables = try JournalReader(path: parsed.operands[0]).tables()
      for line in lines(for: tables) { Console.say(line) }
    } catch {
      Console.refuse(command.name, "\(error)")
    }
    Console.end(.success)
  }

  /// Aligned columns under their headings.
  static func lines(for tables: [TableSummary]) -> [String] {
    guard !tables.isEmpty else { return ["no tables"] }
    var rows = [["TABLE", "TYPE", "REVISION", "FROM", "RECORDS", "SNAPSHOTS", "BYTES"]]
    for table in tables {
      rows.append([
        Printable.text(table.name), Printable.text(table.typeText), "\(table.revision.rawValue)",
        "\(table.oldestRevision.rawValue)", "\(table.records)", "\(table.snapshots)", "\(table.bytes)",
      ])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return column < 2 ? row[column] + space : space + row[column]
      }.joined(separator: "  ")
    }
  }
}
