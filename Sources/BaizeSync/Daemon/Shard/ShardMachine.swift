public import BaizeTable
import BaizeWire

/// A shard's decisions: the phase of each connection, the meaning of each frame, and what each turn sends and when.
///
/// The host reports events in order and ends the turn. The machine has no socket, no clock and no thread; the daemon and
/// the simulator run the same code.
///
/// ```
/// connected, receive, closed, backlog … ─▶ endTurn ─▶ writes to commit ─▶ committed(turn) ─▶ released batches
///                                             ├─▶ tables to load ─▶ loaded(table)
///                                             └─▶ tables to create ─▶ made(table)
/// ```
public struct ShardMachine: ~Copyable {
  private(set) var policy: ShardPolicy
  var random: RandomSource
  var connections = ShardConnections()
  var tables = ShardTables()
  /// The tables that are being loaded or created.
  var pending = PendingTables()
  var newTables = NewTables()
  /// The connections whose tokens are being verified.
  var tokens = PendingTokens()
  var revocations = TokenRevocations()
  /// The time in seconds since 1970, by which signed tokens end: the host sets it before each sweep. Events' own times do not count
  /// while the machine is suspended.
  public var unixTime: Int64 = 0
  /// Whether the journal has much to write, as the host says after each turn: work beyond the shares of tables waits until it has not.
  public var isJournalBusy = false
  /// The frames of the present turn, and of earlier turns that wait for their commit.
  var queue = TurnQueue()
  /// The connections that no longer wait for their tables, from which the host reads again.
  var resumed: [ConnectionID] = []
  /// The requests to the host at the end of the turn.
  var requests = TurnEnd()
  var budget = TurnBudget()
  var quiet = QuietReserve()
  /// The number of turns, which wraps: at every fourth one it is looked at what tables remember.
  private var turnsEnded: UInt8 = 0
  var accounts = PeerAccounts()
  /// What accounts hold, and whether any may hold as much as it may, so that operations are judged with what is left.
  var shares: ShareAccounts
  var isTight = false
  /// The memory for floors of tables, in bytes.
  var floorsMax = Int.max
  var sweep = ShardSweep()
  /// The refusal of writes during a storage failure; `nil` otherwise.
  var storage: JournalError?
  /// The time of the last event, or of the last turn's end, by which the tables measure the time of turns.
  var now = Instant(nanoseconds: 0)
  /// The measures against a shortage of memory.
  public internal(set) var memory = MemoryMark.normal
  /// The memory of this shard at which tables are refused, in bytes, if the other shards do not change theirs.
  var memoryRoomEnd = Int.max
  /// The memory of all shards at which tables are refused, in bytes.
  var memoryRoomMax = Int.max

  /// - Parameters:
  ///   - random: The random source for tokens, ids and shuffles.
  ///   - allowsSeeds: Whether a client may choose the seed of a table's shuffles. The seed reveals the order of the deck.
  ///   - isOpen: Whether tables may be joined without an invite, unless their type requires one.
  ///   - creation: The right to create tables.
  ///   - durability: The data that must be durable before a frame is sent.
  ///   - setUpItemsAtOnceMax: The maximum number of items of a table that is created within a turn; the host creates
  ///     larger ones (``TurnEnd/setUps``).
  ///   - needsToken: Whether a hello must have a signed token (``TurnEnd/verifications``).
  ///   - access: The key that seals what tables give out; `nil` for no seals. With it, a machine that is not open does nothing for
  ///     a hello without a right.
  ///   - ledger: What accounts hold on all shards; `nil` if this is the only one.
  public init(
    types: any TableTypeSource, random: RandomSource, limits: SyncLimits = SyncLimits(), allowsSeeds: Bool = false,
    isOpen: Bool = true, creation: CreationRight = .anyone, durability: Durability = .memory,
    setUpItemsAtOnceMax: Int = .max, needsToken: Bool = false, access: AccessKey? = nil,
    ledger: (any ShareLedger)? = nil
  ) {
    shares = ShareAccounts(ledger: ledger, access: access)
    policy = ShardPolicy(
      types: types, sharedLimits: SharedLimits(limits, access: access), allowsSeeds: allowsSeeds, isOpen: isOpen,
      creation: creation, needsToken: needsToken,
      durability: durability,
      setUpItemsAtOnceMax: setUpItemsAtOnceMax)
    self.random = random
  }

  var limits: SyncLimits { policy.limits }

