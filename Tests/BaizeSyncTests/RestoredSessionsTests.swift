import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// What a table's shard does not do itself when a table with many sessions is loaded or unloaded (I11).
@Suite struct RestoredSessionsTests {
  /// Some with a seat, some without, some with remembered refusals.
  private static func daemon() -> Daemon {
    let daemon = Daemon()
    for number in 0..<12 as Range<UInt64> {
      let peer = Peer(daemon, type: "list?items=5", role: number % 3 == 0 ? .player : .spectator)
      for sequence in 1...max(1, number) {
        daemon.receive(peer.forged(sequence, .remove(ItemList([ItemID(rawValue: 900)]))), on: peer.connection)
      }
      daemon.endTurn()
      daemon.lose(peer.connection)
    }
    daemon.endTurn()
    return daemon
  }

  @Test func `sessions that were prepared beforehand are those that the table's shard would make`() throws {
    let daemon = Self.daemon()
    let stored = try #require(daemon.journal.table(named: "t"))
    let restored = try RestoredTable(stored, types: SimulatedTypes())
    var prepared = restored
    prepared.prepareSessions(answersMax: 8)
    #expect(prepared.sessions.isEmpty && restored.sessions.count == 12)
    let limits = SyncLimits { $0.sessions.pendingOperationsMax = 8 }
    func sessions(_ table: RestoredTable) -> Sessions {
      TableMachine(
        restoring: table, epoch: Epoch(rawValue: 2), random: RandomSource(seed: 1), limits: SharedLimits(limits),
        at: daemon.now
      ).sessions
    }
    let (one, other) = (sessions(restored), sessions(prepared))
    #expect(one.count == 12 && other.count == 12 && one.nextID == other.nextID)
    for (left, right) in zip(one.snapshot, other.snapshot) {
      #expect(left.id == right.id && left.name == right.name && left.seat == right.seat)
      #expect(left.answers.last == right.answers.last)
      #expect(left.answers.outcomes.remembered.count == right.answers.outcomes.remembered.count)
      #expect(left.lostSince == daemon.now && right.lostSince == daemon.now)
    }
  }

  @Test func `an unloaded table's contents and sessions are given to the host to free`() {
    let daemon = Self.daemon()
    let limits = SyncLimits()
    daemon.sweep(afterSeconds: limits.sessions.graceSeconds + 1)
    while daemon.shard.wantsToWrite { daemon.endTurn() }
    var retired = 0
    for _ in 1...4 {
      daemon.pass(seconds: limits.tables.unloadSeconds + 1)
      while !daemon.tick() {}
      let end = daemon.host.shard.endTurn(at: daemon.now)
      if let number = end.number { daemon.host.shard.committed(number) }
      retired += end.retired.count
    }
    #expect(daemon.shard.tableCount == 0 && retired == 1)
  }
}
