import BaizeCommandLine
import BaizeJournal
import BaizeSync
import BaizeTable
import BaizeTableTypes

/// `baized copy`: copies all tables from one journal to another, between a file and PostgreSQL.
enum CopyCommand {
  static let command = Command(
    "baized copy",
    summary:
      "Copies all tables, with their histories, invites and sessions, and what is revoked of signed tokens, from a journal to an "
      + "empty one of any kind.",
    usage: ["FROM TO"], operands: "FROM TO", sections: [],
    notes: [
      "FROM and TO are files, or '\(JournalLocation.postgresWord)' for the database that PGHOST, PGDATABASE and the other variables "
        + "of libpq name. Each table is read again from TO, and must have the same contents. Of a daemon that runs meanwhile, FROM is "
        + "as it was at the start: to move, stop the daemon first.",
      "The exit code is 0, 1 if the copy fails, and 2 if one of the journals cannot be used.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    guard parsed.operands.count == 2 else {
      Console.refuse(command.name, "expected two journals (see \(command.name) --help)")
    }
    let (from, to) = (JournalLocation(parsed.operands[0]), JournalLocation(parsed.operands[1]))
    guard from != to else { Console.refuse(command.name, "both journals are '\(from)'") }
    do throws(JournalError) {
      let source = try from.openForReading()
      let target = try to.open()
      let contents = try JournalCopy.copy(source, to: target)
      guard try source.revocations() == target.revocations() else {
        throw JournalError(.corrupt, "the copy has other revocations of signed tokens")
      }
      for name in try source.names() { try compare(source.table(named: name), target.table(named: name), name) }
      Console.print(
        "\(contents.tables) tables, \(contents.records) records, \(contents.snapshots) snapshots, \(contents.bytes) bytes: "
          + "copied to '\(to)', with equal hashes")
    } catch {
      command.end(error)
    }
    Console.end(.success)
  }

  private static func compare(_ source: StoredTable?, _ copy: StoredTable?, _ name: String) throws(JournalError) {
    guard let source, let copy else { throw JournalError(.corrupt, "the copy has no table '\(name)'") }
    var original = try RestoredTable(source, types: TableTypeCompiler.shared)
    var copied = try RestoredTable(copy, types: TableTypeCompiler.shared)
    guard original.viewHash() == copied.viewHash(), original.epoch == copied.epoch else {
      throw JournalError(.corrupt, "the copy of table '\(name)' has other contents")
    }
  }
}
