import BaizeTable
import BaizeWire

/// Tables that are loaded by the host, and the connections that wait for them or for one that is created.
extension ShardMachine {
  // MARK: Waiting

  /// Has a connection wait until its table is loaded. The host does not read from it meanwhile.
  ///
  /// For a hello that may only create the table it is not loaded: the host looks whether there is one.
  mutating func wait(_ hello: Hello, _ id: ConnectionID, _ right: ShardPolicy.Right) throws(Rejection) {
    let hasRoom = tables.count + pending.count < limits.tables.tablesPerShardMax
    guard pending[hello.table] != nil || hasRoom else { throw noRoom(for: hello) }
    connections.setStage(.waiting, of: id)
    pending.append(hello, of: id)
    if case .create = right { pending.lookUp(hello.table) }
    request(hello.table)
  }

  mutating func request(_ table: String) {
    if pending.request(table) { requests.loads.append(table) }
  }

  /// Returns the size in bytes of the largest stored table that there is room for: in the share of the one who asks, or beyond both
  /// limits for one that is no larger than a floor. One with members, which was in memory before, is loaded in any case.
  ///
  /// Who asks does not pay for the table unless those who filled it cannot. But nobody can have tables loaded that nobody pays for.
  public mutating func loadBytesMax(of table: String) -> Int {
    if pending[table]?.isLookUp == true { return 0 }
    guard let waiting = pending[table], waiting.members.isEmpty else { return .max }
    return max(loader(of: waiting).room, floorRoom(of: waiting))
  }

  /// Returns who has a table loaded, and the room in that one's share; the operator has no share.
  private mutating func loader(of waiting: PendingTable) -> (account: AccountKey, room: Int) {
    guard let id = waiting.hellos.firstKey, let connection = connections[Int(id.slot)] else {
      return (.common, room(of: .common, isShared: true))
    }
    return (connection.account, room(of: connection.account, isShared: connection.isShared))
  }

  /// Returns the bytes of a table that may be loaded in any case, from the reserve for floors.
  private mutating func floorRoom(of waiting: PendingTable) -> Int {
    let account = waiting.hellos.firstKey.flatMap { connections[Int($0.slot)]?.account } ?? .common
    return hasFloor(for: account) ? ServerLimits.tableFloorBytes : 0
  }

  private enum Payer {
    /// Those who filled the table.
    case authors
    case loader(AccountKey)
  }

  /// Returns who pays for a table that was read; `nil` if there is no room for it.
  private mutating func payer(of restored: RestoredTable, _ waiting: PendingTable) -> Payer? {
    guard waiting.members.isEmpty else { return .authors }
    let bytes = restored.state.contentBytes
    if room(of: TableCharges(restoring: restored.charges).largest, isShared: false) >= bytes { return .authors }
    let loader = loader(of: waiting)
    return max(loader.room, floorRoom(of: waiting)) >= bytes ? .loader(loader.account) : nil
  }

  /// Returns whether a requested table may move to the present document of its type while it is loaded: not while its members
  /// wait with the old one, nor while it cannot be recorded.
  public func mayMigrate(_ table: String) -> Bool { storage == nil && pending[table]?.members.isEmpty != false }

  // MARK: Loaded

  /// Handles a table that the host has loaded from the journal at a turn's request.
  ///
  /// - Parameter result: The table; `nil` if there is none of that name.
  public mutating func loaded(_ name: String, _ result: Result<RestoredTable?, JournalError>, at now: Instant) {
    guard let waiting = pending[name] else { return }
    switch result {
    case .success(let restored?):
      if restored.newMigration != nil, storage != nil {
        // A move that is not recorded could be lost while clients have seen it.
        requests.retired.append(RetiredTable(restored))
        pending.setReady(name, .unreadable)
      } else if let payer = payer(of: restored, waiting) {
        resume(restored, waiting, payer, at: now)
        pending.setReady(name, .present)
      } else {
        requests.retired.append(RetiredTable(restored))
        pending.setReady(name, .noRoom)
      }
    case .success(nil): pending.setReady(name, .absent)
    case .failure(let error) where error.kind == .tooLarge:
      pending.setReady(name, waiting.isLookUp ? .stored : .noRoom)
    case .failure: pending.setReady(name, .unreadable)
    }
    admitWaiting(atLeast: 0, at: now)
  }