  /// Returns the shard, of `count`, that has a table.
  public static func shard(ofTable name: String, among count: Int) -> Int {
    var hash = ByteHash()
    for byte in name.utf8 { hash.combine(byte) }
    return Int(hash.value % UInt64(max(1, count)))
  }

  /// Takes over limits and table types that were read again, except for the limits that clients know or that hold the memory of
  /// connections. Tables keep the type that they were created with.
  ///
  /// - Complexity: O(number of tables).
  public mutating func reload(types: any TableTypeSource, limits: SyncLimits) {
    policy.types = types
    policy.sharedLimits = SharedLimits(policy.limits.reloaded(from: limits), access: policy.sharedLimits.access)
    for table in tables.indices { tables[table].setLimits(policy.sharedLimits) }
    noteTightness()
  }

  // MARK: Inspecting

  public var tableCount: Int { tables.count }

  /// The numbers of remembered sessions and of members, by the last sweep.
  public var peopleCount: (sessions: Int, members: Int) { tables.people }

  public func state(ofTable name: String) -> TableState? { tables.index(of: name).map { tables[$0].table.state } }

  /// Returns whether a session drags items at a table.
  package func hasDrag(of session: SessionID, atTable name: String) -> Bool {
    tables.index(of: name).map { tables[$0].room.claims.contains(session) } ?? false
  }

  /// The counted decisions of the present turn so far.
  package var countsSoFar: TurnCounts { queue.open.counts }

  // MARK: Connections

  public mutating func reserveConnections(_ count: Int) { connections.reserve(count) }

  /// - Parameters:
  ///   - peer: The peer that is charged for what the connection makes the daemon keep.
  ///   - isShared: Whether the peer stands for many, so that it may take more than a share.
  public mutating func connected(
    _ id: ConnectionID, from peer: PeerID = .unknown, isShared: Bool = false, isOperator: Bool = false, at now: Instant
  ) {
    // A host should have reported the slot's last connection as closed. If it did not, the new one must not be taken for it.
    if let last = connections[Int(id.slot)] { closed(last.id, at: now) }
    let account = shares.key(of: peer)
    connections.insert(id, from: peer, account, isShared: isShared, isOperator: isOperator, at: now)
    shares.add(ShareAmounts(memory: ServerLimits.connectionBytes), to: account, of: peer)
    if isShared { shares.share(account) }
  }

  public mutating func closed(_ id: ConnectionID, at now: Instant) {
    advance(to: now)
    guard let stage = connections.stage(of: id) else { return }
    chargeUncharged(Int(id.slot), at: now)
    switch stage {
    case .member(let member, let table): leave(member, table, at: now)
    case .waiting: stopWaiting(id)
    case .handshake, .closing: break
    }
    releaseHeld(by: id)
    connections.remove(id)
  }

  /// Forgets a connection that waits for its table, or for the verification of its token.
  mutating func stopWaiting(_ id: ConnectionID) {
    pending.remove(id)
    tokens.remove(id)
  }

  /// Handles a change of the size of a connection's unsent output.
  ///
  /// - Parameter taken: The number of bytes that the peer has read since the last report, if the host knows it.
  public mutating func backlog(of id: ConnectionID, _ bytes: Int, taken: Int, at now: Instant) {
    guard case .member(let member, let table) = connections.stage(of: id) else { return }
    begin(at: table)
    tables[table].room.reportBacklog(of: member, bytes, taken: taken, at: now)
    hold(bytes, \.output, for: id, at: now)
  }

  /// Restarts the receive timeout of all connections, since the host itself has not read for a while.
  public mutating func resetReceiveDeadlines(at now: Instant) { connections.markAllReceived(at: now) }

  /// Restarts the receive timeout of a connection, since the host does not read from it now.
  public mutating func resetReceiveDeadline(of id: ConnectionID, at now: Instant) {
    connections.markReceived(id, at: now)
  }

  /// Handles the stop of the daemon: every client receives a goodbye with the time to reconnect at.
  public mutating func shutDown(at now: Instant) {
    let goodbye = Goodbye(
      .shutdown, detail: "the daemon stops", retryAfterMilliseconds: limits.connections.returnMilliseconds)
    for connection in connections.all {
      if case .closing = connection.stage { continue }
      dismiss(connection.id, goodbye, at: now)
    }
  }

  // MARK: The turn

