import BaizeTable
import BaizeWire
import TestSupport
import Testing

@testable import BaizeSync

/// K2, K4 and I8: a table that nobody is at leaves the memory.
@Suite struct UnloadingTests {
  @Test func `without a journal, a table that nobody has been at for long is discarded, with its sessions`() {
    let daemon = Daemon(durability: .memory) { $0.tables.discardSeconds = 100 }
    let (gone, present) = (Peer(daemon, table: "gone"), Peer(daemon, table: "present"))
    daemon.lose(gone.connection)
    for _ in 1...100 {
      #expect(daemon.shard.tableCount == 2)
      present.send(.ping(Ping(nonce: 1)))
      daemon.sweep(afterSeconds: 1)
    }
    daemon.sweep(afterSeconds: 1)
    #expect(daemon.shard.tableCount == 1 && daemon.shard.state(ofTable: "present") != nil)
    gone.reconnect()
    #expect(daemon.closed.contains(gone.connection) && daemon.shard.tableCount == 1)
  }

  @Test func `a table is kept while someone may come back to it in time`() {
    let daemon = Daemon(durability: .memory) { $0.tables.discardSeconds = 100 }
    let peer = Peer(daemon)
    for _ in 1...5 {
      daemon.lose(peer.connection)
      daemon.sweep(afterSeconds: 90)
      peer.reconnect()
      #expect(daemon.shard.tableCount == 1)
    }
    #expect(peer.isConverged)
  }

  @Test func `a table with a long snapshot to write is unloaded without waiting for a sweep for each part`() {
    let daemon = Daemon {
      $0.tables.snapshotPartItemsMax = 10
      $0.tables.snapshotAfterBytes = 100
      $0.tables.unloadSeconds = 1
      $0.sessions.graceSeconds = 0
    }
    let count = LongForm.count(300, long: 1_000)
    let peer = Peer(daemon, type: "list?items=\(count)")
    peer.receiveAll()
    // The first snapshot is longer than the records until the next.
    for number in 0..<2 * count { peer.ask(peer.move(number % count + 1)) }
    for _ in 0..<5_000 where daemon.table.journal?.hasPartsToWrite == false { peer.ask(peer.move(1)) }
    daemon.lose(peer.connection)
    daemon.endTurn()
    var turns = 0
    while daemon.shard.wantsToWrite, turns < 1_000 {
      daemon.endTurn()
      turns += 1
    }
    #expect(turns > count / 20 && daemon.table.journal?.hasPartsToWrite == false)
    daemon.sweep(afterSeconds: 2)
    daemon.sweep(afterSeconds: 2)
    #expect(daemon.shard.tableCount == 0)
  }
}
