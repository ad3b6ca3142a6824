import BaizeHarness
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

extension ServerTests {
  /// Sessions outlive connections.
  @Suite struct Resuming {
    @Test func `a lost connection keeps seat and session`() async throws {
      try await withServer { server in
        let other = try BlockingPlayer(server.address, table: "list", type: "list?items=4")
        let player = try BlockingPlayer(server.address, table: "list", name: "back soon")
        let before = try #require(player.machine.welcome)
        player.move(player.items[0])
        #expect(try player.read(until: { $0.answers.count == 1 }))
        try player.reconnect()
        let after = try #require(player.machine.welcome)
        #expect(after.session == before.session && after.seat == before.seat)
        #expect(after.lastSequence.rawValue == 1 && after.resumeToken != before.resumeToken)
        player.move(player.items[0])
        #expect(try player.read(until: { $0.answers.count == 2 }))
        #expect(try player.isLevel() && other.isLevel(), "I1")
      }
    }

    @Test func `an operation in flight when the connection broke has its effect once`() async throws {
      try await withServer { server in
        let player = try BlockingPlayer(server.address, table: "list", type: "list?items=4")
        for round in 1...20 {
          player.move(player.items[0])
          try player.reconnect()
          #expect(try player.read(until: { $0.answers.count == round }))
        }
        #expect(try await eventually { server.statistics.operations.accepted == 20 }, "I3")
        #expect(try player.isLevel())
      }
    }
  }
}
