import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import TestSupport
import Testing

@testable import BaizeServer

/// What a shard does with the journal's readings and reports.
@Suite(.hangGuard) struct TableLoaderTests {
  /// A journal with one table.
  private static func journal(with table: String) throws -> MemoryJournal {
    let journal = MemoryJournal()
    let host = ShardHost(ShardHostOptions(), journal)
    let now = Instant(nanoseconds: 0)
    let connection = host.connect(slot: 0, at: now)
    host.receive(.hello(Hello(table: table, tableType: "list?items=3")), on: connection, at: now)
    try host.settle(at: now)
    return journal
  }

  /// Loads a table as a shard does.
  ///
  /// - Returns: What the shard receives, the log, and the number of tables loaded.
  private func load(
    _ name: String, memoryBytesMax: Int = 1 << 30, _ reading: Result<TableReading, JournalError>
  ) async throws -> (answer: String, log: [String], count: Int) {
    let lines = LogLines()
    var configuration = ServerConfiguration()
    configuration.log = Log(.warning) { lines.append($0) }
    let (endpoint, workers) = (try ShardEndpoint(index: 0), try TableWorkers())
    defer { workers.stop() }
    let monitor = JournalMonitor(configuration.log)
    let account = MemoryAccount(bytesMax: memoryBytesMax, shards: 1, log: configuration.log)
    let loader = TableLoader(endpoint, configuration, workers, account, monitor)
    loader.load(name, bytesMax: .max, mayMigrate: false).answer(reading)
    var mail: [ShardMessage] = []
    #expect(
      try await eventually {
        endpoint.mailbox.drain(into: &mail)
        return !mail.isEmpty
      })
    guard case .loaded(name, let result)? = mail.first else { return ("something else", lines.all, 0) }
    let answer = Result { try result.get().map { "table of \($0.state.itemCount) items" } ?? "none" }
    return (try answer.get(), lines.all, monitor.statistics.tablesLoaded)
  }

  @Test func `a table is read, decoded and counted`() async throws {
    let journal = try Self.journal(with: "a")
    #expect(try await load("a", .success(journal.reading(tableNamed: "a"))) == ("table of 3 items", [], 1))
    #expect(try await load("b", .success(journal.reading(tableNamed: "b"))) == ("none", [], 0))
    let error = JournalError(.corrupt, "a page is broken")
    await #expect(throws: error) { _ = try await load("a", .failure(error)) }
  }

  @Test func `I8: a table is charged while it is decoded`() async throws {
    let journal = try Self.journal(with: "a")
    let (answer, log, _) = try await load("a", memoryBytesMax: 100, .success(journal.reading(tableNamed: "a")))
    #expect(answer == "table of 3 items" && log.count == 1)
    #expect(log.first?.contains("are charged, so that the connections that use the most are disconnected") == true)
  }

  @Test func `what the journal reports is counted, and logged once`() {
    let lines = LogLines()
    let monitor = JournalMonitor(Log(.info) { lines.append($0) })
    let full = JournalError(.storage, "there is no room")
    monitor.receive(.committed(turns: 2, writes: 3, bytes: 40, nanoseconds: 5_000))
    monitor.receive(.failed(full, mayPass: true))
    #expect(monitor.statistics.isFailing && monitor.statistics.failures == 1 && lines.all.count == 1)
    monitor.receive(.recovered)
    #expect(!monitor.statistics.isFailing && !monitor.hasLost)
    monitor.receive(.lost)
    #expect(monitor.hasLost)
    monitor.receive(.failed(full, mayPass: false))
    monitor.receive(.ended(unwritten: 3))
    let (statistics, sentence) = (monitor.statistics, "the journal cannot be written, so no operation is judged")
    #expect(statistics.commits == 1 && statistics.turns == 2 && statistics.rows == 3 && statistics.bytes == 40)
    #expect(statistics.commitDurations.count == 1 && statistics.failures == 2)
    // Without the times.
    #expect(
      lines.all.map { String($0.drop { $0 != " " }.dropFirst().dropLast()) } == [
        "error: \(sentence) until it can: \(full)", "warning: the journal can be written again",
        "error: \(sentence) any more, until the daemon is started again: \(full)",
        "error: 3 turns could not be written to the journal before the end", "info: journal: \(statistics)",
      ])
  }
}
