import BaizeTable
import BaizeWire

/// What is overdue: connections that are silent or do not read, sessions and seats whose time is over, idle tables.
extension ShardMachine {
  /// Sweeps: to be called about once a second, and again soon where one call has not visited everything. Nobody waits for a
  /// turn in which thousands of connections or tables are visited.
  ///
  /// - Returns: Whether everything was visited.
  @discardableResult
  public mutating func tick(at now: Instant) -> Bool {
    var visits = ServerLimits.sweepVisitsMax
    guard closeTimedOut(&visits, at: now), sweepTables(&visits, at: now) else { return false }
    tables.endCount(besides: pending.contentBytes, bytesMax: limits.contentBytesPerShardMax)
    sweep.finish(at: now)
    return true
  }

  private mutating func closeTimedOut(_ visits: inout Int, at now: Instant) -> Bool {
    var closed = 0
    // Each is looked up anew: closing one may give other members another index.
    while sweep.slot < connections.slotCount {
      guard visits > 0 else { return false }
      if let connection = connections[sweep.slot], let goodbye = timedOut(connection, at: now) {
        guard closed < limits.dismissalsPerTickMax else { return false }
        closed += 1
        dismiss(connection.id, goodbye, at: now)
      }
      visits -= 1
      sweep.slot += 1
    }
    return true
  }

  /// The reason why a connection is closed that has let too much time pass.
  private func timedOut(_ connection: ShardConnections.Connection, at now: Instant) -> Goodbye? {
    let silence = now.milliseconds(since: connection.lastReceived)
    switch connection.stage {
    case .handshake where silence >= limits.handshakeSeconds * 1_000:
      return Goodbye(.timeout, detail: "no hello came in time")
    case .member where silence >= limits.heartbeatSeconds * 3_000:
      return Goodbye(.timeout, detail: "nothing was received for too long")
    case .member(let member, let table) where tables[table].room.isStalled(member, at: now):
      return Goodbye(.slow, detail: "too little was read for too long")
    case .handshake, .member, .waiting, .closing: return nil
    }
  }

  private mutating func sweepTables(_ visits: inout Int, at now: Instant) -> Bool {
    while sweep.table < tables.count {
      guard visits > 0 else { return false }
      let index = sweep.table
      visits -= 1 + tables[index].sessions.indices.count
      let hasChanged = tables[index].sweep(at: now, into: queue.open)
      if hasChanged || tables[index].wantsTurn { tables.touch(index) }
      if policy.durability != .memory, tables[index].room.emptySince != nil { sweep.idle.append(tables[index].name) }
      tables.count(index)
      sweep.table += 1
    }
    return true
  }
}

/// How far a sweep has come.
struct ShardSweep {
  /// The next slot of a connection, and the next table.
  var slot = 0
  var table = 0
  /// The tables found that nobody is at.
  var idle: [String] = []
  private var finished: Instant?

  /// Begins anew.
  mutating func finish(at now: Instant) {
    slot = 0
    table = 0
    finished = now
  }

  /// Returns the tables that nobody was at, once for each sweep, and when it ended.
  mutating func takeIdle() -> (tables: [String], at: Instant)? {
    guard let now = finished.take() else { return nil }
    var tables: [String] = []
    swap(&tables, &idle)
    return (tables, now)
  }
}
