public import BaizeTable
public import BaizeWire

/// Everything that a shard decides: which connection is where, what each frame means, what one turn sends and when.
///
/// The host feeds it what happened, in order, and ends the turn. The machine has no socket, no clock and no thread; the
/// daemon and the simulator run this very code.
///
/// ```
/// connected, received, closed, backlog … ─▶ endTurn ─▶ writes to commit ─▶ committed(turn) ─▶ released batches
///                                              ├─▶ tables to load ─▶ loaded(table)
///                                              └─▶ tables to make ─▶ made(table)
/// ```
public struct ShardMachine {
  let limits: SyncLimits
  let types: any TableTypeSource
  let allowsSeeds: Bool
  let isOpen: Bool
  let durability: Durability
  let setUpItemsAtOnceMax: Int
  var random: RandomSource
  /// The tables in memory, in no order that means anything.
  var tables: [TableMachine] = []
  var tablePlaces: [String: Int] = [:]
  /// What lies on them, and on those that are being made, in bytes, as of the last tick.
  var contentBytes = 0
  /// The tables that are being read from the journal, or made.
  var waiting: [String: WaitingTable] = [:]
  var waitingFrames: [ConnectionID: WaitingFrames] = [:]
  /// By slot.
  var connections: [ConnectionState?] = []
  var queue = TurnQueue()
  /// The tables that this turn has to look at when it ends.
  var touched: [Int] = []
  /// The tables that the host is to be asked for when this turn ends.
  var loads: [String] = []
  var setUps: [TableSetUp] = []
  /// What lay on large tables that have gone.
  var retired: [TableState] = []
  /// Why nothing can be written at the moment, if so.
  var storage: JournalError?
  /// Whether tables that no one is at are to be looked for when this turn ends, and since when they would be idle.
  private var sweptAt: Instant?
  /// How far the look for who is overdue has come: the next slot.
  private var tickedSlots = 0

  struct ConnectionState {
    let id: ConnectionID
    var place: Place
    /// When it last said something.
    var heard: Instant

    enum Place {
      /// Has not said hello yet.
      case door
      case table(Int, member: Int)
      /// Its table is being read from the journal, or made.
      case waiting
      /// Was told goodbye; nothing it says counts.
      case leaving
    }
  }

  /// - Parameters:
  ///   - random: For tokens, ids and shuffles.
  ///   - allowsSeeds: Whether a client may choose the seed of a table's shuffles: who knows the seed knows the deck.
  ///   - isOpen: Whether who can reach the daemon may join every table whose type does not ask for invites.
  ///   - durability: What must be on disk before a frame leaves.
  ///   - setUpItemsAtOnceMax: A table that begins with more items is made by the host (``TurnEnd/setUps``).
  public init(
    types: any TableTypeSource, random: RandomSource, limits: SyncLimits = SyncLimits(), allowsSeeds: Bool = false,
    isOpen: Bool = true, durability: Durability = .memory, setUpItemsAtOnceMax: Int = .max
  ) {
    self.types = types
    self.random = random
    self.limits = limits
    self.allowsSeeds = allowsSeeds
    self.isOpen = isOpen
    self.durability = durability
    self.setUpItemsAtOnceMax = setUpItemsAtOnceMax
  }

  /// How many tables are in memory.
  public var tableCount: Int { tables.count }

  /// The state of a table, for those who look from inside the process.
  public func state(ofTable name: String) -> TableState? { tablePlaces[name].map { tables[$0].table.state } }

  /// What the present turn has decided so far.
  package var countsSoFar: TurnCounts { queue.open.counts }

  // MARK: What happens

  /// Up to so many connections at once, none will cost more than the one before it.
  public mutating func reserveConnections(_ count: Int) { connections.reserveCapacity(count) }

  /// A connection has come.
  public mutating func connected(_ id: ConnectionID, at now: Instant) {
    while connections.count <= Int(id.slot) { connections.append(nil) }
    // A host should have told of the slot's last occupant. If it did not, the newcomer must not take its place.
    if let last = connections[Int(id.slot)] { closed(last.id, at: now) }
    connections[Int(id.slot)] = ConnectionState(id: id, place: .door, heard: now)
  }

  /// A whole frame has come, without its length.
  public mutating func received(_ frame: UnsafeRawBufferPointer, on id: ConnectionID, at now: Instant) {
    guard let place = place(of: id) else { return }
    if case .leaving = place { return }
    connections[Int(id.slot)]?.heard = now
    if case .waiting = place { return keep(frame, of: id, at: now) }
    do throws(DecodeError) {
      receive(try ClientMessage(decoding: frame), id, place, at: now)
    } catch {
      dismiss(id, Goodbye(error.goodbyeReason, detail: error.description), at: now)
    }
  }

  /// What came is no frame.
  public mutating func receivedGarbage(_ error: DecodeError, on id: ConnectionID, at now: Instant) {
    dismiss(id, Goodbye(error.goodbyeReason, detail: error.description), at: now)
  }

