public import BaizeTable
import BaizeWire

/// Everything that a shard decides: where each connection stands, what each frame means, what one turn sends and when.
///
/// The host feeds it what happened, in order, and ends the turn. The machine has no socket, no clock and no thread; the
/// daemon and the simulator run this very code.
///
/// ```
/// connected, receive, closed, backlog … ─▶ endTurn ─▶ writes to commit ─▶ committed(turn) ─▶ released batches
///                                             ├─▶ tables to load ─▶ loaded(table)
///                                             └─▶ tables to create ─▶ made(table)
/// ```
public struct ShardMachine {
  let policy: ShardPolicy
  var random: RandomSource
  var connections = ShardConnections()
  var tables = ShardTables()
  /// Tables that are being read from the journal or created.
  var pending = PendingTables()
  /// The present turn's frames, and those of earlier turns that wait for their commit.
  var queue = TurnQueue()
  /// What the host is to be asked for when the turn ends.
  var requests = TurnEnd()
  var budget = TurnBudget()
  var sweep = ShardSweep()
  /// The reason why nothing can be written at the moment, if so.
  var storage: JournalError?

  /// - Parameters:
  ///   - random: For tokens, ids and shuffles.
  ///   - allowsSeeds: Whether a client may choose the seed of a table's shuffles: whoever knows the seed knows the deck.
  ///   - isOpen: Whether every table is joined without an invite whose type does not ask for one.
  ///   - durability: What must be durable before a frame is sent.
  ///   - setUpItemsAtOnceMax: A table that begins with more items is created by the host (``TurnEnd/setUps``).
  public init(
    types: any TableTypeSource, random: RandomSource, limits: SyncLimits = SyncLimits(), allowsSeeds: Bool = false,
    isOpen: Bool = true, durability: Durability = .memory, setUpItemsAtOnceMax: Int = .max
  ) {
    policy = ShardPolicy(
      types: types, limits: limits, allowsSeeds: allowsSeeds, isOpen: isOpen, durability: durability,
      setUpItemsAtOnceMax: setUpItemsAtOnceMax)
    self.random = random
  }

  var limits: SyncLimits { policy.limits }

  /// The shard, of `count`, that a table lives on.
  public static func shard(ofTable name: String, among count: Int) -> Int {
    var hash = ByteHash()
    for byte in name.utf8 { hash.combine(byte) }
    return Int(hash.value % UInt64(max(1, count)))
  }

  // MARK: Looking inside

  /// The number of tables in memory.
  public var tableCount: Int { tables.count }

  /// Returns the state of a table.
  public func state(ofTable name: String) -> TableState? { tables.index(of: name).map { tables[$0].table.state } }

  /// What the present turn has decided so far.
  package var countsSoFar: TurnCounts { queue.open.counts }

  // MARK: Connections

  /// Reserves memory, so that up to so many connections cost no more than the one before.
  public mutating func reserveConnections(_ count: Int) { connections.reserve(count) }

  /// A connection was accepted.
  public mutating func connected(_ id: ConnectionID, at now: Instant) {
    // A host should have reported the slot's last occupant as closed. If it did not, nobody may be taken for it.
    if let last = connections[Int(id.slot)] { closed(last.id, at: now) }
    connections.insert(id, at: now)
  }

  /// The connection is gone.
  public mutating func closed(_ id: ConnectionID, at now: Instant) {
    guard let stage = connections.stage(of: id) else { return }
    connections.remove(id)
    switch stage {
    case .member(let member, let table): leave(member, table, at: now)
    case .waiting: pending.remove(id)
    case .handshake, .closing: break
    }
  }

  /// The size of a connection's unsent output has changed.
  ///
  /// - Parameter taken: The number of bytes that the peer has read since the last report, as far as the host knows.
  public mutating func backlog(of id: ConnectionID, _ bytes: Int, taken: Int, at now: Instant) {
    guard case .member(let member, let table) = connections.stage(of: id) else { return }
    begin(at: table)
    tables[table].room.reportBacklog(of: member, bytes, taken: taken, at: now)
  }

  /// The host has not read for a while: nobody's silence counts.
  public mutating func excuseSilence(at now: Instant) { connections.markAllReceived(at: now) }

  /// The daemon stops: every client is told when to come back.
  public mutating func shutDown(at now: Instant) {
    let goodbye = Goodbye(
      .shutdown, detail: "the daemon stops", retryAfterMilliseconds: limits.returnMilliseconds)
    for connection in connections.all {
      if case .closing = connection.stage { continue }
      dismiss(connection.id, goodbye, at: now)
    }
  }

  // MARK: The turn

  /// Notes that something is about to happen at a table that may send or record other things than moves.
  mutating func begin(at table: Int) {
    tables.touch(table)
    tables[table].room.sendMoves(into: queue.open)
  }

  /// Whether there is something to do even if nothing happens.
  public var wantsTurn: Bool { tables.touched.contains { tables[$0].room.hasPartsToProduce } }

  /// Whether the turn has done as much as a turn may: a host ends it, and reads on in the next.
  public var isTurnFull: Bool { budget.isExhausted || queue.open.byteCount >= ServerLimits.turnBytesMax }

  /// Ends the turn: what was decided since the last end belongs together.
  ///
  /// - Returns: What the host must do before the turn's frames are released.
  public mutating func endTurn() -> TurnEnd {
    var end = TurnEnd()
    swap(&end, &requests)
    let holds = endTables(&end.writes)
    end.number = queue.close(hasWrites: !end.writes.isEmpty, holds: holds && policy.durability != .memory)
    unloadIdle(&end)
    budget.renew()
    return end
  }

  /// Ends the turn of every table that something happened at.
  ///
  /// - Returns: Whether the turn's frames wait until its writes are durable.
  private mutating func endTables(_ writes: inout [JournalWrite]) -> Bool {
    var holds = false
    var parts = limits.snapshotPartsPerTurnMax
    var served = 0
    let touched = tables.takeTouched()
    for (position, table) in touched.enumerated() {
      if parts > 0 { served = position + 1 }
      let held = tables[table].endTurn(queue.next, parts: &parts, into: queue.open, &writes)
      holds = holds || (policy.durability == .strict ? held.strict : held.relaxed)
    }
    // Those that got no part are the first in the next turn.
    for table in touched[served...] where tables[table].room.hasPartsToProduce { tables.touch(table) }
    for table in touched[..<served] where tables[table].room.hasPartsToProduce { tables.touch(table) }
    return holds
  }

  /// All turns up to `turn` are durable: their frames may be sent.
  public mutating func committed(_ turn: TurnNumber) { queue.commit(turn) }

  /// The memory of what waits for a commit before it may be sent, in bytes. A host that stops reading while this is large
  /// bounds it.
  public var heldBytes: Int { queue.heldBytes }

  /// The next batch that may be sent, oldest first. It goes back by ``recycle(_:)``.
  public mutating func nextReleased() -> FrameBatch? { queue.nextReleased() }

  /// Takes a batch back whose frames were sent, to use its buffers again.
  public mutating func recycle(_ batch: FrameBatch) { queue.recycle(batch) }
}
