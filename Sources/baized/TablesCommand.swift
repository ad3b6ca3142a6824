import BaizeCommandLine
import BaizeJournal
import BaizeSync
import BaizeTable

/// `baized tables`: lists the tables in a journal.
enum TablesCommand {
  static let command = Command(
    "baized tables", summary: "Lists the tables in a journal.",
    usage: ["FILE", "--admin HOST:PORT"], operands: "FILE", sections: [.running],
    notes: [
      "Each line is a table: name, type, last revision, oldest revision, the number of records and snapshots, and their "
        + "size in bytes. The file is not changed; a daemon may use it meanwhile.",
      "The exit code is 0, or 2 if the file cannot be used.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    let (file, _, _) = command.journal(parsed, with: 0...0, expected: "one file")
    do throws(JournalError) {
      let tables = try JournalReader(path: file).tables()
      for line in lines(for: tables) { Console.print(line) }
    } catch {
      Console.refuse(command.name, "\(error)")
    }
    Console.end(.success)
  }

  /// Returns the tables as aligned columns with headings.
  static func lines(for tables: [TableSummary]) -> [String] {
    guard !tables.isEmpty else { return ["no tables"] }
    var rows = [["TABLE", "TYPE", "REVISION", "FROM", "RECORDS", "SNAPSHOTS", "BYTES"]]
    for table in tables {
      rows.append([
        table.name.printable(), table.typeText.printable(), "\(table.revision.rawValue)",
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
