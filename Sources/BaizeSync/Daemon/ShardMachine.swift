public import BaizeTable
public import BaizeWire

/// Everything that a shard decides: which connection is where, what each frame means, what one turn sends and when.
///
/// The host feeds it what happened, in order, and ends the turn. The machine has no socket, no clock and no thread; the
/// daemon and the simulator run this very code.
///
/// ```
/// connected, received, closed, backlog … ─▶ endTurn ─▶ entries to commit ─▶ committed(turn) ─▶ released batches
/// ```
public struct ShardMachine {
  let limits: SyncLimits
  private let types: any TableTypeSource
  private let allowsSeeds: Bool
  private let isJournalled: Bool
  private var random: RandomSource
  var tables: [TableMachine] = []
  private var tablePlaces: [String: Int] = [:]
  /// By slot.
  private var connections: [ConnectionState?] = []
  private var queue = TurnQueue()
  /// The tables that this turn has to look at when it ends.
  private var touched: [Int] = []

  private struct ConnectionState {
    let id: ConnectionID
    var place: Place
    /// When it last said something.
    var heard: Instant

    enum Place {
      /// Has not said hello yet.
      case door
      case table(Int, member: Int)
      /// Was told goodbye; nothing it says counts.
      case leaving
    }
  }

  /// - Parameters:
  ///   - random: For tokens, ids and shuffles.
  ///   - allowsSeeds: Whether a client may choose the seed of a table's shuffles: who knows the seed knows the deck.
  ///   - isJournalled: Whether entries are collected, and frames held until their turn is committed.
  public init(
    types: any TableTypeSource, random: RandomSource, limits: SyncLimits = SyncLimits(), allowsSeeds: Bool = false,
    isJournalled: Bool = false
  ) {
    self.types = types
    self.random = random
    self.limits = limits
    self.allowsSeeds = allowsSeeds
    self.isJournalled = isJournalled
  }

  public var tableCount: Int { tables.count }

  /// The state of a table, for those who look from inside the process.
  public func state(ofTable name: String) -> TableState? { tablePlaces[name].map { tables[$0].table.state } }

