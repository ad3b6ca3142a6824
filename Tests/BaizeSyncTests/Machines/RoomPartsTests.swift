import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// The parts of a room, each without the others.
@Suite struct RoomPartsTests {
  // MARK: Backlog

  @Test func `a member that reads too little for too long is stalled`() {
    let limits = SyncLimits()
    let late = Instant(nanoseconds: 0).advanced(bySeconds: limits.connections.stalledSeconds)
    var backlog = Backlog()
    backlog.report(100, taken: 0, at: Instant(nanoseconds: 0), limits)
    backlog.report(100, taken: limits.connections.stalledBytesMin - 1, at: Instant(nanoseconds: 1), limits)
    #expect(backlog.isStalled(at: late, limits))
    var reader = Backlog()
    reader.report(100, taken: 0, at: Instant(nanoseconds: 0), limits)
    reader.report(100, taken: limits.connections.stalledBytesMin, at: Instant(nanoseconds: 1), limits)
    #expect(!reader.isStalled(at: late, limits))
    backlog.report(0, taken: 1, at: late, limits)
    #expect(!backlog.isStalled(at: late, limits))
  }

  // MARK: The log

  @Test(arguments: [(revisionsMax: 3, bytesMax: 1_000), (revisionsMax: 1_000, bytesMax: 40)])
  func `the log keeps the last turns within its bounds`(revisionsMax: Int, bytesMax: Int) {
    var log = RecordLog(at: .zero)
    var turns: [(bytes: [UInt8], end: Int)] = []
    for turn in 1...600 as ClosedRange<Int> {
      let record = (0..<(turn % 30)).map { UInt8(truncatingIfNeeded: turn + $0) }
      record.withUnsafeBytes { log.append($0) }
      #expect(Array(log.open) == record && log.isOpenEmpty == record.isEmpty)
      log.closeTurn(at: Revision(rawValue: UInt64(turn)), revisionsMax: revisionsMax, bytesMax: bytesMax)
      turns.append((record, log.end))
      let oldest = Int(log.oldest.rawValue)
      #expect(turn - oldest <= revisionsMax && log.end - log.begin <= bytesMax)
      for revision in oldest...turn {
        let position = log.position(of: Revision(rawValue: UInt64(revision)))
        // The turn of the revision is included if it is kept: a client may have received a part of it.
        let expected = turns[max(oldest, revision - 1)...].flatMap(\.bytes)
        let found = Array(log.records(from: position))
        #expect(found == expected || found == turns[revision...].flatMap(\.bytes))
      }
    }
  }

  @Test func `a log stores the move of one item as its frame`() {
    var log = RecordLog(at: .zero)
    var expected: [UInt8] = []
    for number in 1...300 as ClosedRange<UInt64> {
      let placement = Placement(
        collection: CollectionHandle(rawValue: 1), position: Position(anchor: ItemID(rawValue: number << (number % 50)))
      )
      let diff = Diff(
        revision: Revision(rawValue: number), author: SessionID(rawValue: 2),
        sequence: SequenceNumber(rawValue: number),
        changes: [.moved([ItemID(rawValue: number * number)], placement)], operation: .move,
        isRebased: number % 2 == 0)
      let frame = ServerMessage.diff(diff).framed()
      expected += frame
      let move = SingleMoveDiff(diff)
      #expect(move.map { log.append($0) } == frame.count)
    }
    var other = Diff(revision: .zero, author: .daemon, sequence: .zero, changes: [.status("done")])
    #expect(SingleMoveDiff(other) == nil)
    other.changes = [.moved([ItemID(rawValue: 1), ItemID(rawValue: 2)], .end(of: .first))]
    #expect(SingleMoveDiff(other) == nil)
    #expect(Array(log.open) == expected)
  }

  // MARK: Batches

  @Test func `contiguous frames form one run, in the order of each connection`() {
    let batch = FrameBatch()
    var members = (0..<3).map { index in
      Member(
        connection: ConnectionID(slot: UInt32(index), generation: 1), session: index, seat: .spectator,
        joined: TurnNumber(rawValue: 1))
    }
    var expected: [ConnectionID: [UInt64]] = [:]
    var random = SplitMix(state: 7)
    for nonce in 1...200 as ClosedRange<UInt64> {
      let pong = ServerMessage.pong(Pong(nonce: nonce, revision: .zero, viewHash: 0, epoch: Epoch(rawValue: 1)))
      if random.next() % 4 == 0 {
        let frame = pong.framed()
        batch.count(published: frame.count, isRebased: false, deliveries: members.count)
        frame.withUnsafeBytes { batch.send(published: $0, toLive: &members) }
        for member in members { expected[member.connection, default: []].append(nonce) }
        continue
      }
      let frame = batch.encode(pong)
      switch random.next() % 4 {
      case 0:
        let member = Int(random.next() % 3)
        batch.send(frame, to: &members[member])
        expected[members[member].connection, default: []].append(nonce)
      case 1:
        batch.send(frame, to: members[2].connection)
        expected[members[2].connection, default: []].append(nonce)
      default:
        _ = batch.send(frame, authorFrame: frame, of: 1, toLive: &members)
        for member in members { expected[member.connection, default: []].append(nonce) }
      }
    }
    var found: [ConnectionID: [UInt64]] = [:]
    batch.withUnsafeBytes { bytes in
      for delivery in batch.deliveries {
        let frame = UnsafeRawBufferPointer(rebasing: bytes[(Int(delivery.start) + 1)..<Int(delivery.end)])
        guard case .pong(let pong)? = try? ServerMessage(decoding: frame) else {
          Issue.record("a delivery is no frame")
          continue
        }
        found[delivery.connection, default: []].append(pong.nonce)
      }
    }
    #expect(found == expected)
    #expect(batch.frameCount == batch.deliveries.count && batch.runs.count < batch.frameCount / 2)
  }

  private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      return SplitMix64.mix(state)
    }
  }
}
