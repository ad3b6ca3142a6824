import BaizeTable
import BaizeWire

/// Timeouts: connections that are silent or do not read, expired sessions and seats, idle tables.
extension ShardMachine {
  /// Applies the timeouts. The host calls it about once a second, and again soon if one call has not visited everything: a
  /// call visits a bounded number of connections and tables, so that no turn becomes long.
  ///
  /// - Returns: Whether everything was visited.
  @discardableResult
  public mutating func tick(at now: Instant) -> Bool {
    advance(to: now)
    var visits = ServerLimits.sweepVisitsMax
    guard closeTimedOut(&visits, at: now), sweepTables(&visits, at: now) else { return false }
    tables.endCount()
    accounts.endSweep(limits, at: now)
    shares.sweep()
    noteTightness()
    revocations.endSweep()
    sweep.finish(at: now)
    return true
  }

  private mutating func closeTimedOut(_ visits: inout Int, at now: Instant) -> Bool {
    var closed = 0
    // Each one is looked up again, since closing one may move another member to its index.
    while sweep.slot < connections.slotCount {
      guard visits > 0 else { return false }
      if case .member(let member, let table)? = connections[sweep.slot]?.stage {
        tables[table].room.observeLoading(member, at: now)
      }
      if let connection = connections[sweep.slot], let goodbye = timedOut(connection, at: now) {
        guard closed < limits.connections.dismissalsPerTickMax else { return false }
        closed += 1
        dismiss(connection.id, goodbye, at: now)
      }
      chargeUncharged(sweep.slot, at: now)
      visits -= 1
      sweep.slot += 1
    }
    return true
  }

  // MARK: Written bytes

  /// Counts bytes that a connection has had written, and charges its peer for them once they are many.
  mutating func countWritten(_ bytes: Int, by id: ConnectionID, at now: Instant) {
    guard policy.durability != .memory,
      connections.countWritten(bytes, by: id) >= ServerLimits.unchargedBytesMax
    else { return }
    chargeUncharged(Int(id.slot), at: now)
  }

  /// Charges a connection's peer, and decides whether the connection may have more written.
  mutating func chargeUncharged(_ slot: Int, at now: Instant) {
    guard policy.durability != .memory, let connection = connections[slot] else { return }
    let bytes = connections.takeUncharged(slot)
    guard case .member(let member, let table) = connection.stage else {
      _ = accounts.charge(connection.peer, bytes, limits, at: now)
      return
    }
    guard bytes > 0 || accounts.hasFull || !tables[table].room.members[member].mayWrite else { return }
    tables[table].room.members[member].mayWrite = accounts.charge(connection.peer, bytes, limits, at: now)
  }

  /// Returns the goodbye for a connection that has timed out; `nil` if it has not.
  private func timedOut(_ connection: ShardConnections.Connection, at now: Instant) -> Goodbye? {
    if let granted = connections.granted(of: connection.id), let goodbye = timedOut(granted, connection.stage) {
      return goodbye
    }
    let silence = now.milliseconds(since: connection.lastReceived)
    switch connection.stage {
    case .handshake where silence >= limits.connections.handshakeSeconds * 1_000:
      return Goodbye(.timeout, detail: "no hello arrived in time")
    case .member where silence >= limits.connections.heartbeatSeconds * 3_000:
      return Goodbye(.timeout, detail: "nothing was received for too long")
    case .member(let member, let table) where tables[table].room.isStalled(member, at: now):
      return Goodbye(.slow, detail: "too little was read for too long")
    case .member(let member, let table) where tables[table].room.isLoadingTooSlowly(member):
      return Goodbye(.slow, detail: "the snapshot was read too slowly")
    case .handshake, .member, .waiting, .closing: return nil
    }
  }

  /// Carries out what the table type prescribes when a table's time is up. What that writes is charged to the address of a
  /// connected player: time runs only while there is one.
  ///
  /// - Returns: The work that was done, in units of a turn's budget.
  private mutating func expire(_ table: Int, at now: Instant) -> Int {
    begin(at: table)
    let writtenBytes = tables[table].room.writtenBytes
    let work = tables[table].expire(at: now, into: queue.open)
    let players = tables[table].room.members.filter(\.keepsTime)
    if let player = players.first(where: \.mayWrite) ?? players.first {
      countWritten(tables[table].room.writtenBytes - writtenBytes, by: player.connection, at: now)
    }
    return work
  }

  private mutating func sweepTables(_ visits: inout Int, at now: Instant) -> Bool {
    while sweep.table < tables.count {
      // Seats that become free are published to all members.
      guard visits > 0, queue.open.byteCount < ServerLimits.turnBytesMax else { return false }
      let index = sweep.table
      if memory >= .refusing, !packAnswers(of: index, &visits) { return false }
      visits -= 1 + tables[index].sessions.indices.count
      let hasChanged = tables[index].sweep(at: now, into: queue.open)
      if hasChanged || tables[index].wantsTurn { tables.touch(index) }
      if tables[index].isTimeUp(at: now) {
        // As with operations, many tables whose time is up at once delay no turn by more than its budget.
        let work = expire(index, at: now)
        visits -= work * ServerLimits.visitsPerWork
        budget.charge(work)
      }
      if tables[index].room.members.isEmpty, tables[index].room.emptySince == nil {
        tables[index].room.emptySince = now
      }
      if tables[index].room.emptySince != nil { sweep.idle.append(tables[index].name) }
      if memory >= .shedding {
        tables.touch(index)
        visits -= tables[index].chargedBytes / ServerLimits.bytesPerVisit
        tables[index].shed(into: queue.open)
      } else if let work = shedBeyondShares(index) {
        visits -= work
      } else {
        visits -= tables[index].shrinkIfQuiet()
      }
      tables.count(index)
      settle(index)
      sweep.table += 1
      sweep.session = 0
    }
    return true
  }

  /// Packs, while memory is short, the answers of all sessions of a table, connected ones included.
  ///
  /// - Returns: Whether none is left.
  private mutating func packAnswers(of table: Int, _ visits: inout Int) -> Bool {
    while sweep.session < tables[table].sessions.indices.count {
      guard visits > 0 else { return false }
      visits -= tables[table].packAnswers(of: sweep.session)
      sweep.session += 1
    }
    return true
  }
}

struct ShardSweep {
  /// The next connection slot and the next table to visit.
  var slot = 0
  var table = 0
  /// The next session of that table whose answers are packed while memory is short.
  var session = 0
  /// The tables without members that were found.
  var idle: [String] = []
  /// The tables of the last sweep that may be unloaded, in reverse order, and the time of its end.
  private var leaving: [String] = []
  private var finished = Instant(nanoseconds: 0)

  mutating func finish(at now: Instant) {
    slot = 0
    table = 0
    session = 0
    finished = now
    leaving = idle.reversed()
    idle.removeAll(keepingCapacity: true)
  }

  /// Whether ``takeIdle()`` returns tables.
  var hasIdle: Bool { !leaving.isEmpty }

  /// Returns a bounded number of the tables without members of the last sweep, each once, with the time of its end.
  mutating func takeIdle() -> (tables: [String], at: Instant) {
    let tables = leaving.suffix(ServerLimits.unloadVisitsMax)
    leaving.removeLast(tables.count)
    return (Array(tables), finished)
  }
}
