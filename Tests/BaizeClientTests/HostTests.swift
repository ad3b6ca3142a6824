import BaizeClient
import BaizeSync
import BaizeTable
import BaizeWire
import TestSupport
import Testing

@Suite(.hangGuard)
struct HostTests {
  @Test func `the creator is host and issues invites`() async throws {
    let daemon = try TestDaemon(isOpen: false)
    let host = try await daemon.join("t", as: "list?items=3")
    #expect(host.isHost && !host.invite.isEmpty)
    await #expect {
      _ = try await daemon.join("t", invite: "x")
    } throws: { error in
      guard case .refused(let goodbye) = error as? JoinError else { return false }
      return goodbye.reason == .inviteInvalid
    }
    let guest = try await daemon.join("t", invite: host.invite)
    #expect(!guest.isHost && guest.invite == host.invite && guest.seat.rawValue == 2)
    let first = host.invite
    let answer = try await host.perform(.invitePlayers).outcome
    #expect(answer == .invited(host.invite) && host.invite != first)
    #expect(try await guest.perform(.invitePlayers).outcome.refusal?.reason == .permissionDenied)
  }

  @Test func `the host freezes collections, gives seats and kicks`() async throws {
    let daemon = try TestDaemon()
    let host = try await daemon.join("t", as: "list?items=3", name: "host")
    let guest = try await daemon.join("t", name: "guest")
    let watcher = try await daemon.join("t", name: "watcher", role: .spectator)
    let items = try #require(host.handle(of: "items"))
    let frozen = host.perform(.freeze(items))
    #expect(frozen.prediction == .unknown && frozen.changes.isEmpty, "only the daemon can decide")
    #expect(try await frozen.outcome.isAccepted)
    #expect(host.collections.map(\.isEnabled) == [false])
    #expect(await eventually { guest.collections.map(\.isEnabled) == [false] })
    #expect(guest.move(fromOffsets: [0], toOffset: 3, in: "items").refusal?.reason == .containerDisabled)
    _ = try await host.perform(.thaw(items)).outcome

    let session = try #require(watcher.session)
    _ = try await host.perform(.give(SeatNumber(rawValue: 2), to: session)).outcome
    #expect(await eventually { watcher.seat.rawValue == 2 && watcher.connection == .live })
    #expect(await eventually { guest.seat == .spectator && guest.connection == .live })
    #expect(try await guest.remove(guest.itemIDs(in: "items").prefix(1)).outcome.refusal?.reason == .permissionDenied)
    _ = try await host.perform(.kick(SeatNumber(rawValue: 2))).outcome
    #expect(await eventually { watcher.connection.wasKicked })
    #expect(await eventually { guest.seats.map(\.name) == ["host"] })
  }
}

extension ConnectionState {
  fileprivate var wasKicked: Bool { if case .ended(let goodbye) = self { goodbye.reason == .kicked } else { false } }
}
