import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

@testable import BaizeServer

extension ServerTests {
  /// A daemon that is not open: clients without an invite learn nothing, and the host issues invites.
  @Suite struct Invitations {
    @Test func `only clients with an invite join, and a kicked one is disconnected`() async throws {
      try await withServer({ $0.isOpen = false }) { server in
        let (host, joined) = try server.join("closed")
        #expect(
          try refusal(of: Hello(table: "closed", invite: String(joined.welcome.invite.reversed())), at: server.address)
            == .inviteInvalid)
        let player = try BlockingClient(server.address)
        #expect(try player.join(Hello(table: "closed", invite: joined.welcome.invite)).welcome.seat.rawValue == 2)
        host.send(joined.operation(HostAction.kick(SeatNumber(rawValue: 2)).operation, number: 1))
        #expect(try player.goodbye()?.reason == .kicked)
        #expect(try host.ping(1) != nil)
      }
    }

    /// Nothing is read, compiled, loaded or recorded for a hello without a right, and the answer is the same for a table that is
    /// stored, in memory, or nowhere.
    @Test(arguments: [CreationRight.nobody, .token("a token to create tables"), .anyone])
    func `strangers do not learn which tables there are, and have none loaded`(creation: CreationRight) async throws {
      let folder = try TemporaryFolder()
      var (invite, ticket): (String, [UInt8]) = ("", [])
      let credential = [UInt8](repeating: 7, count: WireLimits.credentialBytes)
      try await withServer({
        $0.isOpen = false
        $0.journal = .file(folder.path("journal"))
      }) { server in
        let host = try BlockingClient(server.address)
        let joined = try host.join(Hello(table: "stored", tableType: "list", credential: credential))
        (invite, ticket) = (joined.welcome.invite, joined.welcome.ticket)
        let other = try server.join("other").1
        #expect(
          try refusal(of: Hello(table: "stored", invite: other.welcome.invite), at: server.address) == .inviteInvalid)
      }
      try await withServer({
        $0.isOpen = false
        $0.creation = creation
        $0.journal = .file(folder.path("journal"))
      }) { server in
        let other = try BlockingClient(server.address)
        if case .anyone = creation { try other.join(Hello(table: "live", tableType: "list")) }
        let loaded = server.statistics.journal.tablesLoaded
        func goodbye(_ change: (inout Hello) -> Void, _ table: String) throws -> Goodbye? {
          var hello = Hello(table: table)
          change(&hello)
          let client = try BlockingClient(server.address)
          client.send(.hello(hello))
          return try client.goodbye()
        }
        var attempts: [(inout Hello) -> Void] = [
          { _ in }, { $0.role = .spectator }, { $0.invite = String(repeating: "0", count: 32) },
          { $0.invite = String(invite.reversed()) }, { $0.invite = String(invite.dropLast()) + "g" },
          { $0.credential = credential }, { $0.ticket = ticket },
          { ($0.credential, $0.ticket) = (credential, Array(ticket.reversed())) },
          { ($0.credential, $0.ticket) = (credential, ticket.dropLast() + [ticket[ticket.count - 1] ^ 1]) },
          { ($0.credential, $0.ticket) = (credential.dropLast() + [8], ticket) },
        ]
        if case .anyone = creation {
          // Who may create a table learns whether its name is taken, and no more.
          let taken = try goodbye({ $0.tableType = "list" }, "stored")
          let takenByLive = try goodbye({ $0.tableType = "list" }, "live")
          #expect(taken?.reason == .inviteInvalid && taken == takenByLive)
        } else {
          attempts += [{ $0.tableType = "list" }, { $0.tableType = "nonsense?x=1" }]
        }
        for (number, attempt) in attempts.enumerated() {
          let answers = Set(try ["stored", "nowhere", "live"].map { try goodbye(attempt, $0) })
          #expect(answers.count == 1 && answers.first??.isResumable == false, "\(number): \(answers)")
          #expect(answers.first??.reason == .inviteInvalid, "\(number): \(answers)")
        }
        #expect(server.statistics.journal.tablesLoaded == loaded)
        #expect(server.tableOperator.tables()?.map(\.name).filter { $0 != "live" } == [])
        // Who has a right joins, and who comes while others only ask whether the name is free.
        let asking = try (0..<8).map { _ in
          let client = try BlockingClient(server.address)
          client.send(.hello(Hello(table: "stored", tableType: "list")))
          return client
        }
        let guest = try BlockingClient(server.address)
        #expect(try guest.join(Hello(table: "stored", invite: invite)).welcome.seat.rawValue == 2)
        let host = try BlockingClient(server.address)
        #expect(
          try host.join(Hello(table: "stored", credential: credential, ticket: ticket)).welcome.seat.rawValue == 1)
        for client in asking { #expect(try client.goodbye()?.reason == .inviteInvalid) }
        if case .token(let text) = creation {
          let creator = try BlockingClient(server.address)
          try creator.join(Hello(table: "new", tableType: "list", invite: text))
          #expect(
            try refusal(of: Hello(table: "other", tableType: "list", invite: text), at: server.address)
              == .inviteInvalid)
          #expect(server.tableOperator.tables()?.contains { $0.name == "other" } == false)
        }
      }
    }

    @Test func `a daemon on another address needs no invites only with isOpen`() throws {
      for (address, isOpen) in [("127.0.0.1:1", true), ("[::1]:1", true), ("0.0.0.0:1", false), ("192.0.2.1:1", false)]
      {
        var configuration = ServerConfiguration()
        configuration.address = try SocketAddress(parsing: address)
        #expect(configuration.allowsAnyone == isOpen, "\(address)")
        configuration.isOpen = !isOpen
        #expect(configuration.allowsAnyone == !isOpen, "\(address)")
      }
    }
  }
}
