import BaizeSimulator
import BaizeTable
import BaizeWire
import TestSupport
import Testing

@testable import BaizeSync

/// I11: events that concern all tables, or all connections, take a time in proportion to their number.
@Suite(.serialized) struct ManyTablesTests {
  /// Eight times as many may take twice that: what grows with the square takes 64 times as long.
  private static let (few, many) = LongForm.count((100, 800), long: (200, 1_600))
  private static let ratioMax = 16.0

  enum Event: CaseIterable {
    case storageFails, storageRecovers, shutDown, waitingClose, waitingCloseOfOneTable
  }

  @Test(arguments: Event.allCases)
  func `the time of an event is in proportion to the number of tables or connections`(event: Event) {
    let ratio = Proportion.least(notAbove: Self.ratioMax) {
      Self.nanoseconds(of: event, Self.few)
    } _: {
      Self.nanoseconds(of: event, Self.many)
    }
    #expect(ratio <= Self.ratioMax, "\(event)")
  }

  private static func nanoseconds(of event: Event, _ count: Int) -> UInt64 {
    let daemon = prepared(for: event, count)
    return Proportion.nanoseconds {
      switch event {
      case .storageFails: daemon.host.failStorage(at: daemon.now)
      case .storageRecovers: daemon.host.recoverStorage(at: daemon.now)
      case .shutDown: daemon.shutDown()
      case .waitingClose, .waitingCloseOfOneTable:
        for slot in 0..<count { daemon.host.closed(ConnectionID(slot: UInt32(slot), generation: 1), at: daemon.now) }
      }
      _ = daemon.host.endTurn()
    }
  }

  /// A daemon with so many tables, each with a member and an operation that is not durable; or with so many connections that
  /// wait.
  private static func prepared(for event: Event, _ count: Int) -> Daemon {
    let isWaiting = event == .waitingClose || event == .waitingCloseOfOneTable
    let daemon = Daemon(durability: event == .storageRecovers ? .relaxed : .strict) {
      $0.tables.tablesPerSecondMax = 0
    }
    daemon.loadsAtOnce = !isWaiting
    let connections = (0..<count).map { number in
      let id = daemon.host.connect(slot: number, at: daemon.now)
      let table = event == .waitingCloseOfOneTable ? "t" : "t\(number)"
      daemon.receive(.hello(Hello(table: table, tableType: "list?items=2")), on: id)
      return id
    }
    guard !isWaiting else { return daemon }
    // A turn admits a few.
    repeat { daemon.endTurn() } while daemon.wantsTurn
    daemon.commitsAtOnce = false
    for (number, id) in connections.enumerated() { daemon.receive(.operation(move(at: number, daemon)), on: id) }
    daemon.endTurn()
    daemon.fillDisk()
    let committed = daemon.host.commit(.max)
    #expect(committed == nil)
    if event == .storageRecovers {
      daemon.host.failStorage(at: daemon.now)
      daemon.journal.failure = nil
    }
    return daemon
  }

  private static func move(at table: Int, _ daemon: Daemon) -> TableOperation {
    let items = daemon.shard.state(ofTable: "t\(table)")?.itemIDs(in: .first) ?? []
    return TableOperation(
      sequence: SequenceNumber(rawValue: 1), base: Revision(rawValue: 1), epoch: Epoch(rawValue: 1),
      kind: .move([items[0]], to: .end(of: .first)))
  }
}
