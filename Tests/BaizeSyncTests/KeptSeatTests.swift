import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// Seats of players who are away (J22): kept, passed over by turns, given away where seats matter to no rule, and never shown to
/// others with a hand in them.
@Suite struct KeptSeatTests {
  private static func daemon(keptSeconds: UInt64 = 1_000) -> Daemon {
    Daemon {
      $0.sessions.graceSeconds = 20
      $0.sessions.seatKeptSecondsMax = keptSeconds
      $0.connections.heartbeatSeconds = 1_000_000
    }
  }

  /// A player who has sent something, so that the seat is kept.
  private static func player(
    _ daemon: Daemon, type: String = "list?items=5", name: String = "someone"
  ) -> Peer {
    let peer = Peer(daemon, type: type, name: name)
    peer.exchange(.ping(Ping(nonce: 1)))
    return peer
  }

  private static func absent(_ daemon: Daemon) -> [UInt32] {
    daemon.state.seats.filter(\.isAbsent).map(\.number.rawValue)
  }

  @Test func `after the grace time a seat is absent, by a diff, and its session's return ends that`() {
    let daemon = Self.daemon()
    let (away, other) = (Self.player(daemon), Self.player(daemon))
    #expect(other.replica?.state.hostPerson == away.session)
    daemon.lose(away.connection)
    daemon.sweep(afterSeconds: 19)
    #expect(Self.absent(daemon) == [])
    daemon.sweep(afterSeconds: 1)
    other.receive()
    #expect(Self.absent(daemon) == [1] && daemon.state.seats.count == 2 && other.isConverged)
    #expect(daemon.state.hostPerson == other.session && other.replica?.state.hostPerson == other.session)
    daemon.sweep(afterSeconds: 900)
    away.reconnect()
    other.receive()
    #expect(away.welcome?.seat.rawValue == 1 && Self.absent(daemon) == [] && daemon.state.hostPerson == away.session)
    #expect(away.isConverged && other.isConverged)
  }

  @Test func `a seat is kept as long as the daemon keeps seats, at least for the grace time`() {
    for (kept, type, expected) in [(1_000, "list?items=5", 1_000), (0, "list?items=5", 20)]
      as [(UInt64, String, UInt64)]
    {
      let daemon = Self.daemon(keptSeconds: kept)
      let (away, other) = (Self.player(daemon, type: type), Self.player(daemon, type: type))
      daemon.lose(away.connection)
      daemon.sweep(afterSeconds: expected - 1)
      #expect(daemon.state.seats.count == 2)
      daemon.sweep(afterSeconds: 1)
      other.receive()
      #expect(daemon.state.seats.map(\.number.rawValue) == [2] && other.isConverged)
    }
  }

  @Test func `where seats matter to no rule, a full table gives the seat away that was left first`() {
    let daemon = Self.daemon()
    let type = "klondike"
    let players = (0..<4).map { _ in Self.player(daemon, type: type) }
    #expect(Peer(daemon, type: type).goodbye?.reason == .tableFull)
    daemon.lose(players[2].connection)
    daemon.sweep(afterSeconds: 10)
    daemon.lose(players[1].connection)
    #expect(Peer(daemon, type: type).goodbye?.reason == .tableFull, "nobody is absent yet")
    daemon.sweep(afterSeconds: 20)
    #expect(Self.absent(daemon) == [2, 3])
    #expect(Self.player(daemon, type: type).welcome?.seat.rawValue == 3)
    players[2].reconnect()
    #expect(players[2].goodbye == nil && players[2].welcome?.session == players[2].session)
    #expect(players[2].welcome?.seat.rawValue == 2, "there is another that is absent")
    players[1].reconnect()
    #expect(players[1].goodbye?.reason == .tableFull)
  }

  @Test func `where seats matter, a full table says who is away and gives nothing away`() {
    let daemon = Self.daemon()
    let players = ["Ada", "Bo"].map { Self.player(daemon, type: "hand?players=2", name: $0) }
    daemon.lose(players[1].connection)
    daemon.sweep(afterSeconds: 500)
    let late = Peer(daemon, type: "hand?players=2")
    #expect(late.goodbye?.reason == .tableFull)
    #expect(late.goodbye?.detail.contains("Bo (seat 2)") == true)
    players[1].reconnect()
    #expect(players[1].welcome?.seat.rawValue == 2)
  }

