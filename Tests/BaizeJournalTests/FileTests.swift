import BaizeLaboratory
import BaizeSync
import BaizeTable
import Foundation
import Testing

@testable import BaizeJournal

/// Opening files: a journal refuses foreign ones with one clear sentence and changes no byte.
@Suite struct FileTests {
  /// The kinds of files that are refused.
  enum Foreign: String, CaseIterable {
    case text
    case zeros
    case shortHeader
    case otherDatabase
    case anotherProgramsDatabase
    case olderFormat
    case newerFormat

    func make(_ scratch: TemporaryFolder) throws {
      switch self {
      case .text: try scratch.write(Array("my notes\n".utf8), to: "file")
      case .zeros: try scratch.write([UInt8](repeating: 0, count: 8192), to: "file")
      case .shortHeader: try scratch.write(Array("SQLite format 3\0".utf8), to: "file")
      case .otherDatabase: try database(scratch, "CREATE TABLE notes (text)")
      case .anotherProgramsDatabase: try database(scratch, "PRAGMA application_id = 7; CREATE TABLE log (id)")
      case .olderFormat: try database(scratch, JournalFormat.schema + "; PRAGMA user_version = 1")
      case .newerFormat: try database(scratch, JournalFormat.schema + "; PRAGMA user_version = 4")
      }
    }

    private func database(_ scratch: TemporaryFolder, _ sql: String) throws {
      try scratch.write([], to: "file")
      try Database(scratch.path("file"), .writing).run(sql)
    }

    var sentence: String {
      switch self {
      case .text, .zeros, .shortHeader: "is not a journal of Baize"
      case .otherDatabase, .anotherProgramsDatabase: "is an SQLite file of another program"
      case .olderFormat: "has format 1, and this baized reads format 3"
      case .newerFormat: "has format 4, and this baized reads format 3"
      }
    }
  }

  @Test(arguments: Foreign.allCases)
  func `a file that is not a journal is refused and stays as it is`(foreign: Foreign) throws {
    let scratch = try TemporaryFolder()
    try foreign.make(scratch)
    let before = try scratch.bytes("file")
    refused(foreign.sentence) { () throws(JournalError) in _ = try SQLiteJournal(path: scratch.path("file")) }
    refused(foreign.sentence) { () throws(JournalError) in _ = try JournalReader(path: scratch.path("file")) }
    #expect(try scratch.bytes("file") == before)
    #expect(try scratch.names() == ["file"])
  }

  /// I8: the memory for a journal is bounded, however long the file is, whether new or existing.
  @Test func `the memory of a journal is bounded`() throws {
    let scratch = try TemporaryFolder()
    let bound = JournalFile.writingCacheKibibytes << 10
    var number: UInt64 = 0
    for _ in 1...2 {
      let journal = try SQLiteJournal(path: scratch.path("file"))
      if number == 0 { try journal.commit(Writes.table("t")) }
      var written = 0
      while written < 2 * bound {
        let batch = (1...8).map { Writes.record("t", number + $0, bytes: 256 << 10) }
        try journal.commit(batch)
        number += 8
        written += 8 * 256 << 10
      }
      // One page more than the bound, and SQLite's overhead per page.
      #expect(journal.database.cacheBytes < bound + bound / 8)
    }
  }

  /// Another program's uncommitted write-ahead log must not be recovered either.
  @Test func `a foreign database's log is not recovered`() throws {
    let scratch = try TemporaryFolder()
    try scratch.write([], to: "file")
    do {
      let database = try Database(scratch.path("file"), .writing)
      try database.run("PRAGMA journal_mode = WAL; CREATE TABLE notes (text); INSERT INTO notes VALUES ('x')")
      database.checkpointsOnClose(false)
    }
    let log = try scratch.bytes("file-wal")
    #expect(log.count > 4096)
    refused("is an SQLite file of another program") { () throws(JournalError) in
      _ = try SQLiteJournal(path: scratch.path("file"))
    }
    #expect(try scratch.bytes("file-wal") == log)
  }

  @Test func `a path that cannot be a journal is refused, and nothing is created`() throws {
    let scratch = try TemporaryFolder()
    refused("is a directory") { () throws(JournalError) in _ = try SQLiteJournal(path: scratch.url.path) }
    refused("No such file or directory") { () throws(JournalError) in
      _ = try SQLiteJournal(path: scratch.path("nowhere/journal"))
    }
    refused("is not a file") { () throws(JournalError) in _ = try SQLiteJournal(path: "/dev/null") }
    refused("No such file or directory") { () throws(JournalError) in
      _ = try JournalReader(path: scratch.path("journal"))
    }
    refused("cannot be created") { () throws(JournalError) in _ = try SQLiteJournal(path: "") }
    #expect(try scratch.names() == [])
  }

