import BaizeClient
import BaizeHarness
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import Testing

extension ServerTests {
  /// Undo as an app asks for it, over loopback.
  @Suite struct Undoing {
    @Test func `an operation and its undo are undone before and after their answers`() async throws {
      try await withServer { server in
        let one = try await Self.join(server)
        let other = try await Self.join(server)
        let items = one.itemIDs(in: "items")
        let moved = one.move(fromOffsets: [0], toOffset: 3, in: "items")
        let undone = one.undo(moved)
        #expect(one.itemIDs(in: "items") == items, "it shows at once")
        #expect(try await moved.outcome.isAccepted)
        #expect(try await undone.outcome.isAccepted)
        let redone = one.undo(undone)
        #expect(one.itemIDs(in: "items") == Array(items[1...] + items[...0]))
        #expect(try await redone.outcome.isAccepted)
        #expect(try await one.undo(redone).outcome.isAccepted)
        #expect(try await eventually { other.revision == one.revision })
        #expect(other.itemIDs(in: "items") == items && one.itemIDs(in: "items") == items)

        let removed = other.remove([items[1]])
        #expect(try await removed.outcome.isAccepted)
        #expect(try await other.undo(removed).outcome.isAccepted)
        let made = other.insert([NewItem(attributes: [Attribute("number", 9)])], in: "items")
        #expect(try await made.outcome.isAccepted)
        #expect(try await other.undo(made).outcome.isAccepted)
        #expect(try await eventually { other.revision == one.revision })
        #expect(one.itemIDs(in: "items") == items && other.itemIDs(in: "items") == items)
      }
    }

    @Test func `an operation whose items another moved since, or that had no effect, is not undone`() async throws {
      try await withServer { server in
        let one = try await Self.join(server)
        let other = try await Self.join(server)
        let items = one.itemIDs(in: "items")
        let moved = one.move(fromOffsets: [0], toOffset: 3, in: "items")
        #expect(try await moved.outcome.isAccepted)
        #expect(try await eventually { other.revision == one.revision })
        let taken = other.move(fromOffsets: [2], toOffset: 0, in: "items")
        #expect(try await taken.outcome.isAccepted)
        #expect(try await one.undo(moved).outcome.refusal == .undoTooLate, "and it is not the other's to undo")
        // Once the other has undone that, the undo is accepted.
        #expect(try await other.undo(taken).outcome.isAccepted)
        #expect(try await one.undo(moved).outcome.isAccepted)
        #expect(try await one.undo(moved).outcome.refusal == .undoTooLate)
        let refused = one.move(fromOffsets: [7], toOffset: 0, in: "items")
        let undo = one.undo(refused)
        #expect(undo.operation == nil && undo.refusal == refused.refusal, "it was never sent")
        #expect(one.itemIDs(in: "items") == items)
      }
    }

    @Test func `after a restart no earlier operation is undone`() async throws {
      let directory = try TemporaryFolder()
      let first = try await Self.start(directory)
      let client = try await Self.join(first)
      let items = client.itemIDs(in: "items")
      let moved = client.move(fromOffsets: [0], toOffset: 3, in: "items")
      #expect(try await moved.outcome.isAccepted)
      await first.stop()
      #expect(try await eventually { client.connection != .live })
      // No client has received it when the daemon ends; the operation that it undoes is of another epoch when it is judged.
      let early = client.undo(moved)
      #expect(client.itemIDs(in: "items") == items)
      let second = try await Self.start(directory, at: first.address)
      #expect(try await early.outcome.refusal == .undoTooLate)
      let late = client.undo(moved)
      #expect(late.operation == nil && late.refusal?.reason == .undoTooLate)
      #expect(client.itemIDs(in: "items") == Array(items[1...] + items[...0]))
      let again = client.move(fromOffsets: [0], toOffset: 3, in: "items")
      #expect(try await again.outcome.isAccepted)
      #expect(try await client.undo(again).outcome.isAccepted)
      #expect(client.itemIDs(in: "items") == Array(items[1...] + items[...0]))
      await second.stop()
    }

    private static func join(_ server: Server) async throws -> TableClient {
      var configuration = ClientConfiguration(table: "undo", tableType: "list?items=3")
      configuration.backoffMilliseconds = 10
      configuration.backoffMillisecondsMax = 50
      return try await TableClient.join(.tcp(server.address), configuration)
    }

    private static func start(
      _ directory: TemporaryFolder, at address: SocketAddress = .loopback(port: 0)
    ) async throws -> Server {
      var configuration = ServerConfiguration()
      configuration.address = address
      configuration.journal = .file(directory.path("baize.sqlite"))
      configuration.limits.returnMilliseconds = 10
      return try await Server.start(configuration)
    }
  }
}

extension Answer {
  fileprivate var isAccepted: Bool { if case .accepted = self { true } else { false } }

  fileprivate var refusal: Reason? { if case .refused(let refusal) = self { refusal.reason } else { nil } }
}
