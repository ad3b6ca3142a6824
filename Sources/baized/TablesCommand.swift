import BaizeCommandLine
import BaizeJournal
import BaizeSync
import BaizeTable
import BaizeTableTypes

/// `baized tables`: lists the tables in a journal.
enum TablesCommand {
  static let command = Command(
    "baized tables", summary: "Lists the tables in a journal.",
    usage: ["FILE [OPTIONS]", "--admin HOST:PORT [OPTIONS]"], operands: "FILE",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption(
            "--types", "DIR",
            "Adds the table types in DIR to the bundled ones, with which the tables' documents are compared.",
            standard: "none")
        ]), .running,
    ],
    notes: [
      "Each line is a table: name, type, last revision, oldest revision, the number of records and snapshots, and their "
        + "size in bytes; and 'older' if its type has another document now ('baized migrate'), or 'gone' if there is no type of "
        + "its name. The file is not changed; a daemon may use it meanwhile.",
      "The exit code is 0, or 2 if the file cannot be used.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    let (file, _, _) = command.journal(parsed, with: 0...0, expected: "one file")
    do throws(JournalError) {
      let journal = try JournalLocation(file).openForReading()
      let types = command.types(parsed)
      for line in try lines(of: journal, comparedWith: types) { Console.print(line) }
    } catch {
      Console.refuse(command.name, "\(error)")
    }
    Console.end(.success)
  }

  /// Returns the tables as aligned columns with headings.
  static func lines(
    of journal: any StoredJournal, comparedWith types: TableTypeLibrary
  ) throws(JournalError) -> [String] {
    let tables = try journal.tables()
    guard !tables.isEmpty else { return ["no tables"] }
    var rows = [["TABLE", "TYPE", "REVISION", "FROM", "RECORDS", "SNAPSHOTS", "BYTES", "DOCUMENT"]]
    for table in tables {
      guard let definition = try journal.definition(ofTable: table.name) else { continue }
      rows.append([
        table.name.printable(), definition.typeText.printable(), "\(table.revision.rawValue)",
        "\(table.oldestRevision.rawValue)", "\(table.records)", "\(table.snapshots)", "\(table.bytes)",
        age(of: definition, types),
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

  /// Returns how a table's document compares with the present one of its type.
  private static func age(of table: TableDefinition, _ types: TableTypeLibrary) -> String {
    guard let present = types[String(table.typeText.prefix { $0 != "?" })] else { return "gone" }
    return present.text == table.document ? "present" : "older"
  }
}