  /// Continues a restored table under a new epoch.
  private mutating func resume(
    _ restored: RestoredTable, _ waiting: PendingTable, _ payer: Payer, at now: Instant
  ) {
    let epoch = Epoch(rawValue: max(restored.epoch, waiting.epoch).rawValue + 1)
    var table = TableMachine(
      restoring: restored, epoch: epoch, random: random.split(), limits: policy.sharedLimits, at: now)
    table.setWritable(storage == nil)
    table.resume(draggers: waiting.draggers)
    pending.setDraggers(table.knownDraggers, of: table.name)
    if case .loader(let account) = payer { table.charges.payer = account }
    begin(chargingFor: tables.insert(table))
  }

  // MARK: Admitting

  /// Admits connections that have waited for a table, as many as the turn's budget allows, but at least one. The host calls
  /// it in each turn, and reads again from ``takeResumed()``.
  public mutating func admitWaiting(at now: Instant) {
    advance(to: now)
    admitWrittenTables(at: now)
    admitVerified(at: now)
    admitWaiting(atLeast: 1, at: now)
  }

  /// Returns the connections from which the host reads again, since they no longer wait.
  public mutating func takeResumed() -> [ConnectionID] { exchange(&resumed, with: []) }

  mutating func admitWaiting(atLeast countMin: Int, at now: Instant) {
    var count = 0
    while pending.hasReady, count < countMin || !isTurnFull, let (waiting, result) = pending.popReady(at: now) {
      let before = queue.open.workUnits
      switch waiting {
      case .member(let member, let draggers): readmit(member, draggers, result, at: now)
      case .hello(let id, let hello): admit(hello, id, result, at: now)
      }
      count += 1
      budget.charge(ServerLimits.admissionWork + queue.open.workUnits - before)
    }
  }

  private mutating func readmit(
    _ member: TableMachine.SuspendedMember, _ draggers: [SessionID], _ result: PendingTable.Result, at now: Instant
  ) {
    guard connections.isWaiting(member.connection) else { return }
    guard case .present = result, let table = tables.index(of: member.table) else {
      dismissUnreadable(member.connection, at: now)
      return
    }
    begin(at: table)
    switch tables[table].readmit(member, draggers: draggers) {
    case .member(let index):
      connections.setStage(.member(index, table: table), of: member.connection)
      resume(member.connection, at: now)
    case .displaced: dismiss(member.connection, Self.displaced, at: now)
    case .unknown: dismiss(member.connection, Rejection.storage(limits).goodbye, at: now)
    }
  }

  private mutating func admit(_ hello: Hello, _ id: ConnectionID, _ result: PendingTable.Result, at now: Instant) {
    guard connections.isWaiting(id) else { return }
    switch result {
    case .present, .absent:
      admitWaiting(id, at: now) { (shard) throws(Rejection) in
        if let table = shard.tables.index(of: hello.table) {
          try shard.enter(hello, id, table, at: now)
        } else {
          try shard.createTable(hello, id, at: now)
        }
      }
    case .stored: admitToStored(hello, id, at: now)
    case .noRoom: dismiss(id, noRoom(for: hello).goodbye, at: now)
    case .unreadable: dismissUnreadable(id, at: now)
    }
  }

  /// Rejects a connection that may only create the table, which exists, or has the table loaded for one that may join it.
  private mutating func admitToStored(_ hello: Hello, _ id: ConnectionID, at now: Instant) {
    admitWaiting(id, at: now) { (shard) throws(Rejection) in
      let right = try shard.policy.right(of: hello)
      guard case .join = right else { throw .invalidInvite }
      shard.pending.repeatRequest(of: hello.table)
      shard.connections.setStage(.waiting, of: id)
      shard.pending.putBack(hello, of: id)
      shard.request(hello.table)
    }
  }

  /// Admits a waiting connection, or rejects it.
  mutating func admitWaiting(
    _ id: ConnectionID, at now: Instant, _ admit: (inout Self) throws(Rejection) -> Void
  ) {
    connections.setStage(.handshake, of: id)
    do throws(Rejection) {
      try admit(&self)
    } catch {
      dismiss(id, error.goodbye, at: now)
    }
    if !connections.isWaiting(id) { resume(id, at: now) }
  }

  private mutating func resume(_ id: ConnectionID, at now: Instant) {
    // Nothing was read from it meanwhile.
    connections.markReceived(id, at: now)
    resumed.append(id)
  }

  private mutating func dismissUnreadable(_ id: ConnectionID, at now: Instant) {
    let detail = "the table cannot be read from the daemon's disk"
    dismiss(
      id, Goodbye(.storage, detail: detail, retryAfterMilliseconds: limits.connections.returnMilliseconds), at: now)
  }
}
