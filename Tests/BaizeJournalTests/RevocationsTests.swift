import BaizeLaboratory
import BaizeSync
import BaizeTable
import TestSupport
import Testing

@testable import BaizeJournal

/// The document of revocations (J23) in a journal's file.
@Suite(.dedicatedThreads) struct RevocationsTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("journal")
    try SQLiteJournal(path: path).commit(Writes.table("a") + [.revocations([1, 2, 3])])
  }

  private func refuses(_ words: String, _ body: () throws(JournalError) -> Void) {
    let error = #expect(throws: JournalError.self) { try body() }
    #expect(error?.kind == .corrupt && error?.description.contains(words) == true, "\(String(describing: error))")
  }

  @Test func `a damaged document is an error in words, and the rest can be read`() throws {
    for change in ["checksum = checksum + 1", "document = x'010204'"] {
      do { try SQLiteJournal(path: path).database.run("UPDATE revocations SET \(change)") }
      refuses("what is revoked of signed tokens") { () throws(JournalError) in
        _ = try SQLiteJournal(path: path).revocations()
      }
      refuses("what is revoked of signed tokens") { () throws(JournalError) in
        _ = try JournalReader(path: path).check()
      }
      #expect(try JournalReader(path: path).table(named: "a") != nil)
      try SQLiteJournal(path: path).commit([.revocations([1, 2, 3])])
      #expect(try JournalReader(path: path).revocations() == [1, 2, 3])
    }
  }

  @Test func `a document that is too large is not read`() throws {
    let most = ServerLimits.revocationBytesMax
    let document = [UInt8](repeating: 7, count: most + 1)
    try SQLiteJournal(path: path).commit([.revocations(document.dropLast())])
    #expect(try SQLiteJournal(path: path).revocations()?.count == most)
    try SQLiteJournal(path: path).commit([.revocations(document[...])])
    refuses("more than \(most) bytes") { () throws(JournalError) in
      _ = try SQLiteJournal(path: path).revocations()
    }
  }

  @Test func `a file from before has none, and gets a place for them when a daemon opens it`() throws {
    do { try SQLiteJournal(path: path).database.run("DROP TABLE revocations") }
    #expect(try JournalReader(path: path).check().tables == 1)
    #expect(try JournalReader(path: path).revocations() == nil)
    let journal = try SQLiteJournal(path: path)
    #expect(try journal.revocations() == nil)
    try journal.commit([.revocations([5])])
    #expect(try journal.revocations() == [5])
  }

  @Test func `a copy has them, and replaces none`() throws {
    let target = try SQLiteJournal(path: folder.path("target"))
    _ = try JournalCopy.copy(JournalReader(path: path), to: target)
    #expect(try target.revocations() == [1, 2, 3])
    let other = try SQLiteJournal(path: folder.path("other"))
    try other.commit([.revocations([4])])
    let error = #expect(throws: JournalError.self) { try JournalCopy.copy(JournalReader(path: path), to: other) }
    #expect(error?.kind == .unusable && error?.description.contains("revocations of its own") == true)
    #expect(try other.tableCount() == 0 && other.revocations() == [4])
    _ = try JournalBackup.copy(path, to: folder.path("backup"))
    #expect(try JournalReader(path: folder.path("backup")).revocations() == [1, 2, 3])
  }
}