  /// Notes the time of an event.
  @inline(__always) mutating func advance(to now: Instant) { if now > self.now { self.now = now } }

  /// Prepares a table for an event that may send or record other things than moves.
  mutating func begin(at table: Int) {
    tables.touch(table)
    tables[table].room.sendMoves(into: queue.open)
  }

  /// Whether the machine needs a turn even without an event.
  public var wantsTurn: Bool {
    pending.hasReady || tokens.hasAnswered || sweep.hasIdle
      || storage == nil && newTables.wantsTurn(committed: queue.committed)
      || tables.touched.contains { tables[$0].room.hasPartsToProduce }
  }

  /// Whether the machine has more to write to the journal, which needs a turn as soon as the journal is not busy: the snapshot
  /// of a table without members, which is unloaded behind it.
  public var wantsToWrite: Bool { tables.touched.contains { tables[$0].hasPartsToFlush } }

  /// Whether the turn's budget is spent: the host ends the turn and continues reading in the next one.
  public var isTurnFull: Bool { budget.isExhausted || queue.open.byteCount >= ServerLimits.turnBytesMax }

  /// Ends the turn. Everything decided since the last end is committed together.
  ///
  /// - Parameters:
  ///   - begunAt: The time at which the host began the turn, for its own measurements (``FrameBatch/begunAt``).
  ///   - now: The present time; by default that of the last event.
  /// - Returns: The host's tasks before the turn's frames are released.
  public mutating func endTurn(begunAt: Instant = Instant(nanoseconds: 0), at now: Instant? = nil) -> TurnEnd {
    if let now { advance(to: now) }
    queue.open.begunAt = begunAt
    var end = TurnEnd()
    swap(&end, &requests)
    if storage == nil {
      newTables.write(
        limits.tables.newTableBytesPerTurnMax, in: queue.next, committed: queue.committed, into: &end.writes)
    }
    let holds = endTables(&end.writes)
    end.number = queue.close(hasWrites: !end.writes.isEmpty, holds: holds && policy.durability != .memory)
    unloadIdle(&end)
    budget.renew(addsToPool: !isJournalBusy)
    quiet.renew()
    return end
  }

  /// Ends the turn of every table with events.
  ///
  /// - Returns: Whether the turn's frames wait until its writes are durable.
  private mutating func endTables(_ writes: inout [JournalWrite]) -> Bool {
    var holds = false
    var parts = limits.tables.snapshotPartsPerTurnMax
    var served = 0
    let touched = tables.takeTouched()
    turnsEnded &+= 1
    for (position, table) in touched.enumerated() {
      if parts > 0 { served = position + 1 }
      let recorded = tables[table].room.log.end - tables[table].chargedEnd
      if recorded > ServerLimits.unchargedRecordBytesMax || turnsEnded % 4 == 0 && tables[table].remembersMuch() {
        settle(table)
        if let work = shedBeyondShares(table) {
          settle(table)
          budget.charge(work / ServerLimits.visitsPerWork)
        }
      }
      let held = tables[table].endTurn(queue.next, parts: &parts, at: now, into: queue.open, &writes)
      holds = holds || (policy.durability == .strict ? held.strict : held.relaxed)
    }
    // Tables that got no part are first in the next turn.
    for table in touched[served...] where tables[table].room.hasPartsToProduce { tables.touch(table) }
    for table in touched[..<served] where tables[table].room.hasPartsToProduce { tables.touch(table) }
    for table in touched where tables[table].hasPartsToFlush { tables.touch(table) }
    tables.recycle(touched)
    return holds
  }

  /// Returns how many members the table of a connection has; 1 for one that is at none.
  public func audience(of id: ConnectionID) -> Int {
    guard case .member(_, let table)? = connections.stage(of: id) else { return 1 }
    return tables[table].room.members.count
  }

  /// Releases the frames of all turns up to `turn`, which are durable.
  public mutating func committed(_ turn: TurnNumber) { queue.commit(turn) }

  /// The size in bytes of the frames that wait for a commit. The host bounds it by not reading while it is large.
  public var heldBytes: Int { queue.heldBytes }

  /// Returns the next batch that may be sent, oldest first. The host returns it by ``recycle(_:)``.
  public mutating func nextReleased() -> FrameBatch? { queue.nextReleased() }

  /// Takes back a batch whose frames were sent, to reuse its buffers.
  public mutating func recycle(_ batch: FrameBatch) { queue.recycle(batch) }
}
