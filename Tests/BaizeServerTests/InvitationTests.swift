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