  // MARK: What happens

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
    if case .table(let table, let member) = place { detach(member, from: table, at: now) }
  }

  /// The host tells how many bytes of a connection's output are not sent yet, whenever that is not what it was.
  public mutating func backlog(of id: ConnectionID, _ bytes: Int, at now: Instant) {
    guard case .table(let table, let member) = place(of: id) else { return }
    tables[table].backlog(of: member, bytes, at: now)
    touch(table)
  }

  /// Time has passed: to be called about once a second.
  public mutating func tick(at now: Instant) {
    // Asked for one by one: each dismissal may give other members another place.
    for slot in connections.indices {
      guard let connection = connections[slot] else { continue }
      let silence = now.milliseconds(since: connection.heard)
      switch connection.place {
      case .door where silence >= limits.handshakeSeconds * 1_000:
        dismiss(connection.id, Goodbye(.timeout, detail: "no hello came in time"), at: now)
      case .table where silence >= limits.heartbeatSeconds * 3_000:
        dismiss(connection.id, Goodbye(.timeout, detail: "nothing was heard for too long"), at: now)
      case .table(let table, let member) where tables[table].isStalled(member, at: now):
        dismiss(connection.id, Goodbye(.slow, detail: "nothing was read for too long"), at: now)
      case .door, .table, .leaving: break
      }
    }
    for table in tables.indices {
      tables[table].sweep(at: now, into: queue.open)
      touch(table)
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
  /// - Returns: The turn's number and what the host must commit; then it calls ``committed(_:)``. `nil` where there is
  ///   nothing to commit: the turn's frames are released.
  public mutating func endTurn() -> (number: TurnNumber, entries: [JournalEntry])? {
    var entries: [JournalEntry] = []
    for table in touched {
      tables[table].produceParts(into: queue.open)
      entries.append(contentsOf: tables[table].entries ?? [])
      tables[table].entries?.removeAll(keepingCapacity: true)
      tables[table].isTouched = false
    }
    let busy = touched.filter { tables[$0].waitingCount > 0 }
    touched.removeAll(keepingCapacity: true)
    for table in busy { touch(table) }
    guard let number = queue.close(hasEntries: !entries.isEmpty) else { return nil }
    return (number, entries)
  }

  /// All turns up to `turn` are durable: their frames may go out.
  public mutating func committed(_ turn: TurnNumber) { queue.committed(turn) }

  /// The next batch that may be sent, oldest first. It goes back by ``recycle(_:)``.
  public mutating func nextReleased() -> FrameBatch? { queue.nextReleased() }

  /// Takes a batch back whose frames were sent, to use its buffers again.
  public mutating func recycle(_ batch: FrameBatch) { queue.recycle(batch) }

  // MARK: Messages

  private func place(of id: ConnectionID) -> ConnectionState.Place? {
    guard Int(id.slot) < connections.count, let connection = connections[Int(id.slot)], connection.id == id else {
      return nil
    }
    return connection.place
  }

  private mutating func receive(
    _ message: ClientMessage, _ id: ConnectionID, _ place: ConnectionState.Place, at now: Instant
  ) {
    switch place {
    case .leaving: break
    case .door:
      guard case .hello(let hello) = message else {
        dismiss(id, Goodbye(.expectedHello, detail: "the first message is a hello"), at: now)
        return
      }
      greet(hello, id, at: now)
    case .table(let table, let member):
      touch(table)
      tables[table].heard(from: member)
      receive(message, id, table, member, at: now)
    }
  }

  private mutating func touch(_ table: Int) {
    guard !tables[table].isTouched else { return }
    tables[table].isTouched = true
    touched.append(table)
  }

  private mutating func receive(
    _ message: ClientMessage, _ id: ConnectionID, _ table: Int, _ member: Int, at now: Instant
  ) {
    let batch = queue.open
    switch message {
    case .operation(let operation):
      do throws(TableMachine.Violation) {
        try tables[table].submit(operation, from: member, at: now, into: batch)
      } catch {
        switch error {
        case .sequenceGap(let expected, let got):
          let detail = "operation \(got.rawValue) came where \(expected.rawValue) was due"
          dismiss(id, Goodbye(.sequenceGap, detail: detail), at: now)
        }
      }
    case .drag(let drag): tables[table].drag(drag, from: member, at: now, into: batch)
    case .ping(let ping): tables[table].pong(ping, to: member, into: batch)
    case .snapshotRequest: tables[table].requestSnapshot(member, into: batch)
    case .goodbye(let goodbye):
      if !goodbye.isResumable {
        connections[Int(id.slot)]?.place = .leaving
        tables[table].depart(member, into: batch)
        renumber(member, of: table)
      }
      dismiss(id, Goodbye(.leaving), at: now)
    case .hello: dismiss(id, Goodbye(.malformed, detail: "a hello is said once"), at: now)
    case .unknown: break
    }
  }

  // MARK: Joining

  private mutating func greet(_ hello: Hello, _ id: ConnectionID, at now: Instant) {
    do throws(TableMachine.Refused) {
      try check(hello)
      let table = try findTable(hello)
      touch(table)
      let admission = try tables[table].join(hello, on: id, random: &random, at: now, into: queue.open)
      if let displaced = admission.displaced {
        connections[Int(displaced.slot)]?.place = .leaving
        renumberAll(of: table)
        dismiss(displaced, Goodbye(.displaced, detail: "the session goes on on another connection"), at: now)
      }
      connections[Int(id.slot)]?.place = .table(table, member: admission.member)
    } catch {
      dismiss(id, error.goodbye, at: now)
    }
  }

  private func check(_ hello: Hello) throws(TableMachine.Refused) {
    guard hello.version == WireProtocol.version else {
      throw TableMachine.Refused(
        .unsupportedVersion, "this daemon speaks version \(WireProtocol.version), not \(hello.version)")
    }
    guard Self.isTableName(hello.table) else {
      throw TableMachine.Refused(.badTableID, "a table's id is 1 to 64 characters of A-Z a-z 0-9 . _ -")
    }
    guard hello.seed == 0 || allowsSeeds else {
      throw TableMachine.Refused(
        .seedNotAllowed, "this daemon shuffles by itself; it honours seeds under --allow-seeds")
    }
  }

  /// Whether a text is a table's id.
  public static func isTableName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// Which of `count` shards a table lives on: FNV-1a of its id.
  public static func shard(ofTable name: String, among count: Int) -> Int {
    let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return Int(SplitMix64.mix(hash) % UInt64(max(1, count)))
  }

  private mutating func findTable(_ hello: Hello) throws(TableMachine.Refused) -> Int {
    if let place = tablePlaces[hello.table] {
      try checkType(hello.tableType, of: tables[place])
      return place
    }
    guard hello.resumeToken.isEmpty else {
      throw TableMachine.Refused(.tokenInvalid, "there is no such table, so there is no such session")
    }
    guard !hello.tableType.isEmpty else {
      throw TableMachine.Refused(.unknownTable, "there is no such table, and no type to create it with")
    }
    guard tables.count < limits.tablesPerShardMax else {
      throw TableMachine.Refused(.tooManyTables, "the daemon holds as many tables as it may")
    }
    let type = try tableType(hello.tableType)
    let source = hello.seed == 0 ? random.split() : RandomSource(seed: hello.seed)
    let place = tables.count
    tables.append(
      TableMachine(
        name: hello.table, typeText: hello.tableType, table: Table(type: type, random: source),
        epoch: Epoch(rawValue: 1), limits: limits, isJournalled: isJournalled))
    tablePlaces[hello.table] = place
    return place
  }

  private func checkType(_ text: String, of table: TableMachine) throws(TableMachine.Refused) {
    guard !text.isEmpty, text != table.typeText else { return }
    let type = try tableType(text)
    guard type.name == table.table.state.type.name, type.options == table.table.state.type.options else {
      throw TableMachine.Refused(.tableTypeMismatch, "the table is of type \(table.typeText)")
    }
  }

  private func tableType(_ text: String) throws(TableMachine.Refused) -> TableType {
    do throws(TableTypeFailure) {
      return try types.tableType(named: text)
    } catch {
      switch error {
      case .unknownType(let detail): throw TableMachine.Refused(.unknownType, detail)
      case .badOption(let detail): throw TableMachine.Refused(.badOption, detail)
      }
    }
  }

  // MARK: Going

  private mutating func dismiss(_ id: ConnectionID, _ goodbye: Goodbye, at now: Instant) {
    guard let place = place(of: id) else { return }
    if case .table(let table, let member) = place {
      connections[Int(id.slot)]?.place = .leaving
      detach(member, from: table, at: now)
    }
    connections[Int(id.slot)]?.place = .leaving
    queue.open.dismiss(id, goodbye)
  }

  private mutating func detach(_ member: Int, from table: Int, at now: Instant) {
    touch(table)
    tables[table].leave(member, at: now, into: queue.open)
    renumber(member, of: table)
  }

  /// The last member has taken the place of one that left.
  private mutating func renumber(_ member: Int, of table: Int) {
    guard member < tables[table].members.count else { return }
    setPlace(.table(table, member: member), of: tables[table].members[member].connection)
  }

  private mutating func renumberAll(of table: Int) {
    for (member, entry) in tables[table].members.enumerated() {
      setPlace(.table(table, member: member), of: entry.connection)
    }
  }

  private mutating func setPlace(_ place: ConnectionState.Place, of id: ConnectionID) {
    precondition(
      connections[Int(id.slot)]?.id == id, "slot \(id.slot) was taken from generation \(id.generation) behind its back")
    connections[Int(id.slot)]?.place = place
  }
}