  @Test func `an empty file becomes a journal for a writer and is refused by a reader`() throws {
    let scratch = try TemporaryFolder()
    try scratch.write([], to: "journal")
    refused("is empty") { () throws(JournalError) in _ = try JournalReader(path: scratch.path("journal")) }
    #expect(try scratch.length("journal") == 0)
    do { _ = try SQLiteJournal(path: scratch.path("journal")) }
    #expect(try JournalReader(path: scratch.path("journal")).tables() == [])
  }

  @Test func `only the owner may read what a journal writes`() throws {
    let scratch = try TemporaryFolder()
    let journal = try SQLiteJournal(path: scratch.path("journal"))
    try journal.commit(Writes.table("a"))
    for name in try scratch.names() {
      let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path(name))
      #expect(attributes[.posixPermissions] as? NSNumber == 0o600, "\(name)")
    }
    #expect(try scratch.names() == ["journal", "journal-shm", "journal-wal"])
  }

  /// SQLite gives these names a special meaning.
  @Test(arguments: ["file:journal", "a?mode=memory", "50%41#x", "ü ☂ 'x'", ":memory:x"])
  func `a journal file may have any name`(name: String) throws {
    let scratch = try TemporaryFolder()
    do {
      let journal = try SQLiteJournal(path: scratch.path(name))
      try journal.commit(Writes.table("a"))
    }
    #expect(try scratch.names() == [name])
    #expect(try JournalReader(path: scratch.path(name)).tables().map(\.name) == ["a"])
  }

  // MARK: Locks and permissions

  @Test func `a file is used by one journal at a time`() throws {
    let scratch = try TemporaryFolder()
    do {
      let journal = try SQLiteJournal(path: scratch.path("journal"))
      refused("is in use") { () throws(JournalError) in _ = try SQLiteJournal(path: scratch.path("journal")) }
      #expect(try JournalReader(path: scratch.path("journal")).tables().isEmpty)
      try journal.commit(Writes.table("a"))
      refused("is in use") { () throws(JournalError) in _ = try SQLiteJournal(path: scratch.path("journal")) }
      #expect(try JournalReader(path: scratch.path("journal")).tables().count == 1)
    }
    let reader = try JournalReader(path: scratch.path("journal"))
    _ = try JournalReader(path: scratch.path("journal"))
    refused("is in use") { () throws(JournalError) in _ = try SQLiteJournal(path: scratch.path("journal")) }
    #expect(try reader.tables().count == 1)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everything"))
  func `a file or a directory that may not be written`() throws {
    let scratch = try TemporaryFolder()
    do { _ = try SQLiteJournal(path: scratch.path("journal")) }
    chmod(scratch.path("journal"), 0o400)
    refused("is not writable") { () throws(JournalError) in _ = try SQLiteJournal(path: scratch.path("journal")) }
    #expect(try JournalReader(path: scratch.path("journal")).tables() == [])
    chmod(scratch.path("journal"), 0o600)
    chmod(scratch.url.path, 0o500)
    defer { chmod(scratch.url.path, 0o700) }
    refused("in the same directory") { () throws(JournalError) in _ = try SQLiteJournal(path: scratch.path("journal")) }
    refused("cannot be created") { () throws(JournalError) in _ = try SQLiteJournal(path: scratch.path("new")) }
    #expect(try JournalReader(path: scratch.path("journal")).tables() == [])
  }

  // MARK: Reading

  @Test func `a reader changes nothing after a clean or unclean end of the writer`() throws {
    let scratch = try TemporaryFolder()
    do {
      let journal = try SQLiteJournal(path: scratch.path("journal"))
      try journal.commit(Writes.table("a") + [Writes.record("a", 1)])
      // The files that a killed daemon leaves.
      try scratch.write(scratch.bytes("journal"), to: "killed")
      try scratch.write(scratch.bytes("journal-wal"), to: "killed-wal")
    }
    for name in ["journal", "killed"] {
      let files = try scratch.names()
      let before = try files.map(scratch.bytes)
      do {
        let reader = try JournalReader(path: scratch.path(name))
        #expect(try reader.tables().map(\.records) == [1])
        #expect(try reader.history(ofTable: "b") == nil)
        let history = try #require(try reader.history(ofTable: "a"))
        var steps = 0
        while try history.next() != nil { steps += 1 }
        #expect(steps == 2)
        #expect(try scratch.names() == files)
      }
      #expect(try scratch.names() == files)
      #expect(try files.map(scratch.bytes) == before)
    }
  }
}
