import BaizeHarness
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

@testable import BaizeServer

extension ServerTests {
  /// A daemon that is not open: clients without an invite learn nothing, and the host issues invites.
  @Suite struct Invitations {
    private static let hello = Hello(table: "closed", tableType: "list?items=3")

    private static func hello(_ invite: String, role: Role = .player) -> Hello {
      Hello(table: hello.table, role: role, invite: invite)
    }

    @Test func `only clients with an invite join, and the host invites others`() async throws {
      try await withServer({ $0.isOpen = false }) { server in
        let host = try BlockingClient(server.address)
        let joined = try host.join(Self.hello)
        let invite = joined.welcome.invite
        #expect(!invite.isEmpty)
        for wrong in ["", "x", String(invite.reversed())] {
          let stranger = try BlockingClient(server.address)
          stranger.send(.hello(Self.hello(wrong)))
          let goodbye = try stranger.goodbye()
          #expect(goodbye?.reason == .inviteInvalid && goodbye?.isResumable == false)
        }
        let player = try BlockingClient(server.address)
        #expect(try player.join(Self.hello(invite)).welcome.seat.rawValue == 2)

        host.send(joined.operation(HostAction.inviteSpectators, number: 1))
        let outcome = try host.first { if case .outcome(let outcome) = $0 { outcome } else { nil } }
        #expect(outcome?.verdict == .unchanged && outcome?.invite.isEmpty == false)
        let spectator = try BlockingClient(server.address)
        let watching = try spectator.join(Self.hello(outcome?.invite ?? "", role: .spectator))
        #expect(watching.welcome.seat == .spectator)

        host.send(joined.operation(HostAction.kick(SeatNumber(rawValue: 2)), number: 2))
        let goodbye = try player.goodbye()
        #expect(goodbye?.reason == .kicked && goodbye?.isResumable == false)

        spectator.send(watching.operation(HostAction.inviteSpectators, number: 1))
        let refusal = try spectator.first { if case .outcome(let outcome) = $0 { outcome } else { nil } }
        #expect(refusal?.refusal.reason == .permissionDenied && refusal?.invite == "")
        #expect(try host.ping(1) != nil && spectator.ping(2) != nil)
      }
    }

    @Test func `a daemon on a loopback address needs no invites`() async throws {
      try await withServer { server in
        let creator = try BlockingClient(server.address)
        #expect(try creator.join(Self.hello).welcome.invite == "")
        let other = try BlockingClient(server.address)
        #expect(try other.join(Self.hello("")).welcome.seat.rawValue == 2)
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

extension BlockingClient.Joined {
  fileprivate func operation(_ action: HostAction, number: UInt64) -> ClientMessage {
    .operation(
      TableOperation(
        sequence: SequenceNumber(rawValue: number), base: revision, epoch: welcome.epoch, kind: action.operation))
  }
}
