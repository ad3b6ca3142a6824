import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

@testable import BaizeServer

extension ServerTests {
  /// The daemon over a journal whose disk the test controls.
  @Suite struct JournalServing {
    private static let full = JournalError(.storage, "there is no room on the disk")
    private static let list = Hello(table: "list", tableType: "list?items=3")

    @Test func `under strict nothing is sent before it is committed`() async throws {
      let script = JournalScript()
      try await withJournal(script) { server in
        let (client, joined) = try server.join("list")
        for number in 1...5 as ClosedRange<UInt64> {
          script.shut()
          client.send(joined.move(joined.items[Int(number % 3)], number: number))
          #expect(try await eventually { script.isWaiting })
          #expect(try !client.available().contains { $0.diff != nil }, "I7: seen before it was durable")
          script.release()
          #expect(try client.diff()?.sequence.rawValue == number)
        }
      }
    }

    @Test func `under relaxed a diff does not wait, but the welcome to a new table does`() async throws {
      let script = JournalScript()
      try await withJournal(script, { $0.durability = .relaxed }) { server in
        let client = try BlockingClient(server.address)
        script.shut()
        client.send(.hello(Self.list))
        #expect(try await eventually { script.isWaiting })
        #expect(try client.available().isEmpty)
        script.release()
        let joined = try client.joined()
        script.shut()
        client.send(joined.move(joined.items[0], number: 1))
        #expect(try client.diff()?.sequence.rawValue == 1)
        #expect(script.commits.flatMap(\.self).count(where: \.isRecord) < 2, "it is not durable yet")
        script.release()
      }
      #expect(script.commits.flatMap(\.self).count(where: \.isRecord) >= 2, "a clean stop loses nothing")
    }

    @Test(arguments: [Durability.strict, .relaxed])
    func `operations get RETRY while the disk is full, reading continues, and writing resumes when there is room`(
      _ durability: Durability
    ) async throws {
      let script = JournalScript()
      try await withJournal(script, { $0.durability = durability }) { server in
        let player = try BlockingPlayer(server.address, table: "list", type: "list?items=3")
        let reader = try BlockingPlayer(server.address, table: "list", role: .spectator)
        player.insert("before")
        #expect(try player.run(until: { $0.answers.count == 1 }))
        script.fail(Self.full)
        player.insert("during")
        #expect(try player.run(until: { _ in server.statistics.journal.failures == 1 }))
        // The shard has received the failure when it answers.
        #expect(try reader.isLevel())
        player.insert("later")
        #expect(try player.run(until: { _ in server.statistics.operations.retried > 0 }))
        let seen = durability == .strict ? 4 : 5
        #expect(try reader.run(until: { $0.machine.isLive && $0.items.count == seen }))
        #expect(try player.run(until: { $0.answers.count == seen - 3 }) && reader.isLevel())
        script.fail(nil)
        #expect(try player.run(until: { $0.answers.count == 3 }))
        #expect(player.items.count == 6, "I3: each has its effect once")
        #expect(try reader.run(until: { $0.items.count == 6 }))
        #expect(try player.isLevel() && reader.isLevel(), "I1")
        #expect(server.statistics.journal.failures == 1)
      }
    }

    @Test func `an unused table is unloaded and loaded again`() async throws {
      let script = JournalScript()
      try await withJournal(script) {
        $0.limits.tables.unloadSeconds = 0
        $0.limits.sessions.graceSeconds = 0
      } _: { server in
        let player = try BlockingPlayer(server.address, table: "list", type: "list?items=3")
        let (watcher, _) = try server.join("other", "list")
        player.insert("kept")
        #expect(try player.run(until: { $0.answers.count == 1 }))
        // The statistics may be some milliseconds old: without this they could be from before the second table.
        #expect(try await eventually { server.statistics.tables == 2 })
        player.loseConnection()
        #expect(try await eventually { server.statistics.tables == 1 })
        #expect(try player.run(until: { $0.machine.isLive && $0.epoch > 1 }))
        #expect(player.items.count == 4)
        #expect(try player.isLevel(), "I1")
        #expect(try await eventually { server.statistics.journal.tablesLoaded == 1 })
        withExtendedLifetime(watcher) {}
      }
    }

