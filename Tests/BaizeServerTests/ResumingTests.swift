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

    @Test func `after the grace time the seat is free and the session still exists`() async throws {
      try await withServer({ $0.limits.graceSeconds = 1 }) { server in
        let watcher = try BlockingClient(server.address)
        _ = try watcher.join(Hello(table: "list", tableType: "list"))
        let client = try BlockingClient(server.address)
        let joined = try client.join(Hello(table: "list", name: "gone"))
        client.close()
        let seats = try watcher.first { message -> [Seat]? in
          guard case .diff(let diff) = message, case .seats(let seats)? = diff.changes.first else { return nil }
          return seats.contains { $0.name == "gone" } ? nil : seats
        }
        // The first diff that the watcher received was the join; this one frees the seat.
        #expect(seats?.count == 1)
        let returning = try BlockingClient(server.address)
        let again = try returning.join(Hello(table: "list", resumeToken: joined.welcome.resumeToken))
        #expect(again.welcome.session == joined.welcome.session)
      }
    }

    @Test func `a second connection with the same token displaces the first`() async throws {
      try await withServer { server in
        let first = try BlockingClient(server.address)
        let joined = try first.join(Hello(table: "list", tableType: "list?items=2"))
        let second = try BlockingClient(server.address)
        let again = try second.join(Hello(table: "list", resumeToken: joined.welcome.resumeToken))
        #expect(again.welcome.session == joined.welcome.session && again.welcome.seat == joined.welcome.seat)
        let goodbye = try first.goodbye()
        #expect(goodbye?.reason == .displaced && goodbye?.isResumable == false)
        second.send(again.move(again.items[0], number: 1))
        #expect(try second.diff()?.sequence.rawValue == 1)
      }
    }

    @Test func `a token stays valid until a welcome with the next one arrives`() async throws {
      try await withServer { server in
        var client = try BlockingClient(server.address)
        let joined = try client.join(Hello(table: "list", tableType: "list"))
        let hello = Hello(table: "list", resumeToken: joined.welcome.resumeToken)
        for _ in 0..<3 {
          client = try BlockingClient(server.address)
          #expect(try client.join(hello).welcome.session == joined.welcome.session)
        }
        #expect(try client.ping(1) != nil)
        client = try BlockingClient(server.address)
        client.send(.hello(hello))
        #expect(try client.goodbye()?.reason == .tokenInvalid, "the new one has arrived")
      }
    }

    /// Rejected, it must leave everything as it was.
    @Test func `a second connection that finds no seat displaces nobody`() async throws {
      try await withServer { server in
        let spectator = try BlockingClient(server.address)
        let joined = try spectator.join(Hello(table: "cards", tableType: "klondike", role: .spectator))
        var players: [BlockingClient] = []
        while players.count < 300 {
          let player = try BlockingClient(server.address)
          player.send(.hello(Hello(table: "cards")))
          players.append(player)
          let isIn = try player.first { message -> Bool? in
            if case .welcome = message { true } else if case .goodbye = message { false } else { nil }
          }
          if isIn == false { break }
        }
        let second = try BlockingClient(server.address)
        second.send(.hello(Hello(table: "cards", resumeToken: joined.welcome.resumeToken)))
        #expect(try second.goodbye()?.reason == .tableFull)
        #expect(try spectator.ping(1) != nil)
        spectator.close()
        #expect(try players[0].ping(2) != nil)
      }
    }
  }
}
