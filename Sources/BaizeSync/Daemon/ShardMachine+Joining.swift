import BaizeTable
import BaizeWire

/// Coming to a table, which may have to be made or to be read from the journal first.
extension ShardMachine {
  /// Lets a connection join the table that it names, or has it wait until that is read from the journal.
  mutating func greet(_ hello: Hello, _ id: ConnectionID, at now: Instant) {
    do throws(TableMachine.Refused) {
      try check(hello)
      if let table = tablePlaces[hello.table] {
        try tables[table].checkInvite(hello, circumstances(at: table))
        try checkType(hello.tableType, of: tables[table])
        try join(hello, id, table, at: now)
      } else if durability != .memory || waiting[hello.table] != nil {
        try wait(hello, id)
      } else {
        try makeTable(hello, id, at: now)
      }
    } catch {
      dismiss(id, error.goodbye, at: now)
    }
  }

  mutating func join(
    _ hello: Hello, _ id: ConnectionID, _ table: Int, at now: Instant
  ) throws(TableMachine.Refused) {
    touch(table)
    let admission = try tables[table].join(
      hello, on: id, circumstances(at: table), random: &random, into: queue.open)
    if let displaced = admission.displaced {
      connections[Int(displaced.slot)]?.place = .leaving
      renumberAll(of: table)
      dismiss(displaced, Goodbye(.displaced, detail: "the session goes on on another connection"), at: now)
    }
    connections[Int(id.slot)]?.place = .table(table, member: admission.member)
  }

  private func circumstances(at table: Int) -> TableMachine.Circumstances {
    // Even while nothing can be written: the disk may be back before this turn ends, and its frames wait then.
    TableMachine.Circumstances(
      turn: queue.next, asksForInvite: asksForInvite(tables[table].table.state.type), storage: storage,
      mayBeAhead: durability == .relaxed)
  }

  func asksForInvite(_ type: TableType) -> Bool { !isOpen || type.requiresInvite }

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
    (1...WireLimits.tableBytesMax).contains(text.utf8.count)
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

  private func checkType(_ text: String, of table: TableMachine) throws(TableMachine.Refused) {
    guard !text.isEmpty, text != table.typeText else { return }
    let type = try tableType(text)
    guard type.name == table.table.state.type.name, type.options == table.table.state.type.options else {
      throw TableMachine.Refused(.tableTypeMismatch, "the table is of type \(table.typeText)")
    }
  }

  func tableType(_ text: String) throws(TableMachine.Refused) -> TableType {
    do throws(TableTypeFailure) {
      return try types.tableType(named: text)
    } catch {
      switch error {
      case .unknownType(let detail): throw TableMachine.Refused(.unknownType, detail)
      case .badOption(let detail): throw TableMachine.Refused(.badOption, detail)
      }
    }
  }

  // MARK: Waiting for the journal

  private mutating func wait(_ hello: Hello, _ id: ConnectionID) throws(TableMachine.Refused) {
    let hasRoom = tables.count + waiting.count < limits.tablesPerShardMax && hasRoom(forTableOf: 0)
    guard waiting[hello.table] != nil || hasRoom else { throw noRoom(for: hello) }
    connections[Int(id.slot)]?.place = .waiting
    waiting[hello.table, default: WaitingTable()].hellos.append((id, hello))
    request(hello.table)
  }

  /// A connection is gone that may have waited.
  mutating func stopWaiting(_ id: ConnectionID, _ place: ConnectionState.Place) {
    guard case .waiting = place else { return }
    waitingFrames[id] = nil
    for name in waiting.keys { waiting[name]?.hellos.removeAll { $0.connection == id } }
  }

  mutating func request(_ table: String) {
    guard waiting[table]?.isRequested == false else { return }
    waiting[table]?.isRequested = true
    loads.append(table)
  }

  /// Keeps what a connection says before its table is there.
  mutating func keep(_ frame: UnsafeRawBufferPointer, of id: ConnectionID, at now: Instant) {
    waitingFrames[id, default: WaitingFrames()].append(frame)
    guard waitingFrames[id, default: WaitingFrames()].byteCount > limits.waitingBytesMax else { return }
    dismiss(id, Goodbye(.slow, detail: "too much was sent before the welcome"), at: now)
  }

  /// A table that a turn asked for was read from the journal: `nil` where there is none of that name.
  public mutating func loaded(_ name: String, _ result: Result<RestoredTable?, JournalError>, at now: Instant) {
    guard let waiting = waiting.removeValue(forKey: name) else { return }
    switch result {
    case .success(let restored?):
      guard !waiting.members.isEmpty || hasRoom(forTableOf: restored.state.contentBytes) else {
        for hello in waiting.hellos { dismiss(hello.connection, noRoom(for: hello.hello).goodbye, at: now) }
        retired.append(restored.state)
        return
      }
      goOn(restored, waiting, at: now)
    case .success(nil): break
    case .failure(let error):
      for member in waiting.members { dismissWaiting(member.connection, error, at: now) }
      for hello in waiting.hellos { dismissWaiting(hello.connection, error, at: now) }
      return
    }
    // Nobody was at a table that is not in the journal.
    for hello in waiting.hellos where isWaiting(hello.connection) {
      connections[Int(hello.connection.slot)]?.place = .door
      greetArrived(hello.hello, hello.connection, at: now)
    }
    for id in waiting.members.map(\.connection) + waiting.hellos.map(\.connection) { hearKept(id, at: now) }
  }

  /// The journal was asked: a table that is not there is made.
  mutating func greetArrived(_ hello: Hello, _ id: ConnectionID, at now: Instant) {
    guard tablePlaces[hello.table] == nil, waiting[hello.table] == nil else { return greet(hello, id, at: now) }
    do throws(TableMachine.Refused) {
      try makeTable(hello, id, at: now)
    } catch {
      dismiss(id, error.goodbye, at: now)
    }
  }

  private mutating func goOn(_ restored: RestoredTable, _ waiting: WaitingTable, at now: Instant) {
    let epoch = Epoch(rawValue: max(restored.epoch, waiting.epoch).rawValue + 1)
    var table = TableMachine(
      restoring: restored, epoch: epoch, random: random.split(), limits: limits, at: now)
    table.setWritable(storage == nil)
    table.resume(draggers: waiting.draggers)
    let place = add(table)
    let draggers = tables[place].knownDraggers
    for suspended in waiting.members where isWaiting(suspended.connection) {
      if let member = tables[place].readmit(suspended, draggers: draggers, into: queue.open) {
        connections[Int(suspended.connection.slot)]?.place = .table(place, member: member)
      } else {
        dismiss(suspended.connection, TableMachine.Refused.storage(limits).goodbye, at: now)
      }
    }
  }

  func isWaiting(_ id: ConnectionID) -> Bool {
    if case .waiting? = place(of: id) { true } else { false }
  }

  private mutating func dismissWaiting(_ id: ConnectionID, _ error: JournalError, at now: Instant) {
    guard isWaiting(id) else { return }
    let detail = "the table cannot be read from the daemon's disk"
    dismiss(
      id, Goodbye(.storage, detail: detail, retryAfterMilliseconds: limits.returnMilliseconds), at: now)
  }

  mutating func hearKept(_ id: ConnectionID, at now: Instant) {
    guard let kept = waitingFrames.removeValue(forKey: id) else { return }
    for frame in kept.frames { frame.withUnsafeBytes { received($0, on: id, at: now) } }
  }
}