    /// I8: what was published while the disk was slow is sent in one go, before anyone knows how much of it is read.
    @Test func `a connection with too many unread frames of a slow commit is closed`() async throws {
      let script = JournalScript()
      try await withJournal(script) {
        $0.shardCount = 1
        $0.unwrittenBytesMax = 256 << 20
        $0.unwrittenBusyBytes = 256 << 20
        $0.limits.allowFloods()
      } _: { server in
        let (author, joined) = try server.join("list", "list?items=1")
        let reader = try BlockingClient(server.address, receiveBufferBytes: 4096)
        try reader.join(Hello(table: "list", role: .spectator))
        #expect(try await eventually { server.statistics.connections == 2 })
        script.shut()
        let received = server.statistics.framesReceived
        author.send(joined.enlarge(texts: 14, number: 1))
        // Twice what may be queued, each with the whole face.
        let count = UInt64(2 * (SyncLimits().connections.outboxHardBytes + ServerLimits.queuedBeyondMarkMax) / 229_000)
        author.write(joined.pins(2...count + 1))
        #expect(try await eventually { server.statistics.framesReceived > received + Int(count) })
        script.release()
        #expect(try await eventually { server.statistics.connections < 2 })
        withExtendedLifetime((author, reader)) {}
      }
    }

    @Test func `I8: turns that are not written, and frames that nobody reads, are charged`() async throws {
      let script = JournalScript()
      try await withJournal(script) {
        $0.shardCount = 1
        $0.unwrittenBusyBytes = 256 << 20
        $0.limits.allowFloods()
      } _: { server in
        let author = try BlockingClient(server.address, receiveBufferBytes: 4096)
        let joined = try author.join(Hello(table: "list", tableType: "list?items=1"))
        let received = server.statistics.framesReceived
        script.shut()
        author.send(joined.enlarge(texts: 14, number: 1))
        author.write(joined.pins(2...30))
        #expect(try await eventually { server.statistics.framesReceived >= received + 30 })
        #expect(try await eventually { server.statistics.memory.unwritten > 1 << 20 })
        script.release()
        #expect(try await eventually { server.statistics.memory.outboxes > 1 << 20 })
        withExtendedLifetime(author) {}
      }
    }

    /// Unwritten turns must not fill the memory: peers wait instead.
    @Test func `a shard stops reading while its journal lags and resumes afterwards`() async throws {
      let script = JournalScript()
      try await withJournal(script) {
        $0.shardCount = 1
        $0.unwrittenBytesMax = 100_000
        $0.limits.sessions.operationsPerSecondMax = 0
      } _: { server in
        let (client, joined) = try server.join("list")
        script.shut()
        let text = String(repeating: "x", count: 1_000)
        let count = 1_000 as UInt64
        // The kernel has room for all of it.
        client.write(
          (1...count).flatMap { number in
            let note = Attribute("note", "\(number) \(text)")
            return joined.operation(
              .update(joined.items[0], attributes: [note], representations: []), number: number
            ).framed()
          })
        #expect(try await eventually { server.statistics.framesReceived > 10 })
        // The shard has made turns since, each of which reads from all sockets that it reads from.
        #expect(try await eventually { server.statistics.journalLagNanoseconds > 200_000_000 })
        let received = server.statistics.framesReceived
        #expect(received < 500, "\(received) frames were received while nothing was written")
        script.release()
        for number in 1...count {
          try #require(try client.first(\.answered) == number)
        }
      }
    }
  }
}

/// Runs a test against a daemon over a scripted journal.
private func withJournal(
  _ script: JournalScript, _ change: (inout ServerConfiguration) -> Void = { _ in },
  _ body: (Server) async throws -> Void
) async throws {
  try await withServer({
    $0.openStore = { script.open() }
    $0.journalRetryNanoseconds = 20_000_000
    $0.log = Log(.error, to: { _ in })
    change(&$0)
  }) { server in
    defer { script.release() }
    try await body(server)
  }
}

extension JournalWrite {
  fileprivate var isRecord: Bool { if case .record = self { true } else { false } }
}
