import BaizeDriver
import BaizeJournal
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeWire
import Foundation
import Synchronization
import Testing

@testable import BaizeServer

extension ServerTests {
  /// Tables that nobody uses, over a real daemon.
  @Suite struct Expiry {
    private static func hello(_ table: String) -> Hello { Hello(table: table, tableType: "list?items=3") }

    @Test func `baized deletes tables that nobody has used for so long`() async throws {
      let folder = try TemporaryFolder()
      let path = folder.path("journal")
      func create(_ table: String) async throws {
        try await withServer({ ($0.journal, $0.expireDays) = (.file(path), 1_000) }) { server in
          _ = try BlockingClient.joining(server.address, Self.hello(table))
        }
      }
      try await create("old")
      let date = Atomic<Int64>(SQLiteJournal.date)
      for _ in 0..<40 {
        date.add(1, ordering: .relaxed)
        let today = date.load(ordering: .relaxed)
        #expect(try SQLiteJournal(path: path, expireDays: 1_000, today: { today }).expire().names.isEmpty)
      }
      try await create("new")
      let daemon = try ChildProcess.daemon(journal: path, logLevel: "info", arguments: ["--expire", "30"])
      try waitUntil(for: "the deletion", step: { usleep(20_000) }) {
        try JournalReader(path: path).names() == ["new"]
      }
      #expect(daemon.stop() == 0)
      #expect(daemon.errors.contains("has expired"))
    }

    /// I7: with a journal in which the table always has expired.
    @Test func `a table in memory is kept`() async throws {
      let searches = Searches()
      try await withServer({ $0.openStore = { ExpiringJournal("t", searches) } }) { server in
        let (client, _) = try BlockingClient.joining(server.address, Self.hello("t"))
        let (before, deletions) = (
          searches.count.load(ordering: .relaxed), searches.deletions.load(ordering: .relaxed)
        )
        #expect(try await eventually { searches.count.load(ordering: .relaxed) > before + 3 })
        #expect(try client.ping(1) != nil)
        #expect(server.tableOperator.tables()?.map(\.name) == ["t"])
        #expect(searches.deletions.load(ordering: .relaxed) == deletions)
      }
    }
  }
}

private final class Searches: Sendable {
  let count = Atomic(0)
  /// The number of deletions that were committed.
  let deletions = Atomic(0)
}

private final class ExpiringJournal: JournalStore {
  private let memory = MemoryJournal()
  private let table: String
  private let searches: Searches

  init(_ table: String, _ searches: Searches) { (self.table, self.searches) = (table, searches) }

  func commit(_ writes: [JournalWrite]) throws(JournalError) {
    searches.deletions.add(writes.count { $0 == .deletion(table) }, ordering: .relaxed)
    try memory.commit(writes)
  }

  func probe() throws(JournalError) { try memory.probe() }
  func tableCount() -> Int { memory.tableCount() }
  func search() -> TableSearch { memory.search() }
  func table(named name: String) -> StoredTable? { memory.table(named: name) }

  func expire() -> (names: [String], hasMore: Bool) {
    searches.count.add(1, ordering: .relaxed)
    return ([table], true)
  }
}
