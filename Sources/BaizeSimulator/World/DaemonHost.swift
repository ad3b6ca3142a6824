import BaizeSync
import BaizeTable
import BaizeWire

/// The daemon's process: the real machine on a journal in memory, with turns that wait to be committed and tables that
/// wait to be read or made. It has no will of its own: everything happens when the world says so.
struct DaemonHost {
  private(set) var shard: ShardMachine
  let journal = MemoryJournal()
  /// Turns that have ended and are not durable, oldest first.
  private(set) var turns: [(number: TurnNumber, writes: [JournalWrite])] = []
  /// Tables to be read, each once all turns up to the one named are durable or void.
  private var loads: [(after: TurnNumber, table: String)] = []
  private var lastTurn = TurnNumber(rawValue: 0)
  /// Tables to be made, oldest first.
  private var setUps: [TableSetUp] = []
  /// Whether something happened since the last turn ended.
  private var isTouched = false
  /// Whether the machine was told that the disk takes nothing.
  private(set) var isStorageFailed = false
  /// Whether it was ever told since it was started.
  private(set) var hasStorageFailed = false
  private(set) var generations: [UInt32] = []
  private let plan: Plan
  /// How often the daemon was started.
  private(set) var starts = 0

  init(_ plan: Plan) {
    self.plan = plan
    shard = Self.makeShard(plan, starts: 0)
  }

  private static func makeShard(_ plan: Plan, starts: Int) -> ShardMachine {
    ShardMachine(
      types: SimulatedTypes(), random: RandomSource(seed: plan.seed &+ UInt64(starts) &* 0x5851_F42D_4C95_7F2D),
      limits: plan.syncLimits, durability: plan.durability,
      setUpItemsAtOnceMax: plan.setUpItemsAtOnceMax)
  }

  var wantsTurn: Bool { isTouched || shard.wantsTurn }
  var isDiskFull: Bool { journal.failure != nil }

  /// Whether a table that was asked for may be read.
  var canLoad: Bool {
    guard let load = loads.first else { return false }
    return turns.first.map { $0.number > load.after } ?? true
  }

  /// Whether a table is to be made.
  var canMake: Bool { !setUps.isEmpty }

  // MARK: What happens

  /// Slots are used again, as a transport does; the generation tells the occupants apart.
  mutating func connect(slot: Int, at now: Instant) -> ConnectionID {
    while generations.count <= slot { generations.append(0) }
    generations[slot] += 1
    let id = ConnectionID(slot: UInt32(slot), generation: generations[slot])
    shard.connected(id, at: now)
    return id
  }

  /// What a socket would carry goes through the codec.
  mutating func receive(_ message: ClientMessage, on id: ConnectionID, at now: Instant) {
    message.encoded().withUnsafeBytes { receive($0, on: id, at: now) }
  }

  /// A whole frame, whatever is in it.
  mutating func receive(_ frame: UnsafeRawBufferPointer, on id: ConnectionID, at now: Instant) {
    shard.received(frame, on: id, at: now)
    isTouched = true
  }

  mutating func closed(_ id: ConnectionID, at now: Instant) {
    shard.closed(id, at: now)
    isTouched = true
  }

  mutating func backlog(of id: ConnectionID, _ bytes: Int, taken: Int, at now: Instant) {
    shard.backlog(of: id, bytes, taken: taken, at: now)
    isTouched = true
  }

  mutating func tick(at now: Instant) {
    shard.tick(at: now)
    isTouched = true
  }

  // MARK: The turn

  /// Ends the turn.
  ///
  /// - Returns: Its number and what it writes, if it writes anything.
  mutating func endTurn() -> (number: TurnNumber, writes: [JournalWrite])? {
    isTouched = false
    let end = shard.endTurn()
    if let number = end.number {
      lastTurn = number
      turns.append((number, end.writes))
    }
    for table in end.loads { loads.append((lastTurn, table)) }
    setUps += end.setUps
    return end.number.map { ($0, end.writes) }
  }

  /// Makes the first turns that wait durable, as a whole.
  ///
  /// - Returns: Their numbers, of which the machine has yet to be told; `nil` where the disk takes nothing.
  mutating func commit(_ count: Int) -> [TurnNumber]? {
    let first = turns.prefix(count)
    for turn in first { journal.append(turn.writes) }
    do throws(JournalError) {
      try journal.commit()
    } catch {
      journal.discard()
      return nil
    }
    turns.removeFirst(first.count)
    return first.map(\.number)
  }

  mutating func committed(_ turn: TurnNumber) {
    shard.committed(turn)
    isTouched = true
  }

  /// Tells the machine that the disk takes nothing, if it does not know.
  mutating func failStorage(at now: Instant) {
    guard let error = journal.failure else { return }
    if plan.durability == .strict { turns.removeAll() }
    guard !isStorageFailed || plan.durability == .strict else { return }
    isStorageFailed = true
    hasStorageFailed = true
    shard.storageFailed(error, at: now)
    isTouched = true
  }

  /// Whether the disk takes something again of which the machine was told that it does not.
  mutating func probe() -> Bool {
    guard isStorageFailed else { return false }
    do throws(JournalError) {
      try journal.probe()
      return true
    } catch {
      return false
    }
  }

  mutating func recoverStorage(at now: Instant) {
    isStorageFailed = false
    shard.storageRecovered(at: now)
    isTouched = true
  }

  /// Reads the first table that was asked for.
  ///
  /// - Returns: Its name, and what the journal has of it.
  mutating func load(at now: Instant) throws(JournalError) -> (table: String, restored: RestoredTable?) {
    let name = loads.removeFirst().table
    let stored = journal.table(named: name)
    let restored = try stored.map { stored throws(JournalError) in
      try RestoredTable(stored, types: SimulatedTypes())
    }
    shard.loaded(name, .success(restored), at: now)
    isTouched = true
    return (name, restored)
  }

  /// Makes the first table that is to be made.
  ///
  /// - Returns: Its name.
  mutating func make(at now: Instant) -> String {
    let setUp = setUps.removeFirst()
    shard.made(setUp.table, setUp.make(), at: now)
    isTouched = true
    return setUp.table
  }

  // MARK: Frames

  /// The next batch of frames that may leave. It goes back by ``recycle(_:)``.
  mutating func nextReleased() -> FrameBatch? { shard.nextReleased() }

  mutating func recycle(_ batch: FrameBatch) { shard.recycle(batch) }

  // MARK: The process

  mutating func shutDown(at now: Instant) {
    shard.shutDown(at: now)
    isTouched = true
  }

  /// The process is gone, with all that was not durable; another starts on the same journal.
  mutating func crash() {
    journal.crash()
    turns.removeAll()
    loads.removeAll()
    setUps.removeAll()
    lastTurn = TurnNumber(rawValue: 0)
    isTouched = false
    isStorageFailed = false
    hasStorageFailed = false
    generations.removeAll()
    starts += 1
    shard = Self.makeShard(plan, starts: starts)
  }
}
