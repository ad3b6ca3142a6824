import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Synchronization
import Testing

@testable import BaizeServer

extension ServerTests {
  /// The end of a daemon, wanted or not.
  @Suite struct Stopping {
    @Test(arguments: SelectorKind.allCases)
    func `a clean stop tells everyone when to come back`(_ kind: SelectorKind) async throws {
      try await withServer({
        $0.selector = kind
        $0.shardCount = 3
      }) { server in
        let atTheDoor = try TestClient(server.address)
        let clients = try (0..<6).map { _ in try TestClient(server.address) }
        for (number, client) in clients.enumerated() {
          _ = try client.join(Hello(table: table(on: number % 3, of: 3), tableType: "list"))
        }
        let start = MonotonicClock.now()
        server.beginStop()
        for client in clients + [atTheDoor] {
          let goodbye = try client.goodbye()
          #expect(goodbye?.reason == .shutdown && goodbye?.isResumable == true)
          #expect(goodbye?.retryAfterMilliseconds == SyncLimits().returnMilliseconds)
          client.close()
        }
        await server.stop()
        #expect(MonotonicClock.now() - start < 2_000_000_000)
        #expect(throws: TestClient.Unreachable.self) { _ = try TestClient(server.address) }
        await server.stop()
      }
    }

    @Test func `a stop does not wait for those who do not read`() async throws {
      try await withServer { server in
        let client = try TestClient(server.address)
        _ = try client.join(Hello(table: "list", tableType: "list"))
        let start = MonotonicClock.now()
        await server.stop()
        #expect(MonotonicClock.now() - start < 4_000_000_000)
        #expect(try client.goodbye()?.reason == .shutdown)
      }
    }

    @Test func `a port in use is an error, and the next start is fine`() async throws {
      try await withServer { server in
        var configuration = ServerConfiguration()
        configuration.address = server.address
        await #expect(throws: SystemError.self) { try await Server.start(configuration) }
      }
    }

    @Test func `nothing is sent before it is committed`() async throws {
      let journal = JournalWitness()
      try await withServer({ $0.makeJournal = { _ in SlowJournal(journal) } }) { server in
        let client = try TestClient(server.address)
        let joined = try client.join(Hello(table: "list", tableType: "list?items=3"))
        for number in 1...5 as ClosedRange<UInt64> {
          client.send(joined.move(joined.items[Int(number % 3)], number: number))
          let diff = try client.diff()
          #expect(journal.committed(diff), "I7: \(String(describing: diff))")
        }
      }
    }

    @Test func `what cannot be committed is not sent, and the daemon ends`() async throws {
      let journal = JournalWitness()
      try await withServer({
        $0.makeJournal = { _ in SlowJournal(journal) }
        $0.log = Log(.error, to: { _ in })
      }) { server in
        let client = try TestClient(server.address)
        let joined = try client.join(Hello(table: "list", tableType: "list?items=3"))
        journal.breakDown()
        client.send(joined.move(joined.items[0], number: 1))
        let diff = try client.diff()
        #expect(diff == nil && client.hasEnded)
        await server.ended()
      }
    }
  }
}

/// What a test sees of the journals.
private final class JournalWitness: Sendable {
  private struct State {
    var revisions: Set<UInt64> = []
    var isBroken = false
  }

  private let state = Mutex(State())

  func committed(_ diff: Diff?) -> Bool {
    state.withLock { state in diff.map { state.revisions.contains($0.revision.rawValue) } ?? false }
  }

  func breakDown() { state.withLock { $0.isBroken = true } }

  func commit(_ entries: [JournalEntry]) throws {
    try state.withLock { state in
      if state.isBroken { throw SystemError(call: "fdatasync", errno: 28) }
      for case .diff(_, let diff) in entries { state.revisions.insert(diff.revision.rawValue) }
    }
  }
}

/// A journal whose disk takes its time.
private final class SlowJournal: Journal {
  private let witness: JournalWitness
  private var appended: [JournalEntry] = []
  private var last = TurnNumber(rawValue: 0)

  init(_ witness: JournalWitness) { self.witness = witness }

  func append(_ entries: [JournalEntry], of turn: TurnNumber) {
    appended += entries
    last = turn
  }

  func commit() throws -> TurnNumber {
    let end = MonotonicClock.now() + 20_000_000
    while MonotonicClock.now() < end {}
    try witness.commit(appended)
    appended.removeAll()
    return last
  }
}