  /// The connection is gone.
  public mutating func closed(_ id: ConnectionID, at now: Instant) {
    guard let place = place(of: id) else { return }
    connections[Int(id.slot)] = nil
    stopWaiting(id, place)
    if case .table(let table, let member) = place { detach(member, from: table, at: now) }
  }

  /// The host tells how many bytes of a connection's output are not sent yet, whenever that is not what it was.
  ///
  /// - Parameter taken: How many bytes the peer has read since the last report, as far as the host knows.
  public mutating func backlog(of id: ConnectionID, _ bytes: Int, taken: Int, at now: Instant) {
    guard case .table(let table, let member) = place(of: id) else { return }
    tables[table].backlog(of: member, bytes, taken: taken, at: now)
    touch(table)
  }

  /// Time has passed: to be called about once a second, and again soon where more is overdue than one call sees to. Those
  /// who stay would wait too long for a turn in which thousands are let go.
  ///
  /// - Returns: Whether everything overdue was seen to.
  @discardableResult
  public mutating func tick(at now: Instant) -> Bool {
    var dismissals = 0
    // Asked for one by one: each dismissal may give other members another place.
    while tickedSlots < connections.count {
      let slot = tickedSlots
      if let connection = connections[slot], let goodbye = overdue(connection, at: now) {
        guard dismissals < limits.dismissalsPerTickMax else { return false }
        dismissals += 1
        dismiss(connection.id, goodbye, at: now)
      }
      tickedSlots += 1
    }
    tickedSlots = 0
    for table in tables.indices {
      tables[table].sweep(at: now, into: queue.open)
      touch(table)
    }
    takeStock()
    sweptAt = now
    return true
  }

  /// Why a connection is let go that has let too much time pass.
  private func overdue(_ connection: ConnectionState, at now: Instant) -> Goodbye? {
    let silence = now.milliseconds(since: connection.heard)
    switch connection.place {
    case .door where silence >= limits.handshakeSeconds * 1_000:
      return Goodbye(.timeout, detail: "no hello came in time")
    case .table where silence >= limits.heartbeatSeconds * 3_000:
      return Goodbye(.timeout, detail: "nothing was heard for too long")
    case .table(let table, let member) where tables[table].isStalled(member, at: now):
      return Goodbye(.slow, detail: "too little was read for too long")
    case .door, .table, .waiting, .leaving: return nil
    }
  }

  /// The daemon stops: everyone is told when to come back.
  public mutating func shutDown(at now: Instant) {
    let goodbye = Goodbye(
      .shutdown, detail: "the daemon stops", retryAfterMilliseconds: limits.returnMilliseconds)
    for case let connection? in connections {
      if case .leaving = connection.place { continue }
      dismiss(connection.id, goodbye, at: now)
    }
  }

  // MARK: The turn

  /// Whether there is something to do even if nothing happens.
  public var wantsTurn: Bool { touched.contains { tables[$0].hasPartsToProduce } }

  /// Ends the turn: what was decided since the last end belongs together.
  ///
  /// - Returns: What the host must do before the turn's frames are released.
  public mutating func endTurn() -> TurnEnd {
    var end = TurnEnd()
    var holds = false
    var parts = limits.snapshotPartsPerTurnMax
    var served = 0
    for (position, table) in touched.enumerated() {
      if parts > 0 { served = position + 1 }
      tables[table].produceParts(&parts, into: queue.open)
      tables[table].announcePresence(into: queue.open)
      let held = tables[table].endTurn(queue.next, into: &end.writes)
      holds = holds || (durability == .strict ? held.strict : held.relaxed)
      tables[table].isTouched = false
    }
    // Those whose turn did not come are the first in the next.
    let busy = (touched[served...] + touched[..<served]).filter { tables[$0].hasPartsToProduce }
    touched.removeAll(keepingCapacity: true)
    for table in busy { touch(table) }
    end.number = queue.close(hasWrites: !end.writes.isEmpty, holds: holds && durability != .memory)
    if let now = sweptAt.take() { unloadIdle(at: now) }
    swap(&end.loads, &loads)
    swap(&end.setUps, &setUps)
    swap(&end.retired, &retired)
    return end
  }

  /// All turns up to `turn` are durable: their frames may go out.
  public mutating func committed(_ turn: TurnNumber) { queue.commit(turn) }

  /// How much the open turn has decided and encoded, in bytes. A host ends a turn that has grown long.
  public var turnBytes: Int { queue.open.byteCount }

  /// What waits for a commit before it may be sent, in bytes of memory. A host that hears no more while this is large
  /// bounds it.
  public var heldBytes: Int { queue.heldBytes }

  /// The host could not listen for a while: nobody's silence counts.
  public mutating func excuseSilence(at now: Instant) {
    for slot in connections.indices { connections[slot]?.heard = now }
  }

  /// The next batch that may be sent, oldest first. It goes back by ``recycle(_:)``.
  public mutating func nextReleased() -> FrameBatch? { queue.nextReleased() }

  /// Takes a batch back whose frames were sent, to use its buffers again.
  public mutating func recycle(_ batch: FrameBatch) { queue.recycle(batch) }
}
