import BaizeTable
import BaizeWire

/// Tables that are loaded or created by the host, and the connections that wait for them.
extension ShardMachine {
  // MARK: Waiting

  /// Has a connection wait until its table is loaded.
  mutating func wait(_ hello: Hello, _ id: ConnectionID) throws(Rejection) {
    let hasRoom = tables.count + pending.count < limits.tables.tablesPerShardMax && hasRoom(forTableOf: 0)
    guard pending[hello.table] != nil || hasRoom else { throw noRoom(for: hello) }
    connections.setStage(.waiting, of: id)
    pending.append(hello, of: id)
    request(hello.table)
  }

  mutating func request(_ table: String) {
    if pending.request(table) { requests.loads.append(table) }
  }

  /// Returns the size in bytes of the largest stored table that there is room for. One with members, which was in memory
  /// before, is loaded in any case.
  public func loadBytesMax(of table: String) -> Int {
    guard pending[table]?.members.isEmpty != false else { return .max }
    return max(0, limits.tables.contentBytesPerShardMax - tables.contentBytes - pending.contentBytes)
  }

  /// Keeps the bytes that a connection sends before its table is loaded.
  mutating func keep(_ frame: UnsafeRawBufferPointer, of id: ConnectionID, at now: Instant) {
    guard pending.keep(frame, of: id) > limits.connections.waitingBytesMax else { return }
    dismiss(id, Goodbye(.slow, detail: "too much was sent before the welcome"), at: now)
  }

  private mutating func receiveKept(_ id: ConnectionID, at now: Instant) {
    for frame in pending.takeFrames(of: id) { frame.withUnsafeBytes { received($0, on: id, at: now) } }
  }

  // MARK: Loaded

  /// Handles a table that the host has loaded from the journal at a turn's request.
  ///
  /// - Parameter result: The table; `nil` if there is none of that name.
  public mutating func loaded(_ name: String, _ result: Result<RestoredTable?, JournalError>, at now: Instant) {
    guard let waiting = pending.remove(name) else { return }
    switch result {
    case .success(let restored?):
      guard !waiting.members.isEmpty || hasRoom(forTableOf: restored.state.contentBytes) else {
        for hello in waiting.hellos { dismiss(hello.connection, noRoom(for: hello.hello).goodbye, at: now) }
        requests.retired.append(restored.state)
        return
      }
      resume(restored, waiting, at: now)
    case .success(nil): break
    case .failure(let error) where error.kind == .tooLarge:
      for hello in waiting.hellos { dismiss(hello.connection, noRoom(for: hello.hello).goodbye, at: now) }
      return
    case .failure(let error):
      for member in waiting.members { dismissWaiting(member.connection, error, at: now) }
      for hello in waiting.hellos { dismissWaiting(hello.connection, error, at: now) }
      return
    }
    // A table that is not in the journal had no members.
    for hello in waiting.hellos where connections.isWaiting(hello.connection) {
      connections.setStage(.handshake, of: hello.connection)
      admitAfterLoading(hello.hello, hello.connection, at: now)
    }
    for id in waiting.members.map(\.connection) + waiting.hellos.map(\.connection) { receiveKept(id, at: now) }
  }

  /// Admits the waiting hellos; a table that is not in the journal is created.
  private mutating func admitAfterLoading(_ hello: Hello, _ id: ConnectionID, at now: Instant) {
    guard tables.index(of: hello.table) == nil, pending[hello.table] == nil else { return admit(hello, id, at: now) }
    do throws(Rejection) {
      try createTable(hello, id, at: now)
    } catch {
      dismiss(id, error.goodbye, at: now)
    }
  }

  /// Continues a restored table, under a new epoch, with the connections that were its members.
  private mutating func resume(_ restored: RestoredTable, _ waiting: PendingTable, at now: Instant) {
    let epoch = Epoch(rawValue: max(restored.epoch, waiting.epoch).rawValue + 1)
    var table = TableMachine(
      restoring: restored, epoch: epoch, random: random.split(), limits: limits, at: now)
    table.setWritable(storage == nil)
    table.resume(draggers: waiting.draggers)
    let index = tables.insert(table)
    let draggers = tables[index].knownDraggers
    for suspended in waiting.members where connections.isWaiting(suspended.connection) {
      if let member = tables[index].readmit(suspended, draggers: draggers) {
        connections.setStage(.member(member, table: index), of: suspended.connection)
      } else {
        dismiss(suspended.connection, Rejection.storage(limits).goodbye, at: now)
      }
    }
  }

  private mutating func dismissWaiting(_ id: ConnectionID, _ error: JournalError, at now: Instant) {
    guard connections.isWaiting(id) else { return }
    let detail = "the table cannot be read from the daemon's disk"
    dismiss(
      id, Goodbye(.storage, detail: detail, retryAfterMilliseconds: limits.connections.returnMilliseconds), at: now)
  }

  // MARK: Created

  /// Handles a table that the host has created at a turn's request. The first waiting connection with the same hello is its
  /// creator; without one, the table is discarded, and the next connection creates it again.
  public mutating func made(_ name: String, _ table: MadeTable, at now: Instant) {
    guard let waiting = pending.remove(name) else { return }
    let present = waiting.hellos.filter { connections.isWaiting($0.connection) }
    let creator = present.first { waiting.creator?.wantsSameTable(as: $0.hello) == true }?.connection
    for (id, hello) in present.filter({ $0.connection == creator }) + present.filter({ $0.connection != creator }) {
      connections.setStage(.handshake, of: id)
      guard id == creator, storage == nil else {
        admitAfterLoading(hello, id, at: now)
        continue
      }
      do throws(Rejection) {
        try join(hello, id, insert(table, for: hello), at: now)
      } catch {
        dismiss(id, error.goodbye, at: now)
      }
    }
    if creator == nil {
      accounts.removed(name)
      requests.retired.append(table.table.state)
    }
    for (id, _) in waiting.hellos { receiveKept(id, at: now) }
  }
}

extension Hello {
  /// Returns whether the hello would create the same table.
  fileprivate func wantsSameTable(as other: Hello) -> Bool { tableType == other.tableType && seed == other.seed }
}
