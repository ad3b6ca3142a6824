import BaizeSimulator
import BaizeTable
import BaizeWire

@testable import BaizeSync

/// A shard behind its frames, with a journal in memory: what a socket would carry goes through the codec, both ways.
final class Daemon {
  private(set) var shard: ShardMachine
  var now = Instant(nanoseconds: 1_000_000_000)
  /// Whether a turn is durable as it ends; otherwise its frames wait for ``commit()``.
  var commitsAtOnce = true
  /// Tables that the journal cannot read.
  var unreadable: Set<String> = []
  private(set) var counts = TurnCounts()
  /// How many frames were encoded, and for how many connections.
  private(set) var framesEncoded = 0
  private(set) var framesDelivered = 0
  /// Whether a table is read from the journal as it is asked for; otherwise when the turn ends.
  var loadsAtOnce = true
  /// Tables that are to be made.
  private(set) var setUps: [TableSetUp] = []
  let journal = MemoryJournal()
  private var lastTurn = TurnNumber(rawValue: 0)
  private var appended: [JournalWrite] = []
  /// Everything that was ever made durable.
  private(set) var committed: [JournalWrite] = []
  /// What came out and was not taken yet, by connection.
  private var outputs: [ConnectionID: [ServerMessage]] = [:]
  /// The connections that the daemon ended.
  private(set) var closed: Set<ConnectionID> = []
  private var generations: [UInt32] = []
  private var isFree: [Bool] = []
  private var backlogs: [ConnectionID: Int] = [:]

  init(
    limits: SyncLimits = SyncLimits(), seed: UInt64 = 1, durability: Durability = .strict, allowsSeeds: Bool = false,
    isOpen: Bool = true, setUpItemsAtOnceMax: Int = .max
  ) {
    shard = ShardMachine(
      types: SimulatedTypes(), random: RandomSource(seed: seed), limits: limits, allowsSeeds: allowsSeeds,
      isOpen: isOpen, durability: durability, setUpItemsAtOnceMax: setUpItemsAtOnceMax)
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
    if loadsAtOnce { answerLoads() }
  }

  /// Receives what lies at the front of a stream of frames, as far as the turn's budget goes.
  func receive(stream: [UInt8], on id: ConnectionID) -> ShardMachine.Received {
    stream.withUnsafeBytes { shard.receive($0, FrameReader(), on: id, at: now) }
  }

  /// Reads from the journal what the shard asks for.
  func answerLoads() {
    let loads = shard.requests.loads
    shard.requests.loads.removeAll()
    for name in loads { load(name) }
  }

  /// The connection is gone, from the daemon's side of the network.
  func lose(_ id: ConnectionID) {
    shard.closed(id, at: now)
    outputs[id] = nil
    isFree[Int(id.slot)] = true
  }

  /// - Parameter taken: What was read since the last report; unless given, what the backlog became less by.
  func backlog(of id: ConnectionID, _ bytes: Int, taken: Int? = nil) {
    let less = max(0, backlogs[id, default: 0] - bytes)
    backlogs[id] = bytes
    shard.backlog(of: id, bytes, taken: taken ?? less, at: now)
  }

  @discardableResult
  func tick() -> Bool { shard.tick(at: now) }

  func shutDown() { shard.shutDown(at: now) }

  func pass(seconds: UInt64) { now = now.advanced(bySeconds: seconds) }

  func pass(milliseconds: UInt64) { now = now.advanced(byMilliseconds: milliseconds) }

  /// Makes the tables that the shard has asked for so far.
  func answerSetUps() {
    let wanted = setUps
    setUps.removeAll()
    for setUp in wanted { shard.made(setUp.table, setUp.make(), at: now) }
    endTurn()
  }

  // MARK: The turn

  /// Ends the turn, and commits it if turns are durable at once.
  @discardableResult
  func endTurn() -> TurnNumber? {
    let turn = shard.endTurn()
    journal.append(turn.writes)
    appended += turn.writes
    lastTurn = turn.number ?? lastTurn
    if commitsAtOnce, !appended.isEmpty { commit() }
    release()
    for name in turn.loads { load(name) }
    setUps += turn.setUps
    return turn.number
  }

  /// Makes every turn durable that has ended; a disk that takes nothing is told of.
  func commit() {
    do {
      try journal.commit()
      committed += appended
      appended.removeAll()
      shard.committed(lastTurn)
    } catch {
      if shard.policy.durability == .strict {
        journal.discard()
        appended.removeAll()
      }
      shard.storageFailed(error, at: now)
    }
    release()
  }

  /// The disk takes writes again; what was kept is written now.
  func recover() {
    do {
      try journal.probe()
      shard.storageRecovered(at: now)
      commit()
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Reads a table from the journal and hands it over.
  private func load(_ name: String) {
    let result: Result<RestoredTable?, JournalError>
    if unreadable.contains(name) {
      return shard.loaded(name, .failure(JournalError(.corrupt, "a page is broken")), at: now)
    }
    do throws(JournalError) {
      result = .success(
        try journal.table(named: name).map { stored throws(JournalError) in
          try RestoredTable(stored, types: SimulatedTypes())
        })
    } catch {
      result = .failure(error)
    }
    shard.loaded(name, result, at: now)
  }

  /// The process is gone, and all that was not committed; another begins on the same journal.
  func restart(limits: SyncLimits = SyncLimits(), isOpen: Bool? = nil) {
    journal.crash()
    appended.removeAll()
    shard = ShardMachine(
      types: SimulatedTypes(), random: RandomSource(seed: 99), limits: limits, isOpen: isOpen ?? shard.policy.isOpen,
      durability: shard.policy.durability)
    outputs.removeAll()
    isFree = isFree.map { _ in true }
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
      counts += batch.counts
      framesEncoded += Set(batch.deliveries.map(\.start)).count
      framesDelivered += batch.deliveries.count
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
      guard let range = try FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax).next(in: frame) else {
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

  /// The entries of all records that were ever made durable, in order.
  var committedEntries: [JournalEntry] {
    committed.flatMap { write -> [JournalEntry] in
      guard case .record(let record) = write else { return [] }
      do { return try JournalEntry.entries(of: record.bytes) } catch { preconditionFailure("\(error)") }
    }
  }

  /// The entries that the present turn has made so far.
  var openEntries: [JournalEntry] {
    do {
      return try JournalEntry.entries(of: shard.tables.all.first?.room.log.open ?? [])
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
