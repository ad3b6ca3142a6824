import BaizeLaboratory
import BaizeSync
import BaizeTable
import Foundation
import Testing

@testable import BaizeJournal

/// Killed processes and full disks, each in its own process.
@Suite(.serialized) struct CrashTests {
  /// A process that commits turn after turn and reports each is killed at a random moment. All reported turns are durable,
  /// and at most one further turn is (I7).
  @Test(arguments: 1...8)
  func `a killed process loses nothing that it reported as committed`(round: Int) async throws {
    let scratch = try TemporaryFolder()
    let folder = scratch.url.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
      let journal = try SQLiteJournal(path: folder + "/journal", keepRevisions: 20)
      let names = ["a", "b", "c"]
      try journal.commit(names.flatMap { Writes.table($0) })
      let report = open(folder + "/report", O_CREAT | O_WRONLY, 0o600)
      Thread.detachNewThread {
        usleep(UInt32.random(in: 5_000...150_000))
        kill(getpid(), SIGKILL)
      }
      var number: UInt64 = 0
      while true {
        number += 1
        try journal.commit(
          names.flatMap { name in
            [Writes.record(name, number, bytes: 300)]
              + (number % 9 == 0 ? [Writes.snapshot(name, record: number, revision: number)] : [])
          })
        pwrite(report, &number, 8, 0)
      }
    }
    let reported = try scratch.bytes("report").withUnsafeBytes { $0.isEmpty ? 0 : $0.loadUnaligned(as: UInt64.self) }
    let journal = try SQLiteJournal(path: scratch.path("journal"), keepRevisions: 20)
    for name in ["a", "b", "c"] {
      let stored = try #require(try journal.table(named: name))
      let last = stored.records.last?.number ?? stored.snapshot.last?.record ?? 0
      #expect(last == reported || last == reported + 1, "table \(name), round \(round)")
      #expect(stored.snapshot.last?.record == last / 9 * 9)
      #expect(stored.records.map(\.number) == Array(last / 9 * 9 + 1..<last + 1))
      try journal.commit([Writes.record(name, last + 1)])
    }
  }

  /// The disk becomes full during commits and has room again later: no commit is stored in part, failed commits can be
  /// repeated, and reading continues meanwhile.
  @Test func `a full disk and its recovery`() async throws {
    let scratch = try TemporaryFolder()
    let folder = scratch.url.path
    await #expect(processExitsWith: .success) { [folder = folder as String] in
      signal(SIGXFSZ, SIG_IGN)
      let journal = try SQLiteJournal(path: folder + "/journal", keepRevisions: 20)
      try journal.commit(Writes.table("a"))
      var number: UInt64 = 0
      for fileBytesMax in [100_000, 300_000, 700_000] {
        Self.limitFiles(to: fileBytesMax)
        var failure: JournalError?
        var writes: [JournalWrite] = []
        while failure == nil, number < 5000 {
          writes = [Writes.record("a", number + 1, bytes: 3000)]
          if number % 100 == 0 { writes.append(Writes.snapshot("a", record: number + 1, revision: number + 1)) }
          do throws(JournalError) {
            try journal.commit(writes)
            number += 1
          } catch {
            failure = error
          }
        }
        guard let failure else { exit(1) }
        guard failure.kind == .storage else { exit(2) }
        // Writes fail for longer; reads continue.
        guard (try? journal.probe()) == nil else { exit(3) }
        let stored = try journal.table(named: "a")
        guard (stored?.records.last?.number ?? stored?.snapshot.last?.record) == number else { exit(4) }
        Self.limitFiles(to: nil)
        try journal.probe()
        // A relaxed host keeps the failed writes; a strict one discards them.
        if fileBytesMax == 300_000 {
          try journal.commit(writes)
          number += 1
        }
        guard let again = try journal.table(named: "a") else { exit(5) }
        guard (again.records.last?.number ?? again.snapshot.last?.record) == number else { exit(6) }
      }
      exit(0)
    }
    #expect(try JournalReader(path: scratch.path("journal")).tables().map(\.name) == ["a"])
  }

  /// Limits the size of this process's files, so that a write beyond it fails midway.
  private static func limitFiles(to bytes: Int?) {
    #if canImport(Darwin)
      let resource = RLIMIT_FSIZE
    #else
      let resource = Int32(bitPattern: RLIMIT_FSIZE.rawValue)
    #endif
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = bytes.map { rlim_t($0) } ?? limit.rlim_max
    setrlimit(resource, &limit)
  }

  /// After an invalid write its whole turn is void.
  @Test(arguments: [
    [Writes.record("a", 9)], [Writes.record("b", 1)], Writes.table("a"),
    [Writes.snapshot("a", record: 2, revision: 2, part: 1)], [Writes.snapshot("a", record: 9, revision: 9)],
  ])
  func `an invalid write is refused`(write: [JournalWrite]) throws {
    let folder = try TemporaryFolder()
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit(Writes.table("a") + [Writes.record("a", 1)])
    let error = #expect(throws: JournalError.self) { try journal.commit([Writes.record("a", 2)] + write) }
    #expect(error?.kind == .corrupt)
    #expect(error?.description.contains("refuses a write") == true)
    #expect(try journal.table(named: "a")?.summary == "s0.0 r1")
    try journal.commit([Writes.record("a", 2)])
    #expect(try journal.table(named: "a")?.summary == "s0.0 r1 r2")
  }

  /// The same when SQLite itself reports that there is no room.
  @Test func `a full database refuses commits`() throws {
    let folder = try TemporaryFolder()
    let journal = try SQLiteJournal(path: folder.path("journal"))
    try journal.commit(Writes.table("a"))
    try journal.database.run("PRAGMA max_page_count = 40")
    var number: UInt64 = 0
    var failure: JournalError?
    while failure == nil {
      do throws(JournalError) {
        try journal.commit([Writes.record("a", number + 1, bytes: 3000)])
        number += 1
      } catch {
        failure = error
      }
    }
    #expect(failure?.kind == .storage)
    #expect(failure?.description.contains("the disk has no room for the journal") == true)
    #expect(try journal.table(named: "a")?.records.count == Int(number))
    let next = [Writes.record("a", number + 1, bytes: 3000)]
    #expect(throws: JournalError.self) { try journal.commit(next) }
    try journal.database.run("PRAGMA max_page_count = 1000")
    try journal.commit(next)
    #expect(try journal.table(named: "a")?.records.count == Int(number) + 1)
  }
}
