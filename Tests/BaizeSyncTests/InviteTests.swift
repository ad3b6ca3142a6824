import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// Tables that require an invite: because of their type, or because the daemon is not open.
@Suite struct InviteTests {
  private func goodbye(_ peer: Peer) -> Goodbye? { peer.received.count == 1 ? peer.goodbye : nil }

  @Test(arguments: [("list?items=5", false), ("salon", true)])
  func `a missing, wrong or foreign invite gets the same refusal`(type: String, isOpen: Bool) throws {
    let daemon = Daemon(isOpen: isOpen)
    let creator = Peer(daemon, type: type)
    let invite = try #require(creator.welcome?.invite)
    #expect(invite.utf8.count == 32 && invite.utf8.count <= WireLimits.inviteBytesMax)
    let spectators = try #require(creator.ask(HostAction.inviteSpectators.operation)?.invite)
    let revision = daemon.state.revision
    let wrong = [
      Peer(daemon, type: type), Peer(daemon, type: "", invite: "x"), Peer(daemon, type: "klondike"),
      Peer(daemon, type: type, invite: String(invite.dropLast())), Peer(daemon, type: type, invite: invite + " "),
      Peer(daemon, type: type, invite: spectators), Peer(daemon, type: type, role: .spectator),
      Peer(daemon, type: type, role: .spectator, invite: String(invite.reversed())),
    ].map(goodbye)
    #expect(Set(wrong.map { $0?.detail }).count == 1)
    #expect(wrong.allSatisfy { $0?.reason == .inviteInvalid && $0?.isResumable == false })
    #expect(daemon.state.revision == revision && daemon.table.sessions.count == 1, "nothing has happened at the table")
    let other = Peer(daemon, type: "", invite: invite)
    #expect(other.welcome?.seat.rawValue == 2 && other.welcome?.invite == "", "only the creator receives it")
    #expect(Peer(daemon, type: "", role: .spectator, invite: invite).welcome?.seat == .spectator)
    #expect(Peer(daemon, type: "", role: .spectator, invite: spectators).welcome?.seat == .spectator)
    #expect(Peer(daemon, type: "klondike", invite: invite).goodbye?.reason == .tableTypeMismatch)
  }

  @Test func `a table that requires no invite sends none, and ignores the invite of a hello`() {
    let daemon = Daemon()
    #expect(Peer(daemon).welcome?.invite == "" && daemon.table.invites[.player] == nil)
    #expect(Peer(daemon, invite: "x").welcome?.seat.rawValue == 2)
  }

  @Test func `a credential suffices to come back; an unknown one counts as none and reveals nothing about the table`() {
    let daemon = Daemon(isOpen: false)
    let creator = Peer(daemon)
    creator.reconnect()
    #expect(creator.welcome?.seat.rawValue == 1 && creator.goodbye == nil)
    #expect(creator.welcome?.invite == daemon.table.invites[.player]?.text, "the first welcome may be lost")
    let stranger = Peer(daemon, type: "klondike")
    #expect(goodbye(stranger)?.reason == .inviteInvalid)
  }

  @Test func `a session that was invited only to watch does not resume as a player`() throws {
    let daemon = Daemon(isOpen: false)
    let creator = Peer(daemon)
    let player = try #require(creator.welcome?.invite)
    let spectator = try #require(creator.ask(HostAction.inviteSpectators.operation)?.invite)
    let watcher = Peer(daemon, type: "", role: .spectator, invite: spectator)
    let idler = Peer(daemon, type: "", role: .spectator, invite: player)
    for _ in 1...2 {
      watcher.reconnect(role: .player)
      #expect(watcher.welcome?.seat == .spectator)
      daemon.restart()
    }
    idler.reconnect(role: .player)
    #expect(idler.welcome?.seat.rawValue == 2)
  }

  @Test func `a new invite voids the previous one, for its role alone`() throws {
    let daemon = Daemon(isOpen: false)
    let creator = Peer(daemon)
    let old = try #require(creator.welcome?.invite)
    let spectator = try #require(creator.ask(HostAction.inviteSpectators.operation)?.invite)
    let new = try #require(creator.ask(HostAction.invitePlayers.operation)?.invite)
    #expect(Set([old, spectator, new]).count == 3)
    #expect(Peer(daemon, type: "", invite: old).goodbye?.reason == .inviteInvalid)
    #expect(Peer(daemon, type: "", invite: new).goodbye == nil)
    #expect(Peer(daemon, type: "", role: .spectator, invite: spectator).goodbye == nil)
  }

  @Test(arguments: [1, 1 << 20])
  func `I3, I7: an invite is repeated on request and is valid after a restart`(snapshotAfterBytes: Int) throws {
    let daemon = Daemon(isOpen: false) { $0.tables.snapshotAfterBytes = snapshotAfterBytes }
    let creator = Peer(daemon)
    let player = try #require(creator.welcome?.invite)
    let spectator = try #require(creator.ask(HostAction.inviteSpectators.operation)?.invite)
    for _ in 1...2 {
      daemon.restart()
      creator.reconnect()
      creator.exchange(creator.forged(1, epoch: daemon.table.epoch.rawValue, HostAction.inviteSpectators.operation))
      #expect(creator.outcomes.last?.invite == spectator && creator.outcomes.last?.verdict == .unchanged)
      #expect(Peer(daemon, type: "", invite: player).goodbye == nil)
      #expect(Peer(daemon, type: "", role: .spectator, invite: spectator).goodbye == nil)
      #expect(Peer(daemon, type: "").goodbye?.reason == .inviteInvalid)
    }
  }

  @Test func `a table of a daemon that is no longer open keeps its persons and gets invites`() throws {
    let daemon = Daemon()
    let host = Peer(daemon)
    let watcher = Peer(daemon, role: .spectator)
    daemon.restart(isOpen: false)
    #expect(Peer(daemon, type: "").goodbye?.reason == .inviteInvalid, "what was never made admits nobody")
    host.reconnect()
    watcher.reconnect(role: .player)
    #expect(watcher.welcome?.seat.rawValue == 2, "nobody has invited it to watch only")
    let invite = try #require(host.ask(HostAction.invitePlayers.operation)?.invite)
    #expect(Peer(daemon, type: "", invite: invite).welcome?.seat.rawValue == 3)
  }

  @Test func `a client that must join with a new session uses the last invite for players that it received`() throws {
    let daemon = Daemon(isOpen: false)
    let host = Host(daemon)
    let first = host.machine.invite
    #expect(!first.isEmpty && first == daemon.table.invites[.player]?.text)
    host.ask(HostAction.inviteSpectators.operation)
    #expect(host.machine.invite == first)
    host.ask(HostAction.invitePlayers.operation)
    #expect(host.machine.invite != first && host.machine.invite == daemon.table.invites[.player]?.text)
  }
}
