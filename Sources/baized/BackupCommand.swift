import BaizeCommandLine
import BaizeJournal
import BaizeSync

/// `baized backup`: copies a journal, also that of a running daemon.
enum BackupCommand {
  static let command = Command(
    "baized backup",
    summary: "Copies a journal to a new file and checks the copy. A daemon that uses the journal goes on meanwhile.",
    usage: ["FILE COPY", "--admin HOST:PORT COPY"], operands: "FILE COPY", sections: [.running],
    notes: [
      "The copy has everything that was durable when it began. It holds every face and every token, like the journal: only its "
        + "owner can read it. A file that exists is never overwritten, and the copy gets its name when it is complete, "
        + "checked and durable. To restore it, start baized with it, or check it further with 'baized replay COPY'.",
      "The exit code is 0, 1 if the copy fails, and 2 if one of the files cannot be used.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    let (file, operands, _) = command.journal(parsed, with: 1...1, expected: "a journal and a new file")
    guard JournalLocation(file) != .postgres else {
      Console.refuse(
        command.name, "a journal in PostgreSQL is backed up by pg_dump, or copied to a file by 'baized copy'")
    }
    do throws(JournalError) {
      let contents = try JournalBackup.copy(file, to: operands[0])
      Console.print(
        "\(contents.tables) tables, \(contents.records) records, \(contents.snapshots) snapshots, \(contents.bytes) bytes: "
          + "copied to '\(operands[0])' and checked")
    } catch {
      command.end(error)
    }
    Console.end(.success)
  }
}