  @Test(arguments: ["leaves", "is removed", "is away for too long"])
  func `I6: a hand that was left is nobody's, until the host gives the seat to someone`(way: String) throws {
    let daemon = Self.daemon(keptSeconds: 100)
    let players = (0..<2).map { _ in Self.player(daemon, type: "hand?players=2") }
    let seat = SeatNumber(rawValue: 2)
    #expect(daemon.state.hasHand(seat), "cards are dealt")
    switch way {
    case "leaves": players[1].exchange(.goodbye(Goodbye(.leaving)))
    case "is removed": #expect(players[0].ask(HostAction.kick(seat).operation)?.diff != nil)
    default:
      daemon.lose(players[1].connection)
      daemon.sweep(afterSeconds: 100)
    }
    players[0].receive()
    #expect(daemon.state.seats.map(\.isHeld) == [true, false] && Self.absent(daemon) == [2])
    #expect(daemon.state.hostPerson == players[0].session && players[0].isConverged)
    #expect(Peer(daemon, type: "hand?players=2").goodbye?.reason == .tableFull)
    let guest = Peer(daemon, type: "hand?players=2", role: .spectator)
    let session = try #require(guest.session)
    players[0].receive()
    #expect(players[0].ask(HostAction.give(seat, to: session).operation)?.diff != nil)
    guest.receive()
    #expect(guest.goodbye?.reason == .reseated)
    guest.reconnect()
    #expect(guest.welcome?.seat == seat && guest.isConverged)
  }

  @Test func `the host can free a seat with a hand for the next player, and an empty table is open to all`() {
    let daemon = Self.daemon()
    let players = (0..<2).map { _ in Self.player(daemon, type: "hand?players=2") }
    players[1].exchange(.goodbye(Goodbye(.leaving)))
    players[0].receive()
    #expect(players[0].ask(HostAction.kick(SeatNumber(rawValue: 2)).operation)?.diff != nil)
    let next = Self.player(daemon, type: "hand?players=2")
    #expect(next.welcome?.seat.rawValue == 2)
    next.exchange(.goodbye(Goodbye(.leaving)))
    players[0].receive()
    players[0].exchange(.goodbye(Goodbye(.leaving)))
    #expect(daemon.state.seats.isEmpty)
    #expect(Self.player(daemon, type: "hand?players=2").welcome?.seat.rawValue == 1)
  }

  @Test(arguments: [(nil, 1_000), (0, 20), (40, 40), (5_000, 1_000)] as [(UInt64?, UInt64)])
  func `a type can say that seats are kept for less time`(kept: UInt64?, expected: UInt64) {
    var limits = SyncLimits()
    limits.sessions.graceSeconds = 20
    limits.sessions.seatKeptSecondsMax = 1_000
    let type = TableType(
      name: "t", seatKeptSeconds: kept, collections: [CollectionRules(id: "a", kind: 0)],
      kinds: [CollectionKind(name: "a")])
    let table = Table(type: type, random: RandomSource(seed: 1))
    let machine = TableMachine(
      name: "t", typeText: "t", table: table, limits: SharedLimits(limits), isJournalled: false)
    #expect(machine.seatKeptSeconds == expected)
  }

  @Test func `I6: a hand stays where it is when the host, alone, takes another seat`() throws {
    let daemon = Self.daemon()
    let host = Self.player(daemon, type: "hand?players=2")
    let session = try #require(host.session)
    #expect(host.ask(HostAction.give(SeatNumber(rawValue: 2), to: session).operation)?.diff != nil)
    #expect(daemon.state.seats.map(\.isHeld) == [false, true] && Self.absent(daemon) == [1])
    #expect(Peer(daemon, type: "hand?players=2").goodbye?.reason == .tableFull)
  }

  @Test func `a player who comes back while nothing can be written is active once that is over`() {
    let daemon = Self.daemon()
    let (away, other) = (Self.player(daemon), Self.player(daemon))
    daemon.lose(away.connection)
    daemon.sweep(afterSeconds: 20)
    #expect(Self.absent(daemon) == [1])
    daemon.fillDisk()
    other.ask(other.move(1))
    away.reconnect()
    #expect(Self.absent(daemon) == [1])
    daemon.recover()
    away.reconnect()
    daemon.sweep(afterSeconds: 1)
    #expect(Self.absent(daemon) == [])
  }

  @Test func `a table whose players are all absent is unloaded, and they come back to their seats`() {
    let daemon = Daemon {
      $0.sessions.graceSeconds = 20
      $0.tables.unloadSeconds = 0
      $0.connections.heartbeatSeconds = 1_000_000
    }
    let players = (0..<2).map { _ in Self.player(daemon, type: "hand?players=2") }
    for player in players { daemon.lose(player.connection) }
    daemon.endTurn()
    daemon.sweep(afterSeconds: 20)
    daemon.sweep(afterSeconds: 1)
    daemon.sweep(afterSeconds: 1)
    #expect(daemon.shard.tables.count == 0)
    for (number, player) in players.enumerated().reversed() {
      player.reconnect()
      daemon.answerLoads()
      player.receive()
      #expect(player.goodbye == nil && player.welcome?.seat.rawValue == UInt32(number + 1))
      #expect(Self.absent(daemon).count == number)
    }
  }
}
