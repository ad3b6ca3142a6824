import BaizeTable
import BaizeWire

@testable import BaizeSync

/// A shard behind its frames, with a journal in memory: what a socket would carry goes through the codec, both ways.
final class Daemon {
  private(set) var shard: ShardMachine
  var now = Instant(nanoseconds: 1_000_000_000)
  /// Whether a turn is durable as it ends; otherwise its frames wait for ``commit()``.
  var commitsAtOnce = true
  let journal = MemoryJournal()
  /// What came out and was not taken yet, by connection.
  private var outputs: [ConnectionID: [ServerMessage]] = [:]
  /// The connections that the daemon ended.
  private(set) var closed: Set<ConnectionID> = []
  private var generations: [UInt32] = []
  private var isFree: [Bool] = []

  init(limits: SyncLimits = SyncLimits(), seed: UInt64 = 1, isJournalled: Bool = true, allowsSeeds: Bool = false) {
    shard = ShardMachine(
      types: TestTypes(), random: RandomSource(seed: seed), limits: limits, allowsSeeds: allowsSeeds,
      isJournalled: isJournalled)
  }

  // MARK: What happens

  /// Slots are used again, as a transport does; the generation tells the occupants apart.
  func connect() -> ConnectionID {
    let slot = isFree.firstIndex(of: true) ?? isFree.count
    if slot == isFree.count {
      isFree.append(false)
      generations.append(0)
    }
    isFree[slot] = false
    generations[slot] += 1
    let id = ConnectionID(slot: UInt32(slot), generation: generations[slot])
    shard.connected(id, at: now)
    return id
  }

  func receive(_ message: ClientMessage, on id: ConnectionID) {
    receive(bytes: message.encoded(), on: id)
  }

  func receive(bytes: [UInt8], on id: ConnectionID) {
    bytes.withUnsafeBytes { shard.received($0, on: id, at: now) }
  }

  /// The connection is gone, from the daemon's side of the network.
  func lose(_ id: ConnectionID) {
    shard.closed(id, at: now)
    outputs[id] = nil
    isFree[Int(id.slot)] = true
  }

  func backlog(of id: ConnectionID, _ bytes: Int) { shard.backlog(of: id, bytes, at: now) }

  func tick() { shard.tick(at: now) }

  func shutDown() { shard.shutDown(at: now) }

  func pass(seconds: UInt64) { now = now.advanced(bySeconds: seconds) }

  func pass(milliseconds: UInt64) { now = now.advanced(byMilliseconds: milliseconds) }

  // MARK: The turn

  /// Ends the turn, and commits it if turns are durable at once.
  @discardableResult
  func endTurn() -> TurnNumber? {
    let turn = shard.endTurn()
    if let turn { journal.append(turn.entries, of: turn.number) }
    if commitsAtOnce, turn != nil { _ = journal.commit() }
    if commitsAtOnce, let turn { shard.committed(turn.number) }
    release()
    return turn?.number
  }

  /// Makes every turn durable that has ended.
  func commit() {
    shard.committed(journal.commit())
    release()
  }

  /// Tells the shard of turns that are durable, one by one.
  func commit(through turn: TurnNumber) {
    shard.committed(turn)
    release()
  }

  private func release() {
    while let batch = shard.nextReleased() {
      batch.withUnsafeBytes { bytes in
        for delivery in batch.deliveries {
          let frame = UnsafeRawBufferPointer(rebasing: bytes[Int(delivery.start)..<Int(delivery.end)])
          outputs[delivery.connection, default: []].append(Self.decode(frame))
        }
      }
      let closes = batch.closes
      shard.recycle(batch)
      for id in closes {
        closed.insert(id)
        shard.closed(id, at: now)
        isFree[Int(id.slot)] = true
      }
    }
  }

  private static func decode(_ frame: UnsafeRawBufferPointer) -> ServerMessage {
    do {
      guard let range = try FrameReader(frameBytesMax: Limits.serverFrameBytesMax).next(in: frame) else {
        preconditionFailure("a delivery is no whole frame")
      }
      precondition(range.upperBound == frame.count, "a delivery is one frame")
      return try ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: frame[range]))
    } catch {
      preconditionFailure("the daemon sent what cannot be read: \(error)")
    }
  }

  /// What came for a connection since it was last asked.
  func take(_ id: ConnectionID) -> [ServerMessage] { outputs.updateValue([], forKey: id) ?? [] }

  // MARK: Looking inside

  var table: TableMachine { shard.tables[0] }
  var state: TableState { table.table.state }

  /// The entries that the present turn has made so far.
  var openEntries: ArraySlice<JournalEntry> { (shard.tables.first?.entries ?? [])[...] }
}
