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
        try await withServer({ ($0.journal, $0.expiry) = (.file(path), ExpiryRule(days: 1_000)) }) { server in
          _ = try BlockingClient.joining(server.address, Self.hello(table))
        }
      }
      try await create("old")
      do {
        let hours = Atomic<Int64>(0)
        let journal = try SQLiteJournal(path: path, expiry: ExpiryRule(days: 1_000)) {
          hours.load(ordering: .relaxed) * 3_600
        }
        for _ in 0..<(40 * 24) {
          hours.add(1, ordering: .relaxed)
          #expect(try journal.expire().names.isEmpty)
        }
      }
      try await create("new")
      func run(_ arguments: [String], until isDone: (ChildProcess) throws -> Bool) throws -> String {
        let daemon = try ChildProcess.daemon(journal: path, logLevel: "info", arguments: arguments)
        try waitUntil(for: "the search", step: { usleep(20_000) }) { try isDone(daemon) }
        #expect(daemon.stop() == 0)
        return daemon.errors
      }
      let named = try run(["--expire", "30", "--expire-dry-run"]) { $0.errors.contains("would be deleted") }
      #expect(named.contains("\"old\"") && !named.contains("\"new\""))
      #expect(try JournalReader(path: path).names() == ["new", "old"])
      let deleted = try run(["--expire", "30"]) { _ in try JournalReader(path: path).names() == ["new"] }
      #expect(deleted.contains("is deleted: nobody has used it"))
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

  func expire() -> ExpiredTables {
    searches.count.add(1, ordering: .relaxed)
    return ExpiredTables(names: [table], hasMore: true)
  }
}
