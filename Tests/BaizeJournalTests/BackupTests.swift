import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTableTypes
import Foundation
import Testing

@testable import BaizeJournal
@testable import baized

/// Copies of a journal that is in use (I7: a restored copy has everything that was durable when it began).
@Suite struct BackupTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func played(_ journal: SQLiteJournal, turns: Int = 40) throws -> JournalledShard {
    var shard = JournalledShard(journal, seed: 3)
    try shard.join("patience", type: "klondike", name: "Ada")
    try shard.join("board", type: "kanban?columns=fixed&cards=8", name: "Bo")
    try shard.play(turns: turns)
    return shard
  }

  @Test func `a copy beside its writer is a complete journal`() throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    var shard = try Self.played(journal)
    let states = [shard.state(of: "patience"), shard.state(of: "board")].map { $0?.revision }
    let contents = try JournalBackup.copy(folder.path("journal"), to: folder.path("copy"))
    // The writer goes on, and the copy does not have that.
    try shard.play(turns: 20)
    #expect(contents.tables == 2 && contents.records > 20 && contents.snapshots > 2)
    #expect(try Self.revisions(folder.path("copy")) == states)
    // A journal like any other: it can be continued.
    do { _ = try SQLiteJournal(path: folder.path("copy")) }
    #expect(try Self.revisions(folder.path("copy")) == states)
    #expect(shard.state(of: "board")?.revision != states[1])
    #expect(try !folder.names().contains("copy.partial"))
  }

  /// Replays every table of a journal.
  private static func revisions(_ path: String) throws -> [Revision?] {
    let reader = try JournalReader(path: path)
    return try ["patience", "board"].map { name in
      let history = try #require(try reader.history(ofTable: name))
      var replay = Replay(history, types: TableTypeCompiler.shared) { _ in }
      try replay.run()
      return replay.revision
    }
  }

  @Test func `only the owner can read a copy, and none replaces a file`() throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit(Writes.table("a"))
    _ = try JournalBackup.copy(folder.path("journal"), to: folder.path("copy"))
    var status = stat()
    #expect(stat(folder.path("copy"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    let before = try folder.bytes("copy")
    refused("replaces nothing") { () throws(JournalError) in
      _ = try JournalBackup.copy(folder.path("journal"), to: folder.path("copy"))
    }
    #expect(try folder.bytes("copy") == before)
    withExtendedLifetime(journal) {}
  }

  /// What a killed backup has left is written again; what another one is writing is not.
  @Test func `an abandoned partial copy is taken over, and one in progress is not`() throws {
    do { try SQLiteJournal(path: folder.path("journal")).commit(Writes.table("a")) }
    try folder.write(Array("half of a copy".utf8), to: "copy.partial")
    let other = open(folder.path("copy.partial"), O_RDONLY)
    #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    refused("another backup writes") { () throws(JournalError) in
      _ = try JournalBackup.copy(folder.path("journal"), to: folder.path("copy"))
    }
    close(other)
    #expect(try JournalBackup.copy(folder.path("journal"), to: folder.path("copy")).tables == 1)
    #expect(try folder.names() == ["copy", "journal"])
  }

  @Test func `a damaged journal gives no copy`() throws {
    do {
      let journal = try SQLiteJournal(path: folder.path("journal"))
      try journal.commit(Writes.table("a"))
      try journal.database.run("UPDATE parts SET checksum = checksum + 1")
    }
    #expect(throws: JournalError.self) {
      _ = try JournalBackup.copy(folder.path("journal"), to: folder.path("copy"))
    }
    #expect(try folder.names() == ["journal"])
  }

  @Test func `deleted rows are in no copy`() throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit(Writes.table("a"))
    let text = "a face that was deleted"
    try journal.database.run("INSERT INTO probe VALUES (7, '\(text)'); DELETE FROM probe")
    _ = try JournalBackup.copy(folder.path("journal"), to: folder.path("copy"))
    #expect(try Data(folder.bytes("copy")).range(of: Data(text.utf8)) == nil)
    withExtendedLifetime(journal) {}
  }

  @Test func `commands read the journal of a running daemon as it was when they began`() throws {
    let journal = try SQLiteJournal(path: folder.path("journal"))
    var shard = try Self.played(journal)
    let revision = shard.state(of: "patience")?.revision
    let reader = try JournalReader(path: folder.path("journal"))
    try shard.play(turns: 10)
    var replay = Replay(try #require(try reader.history(ofTable: "patience")), types: TableTypeCompiler.shared) { _ in }
    try replay.run()
    #expect(replay.revision == revision)
  }
}
