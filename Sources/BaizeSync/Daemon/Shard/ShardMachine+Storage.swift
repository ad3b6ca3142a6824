import BaizeTable
import BaizeWire

/// Storage failures, and unloading of tables.
extension ShardMachine {
  /// Handles a failed commit: the turns after the last committed one are not durable.
  ///
  /// Under ``Durability/strict`` they are void: the host has discarded their writes, and their effects are rolled back. Under
  /// ``Durability/relaxed`` clients have received them: the host keeps their writes and commits them when there is room.
  /// Operations are answered `RETRY(STORAGE)` until ``storageRecovered(at:)``.
  public mutating func storageFailed(_ error: JournalError, at now: Instant) {
    advance(to: now)
    storage = error
    let committed = queue.committed
    let ahead = tables.all.filter { $0.isAhead(of: committed) }.map(\.name)
    for table in tables.indices {
      tables[table].room.sendMoves(into: queue.open)
      tables[table].suspendWriting()
      if tables[table].clock != nil { tables.touch(table) }
    }
    let isVoid = policy.durability == .strict
    for table in newTables.removeAll(isVoid: isVoid, committed: committed) { discard(table.name, table.made) }
    var void: [ConnectionID] = []
    if isVoid {
      for name in ahead { suspend(name, &void) }
    } else {
      // A welcome is never sent before it is durable; other frames waited only for the welcome and are sent.
      for table in tables.all { void += table.room.members.filter { $0.joined > committed }.map(\.connection) }
    }
    // A connection whose frames are dropped gets a snapshot, or reconnects.
    let connections = connections
    let dismissed = Set(void)
    queue.void { id in
      if case .member = connections.stage(of: id) { !dismissed.contains(id) } else { false }
    }
    for id in void { dismiss(id, Rejection.storage(limits).goodbye, at: now) }
  }

  public mutating func storageRecovered(at now: Instant) {
    advance(to: now)
    storage = nil
    for table in tables.indices {
      tables[table].setWritable(true)
      if tables[table].clock != nil { tables.touch(table) }
      if tables[table].hasToWrite { tables.touch(table) }
    }
  }

  /// Removes a table with effects that are not durable, and requests it from the journal.
  ///
  /// - Parameter void: Receives the connections of void sessions, whose welcome was never sent.
  private mutating func suspend(_ name: String, _ void: inout [ConnectionID]) {
    guard let index = tables.index(of: name) else { return }
    let committed = queue.committed
    let (epoch, draggers, members) = (tables[index].epoch, tables[index].knownDraggers, tables[index].suspendedMembers)
    remove(index)
    for member in members {
      connections.setStage(.waiting, of: member.connection)
      if member.joined > committed { void.append(member.connection) }
    }
    pending.suspend(name, members.filter { $0.joined <= committed }, draggers: draggers, epoch: epoch)
    request(name)
  }

  /// Unloads the tables that the sweep found idle. Without a journal they are lost, and go only when their time is up, however short
  /// memory is: newcomers are refused instead.
  mutating func unloadIdle(_ end: inout TurnEnd) {
    guard sweep.hasIdle else { return }
    let (names, now) = sweep.takeIdle()
    let committed = queue.committed
    for name in names {
      // A table is not unloaded before those that have waited for it are admitted.
      guard pending[name] == nil, let index = tables.index(of: name) else { continue }
      if tables[index].isIdle(committed: committed, isShort: memory >= .shedding, at: now) { remove(index) }
    }
    end.retired += requests.retired
    requests.retired.removeAll()
  }

  mutating func remove(_ index: Int) {
    accounts.removed(tables[index].name)
    tables[index].charges.release(from: &shares)
    let (table, hasMoved) = tables.remove(index)
    requests.retired.append(RetiredTable(table.table, table.sessions))
    if hasMoved { renumberAll(of: index) }
  }
}
