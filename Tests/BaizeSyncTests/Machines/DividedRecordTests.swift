import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// No record of the journal is longer than its limit, but for a single entry (I8).
@Suite struct DividedRecordTests {
  @Test func `a turn's long record is divided between entries, and the parts lead to the same table`() throws {
    let bytesMax = 300
    let daemon = Daemon { $0.tables.recordBytesMax = bytesMax }
    let peer = Peer(daemon)
    peer.receive()
    // Refusals, which have no revision, between diffs; before the first diff, too.
    for number in 1...40 {
      if number % 4 == 1 {
        peer.submit(.remove([ItemID(rawValue: 999)]))
      } else if number % 7 == 0 {
        peer.submit(
          .insert(
            [NewItem(attributes: [Attribute("text", String(repeating: "x", count: 500))])],
            Destination.end(of: .first)))
      } else {
        peer.submit(peer.move(1 + number % 5, before: 1 + (number + 2) % 5))
      }
    }
    peer.send()
    let records = daemon.committed.compactMap { write in
      if case .record(let record) = write { record } else { nil }
    }
    #expect(records.count > 5)
    for record in records {
      let isDivisible = try JournalEntry.entries(of: record.bytes).count > 1
      #expect(record.bytes.count <= bytesMax || !isDivisible)
    }
    #expect(peer.catchUp())
    var restored = try RestoredTable(
      try #require(daemon.journal.table(named: "t")), types: SimulatedTypes())
    var state = daemon.state
    #expect(restored.viewHash() == state.viewHash() && restored.state.revision == state.revision)
  }

  /// An entry is never divided. That of an undo which brings back hidden faces is the longest: these are about as many as it may.
  @Test func `I8: the entry of the largest operation is no longer than a record may be`() {
    let daemon = Daemon { $0.sessions.operationsPerSecondMax = 0 }
    let peer = Peer(daemon, type: "hands")
    let tray = CollectionHandle(rawValue: 4)
    let new = NewItem(
      attributes: [Attribute("text", String(repeating: "x", count: WireLimits.attributeTextBytesMax))])
    for _ in 1...12 {
      #expect(peer.ask(.insert(Array(repeating: new, count: 15), .end(of: tray)))?.diff != nil)
    }
    let items = daemon.state.itemIDs(in: tray)
    #expect(peer.ask(.remove(ItemList(items.suffix(159))))?.diff != nil)
    #expect(peer.ask(.undo(SequenceNumber(rawValue: 13)))?.diff != nil)
    #expect(daemon.state.itemIDs(in: tray) == items)
    let lengths = daemon.committed.map { if case .record(let record) = $0 { record.bytes.count } else { 0 } }
    let (longest, bytesMax) = (lengths.max() ?? 0, daemon.shard.limits.tables.recordBytesMax)
    #expect(longest > 2 << 20 && longest <= bytesMax, "\(longest) bytes")
  }
}
