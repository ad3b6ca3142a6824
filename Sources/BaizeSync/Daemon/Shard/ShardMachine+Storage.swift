import BaizeTable
import BaizeWire

/// A disk that fails, and tables that go from memory.
extension ShardMachine {
  /// The turns behind the last that was committed could not be committed: the disk fails.
  ///
  /// Under ``Durability/strict`` they are void: the host has discarded their writes, and what they did is forgotten. Under
  /// ``Durability/relaxed`` they were seen already: the host keeps their writes and commits them when there is room.
  /// Operations are answered `RETRY(STORAGE)` until ``storageRecovered(at:)``.
  public mutating func storageFailed(_ error: JournalError, at now: Instant) {
    storage = error
    let committed = queue.committed
    let ahead = tables.all.filter { $0.isAhead(of: committed) }.map(\.name)
    for table in tables.indices {
      tables[table].room.sendMoves(into: queue.open)
      tables[table].suspendWriting()
    }
    var void: [ConnectionID] = []
    if policy.durability == .strict {
      for name in ahead { suspend(name, &void) }
    } else {
      // A welcome is never sent before it is durable; all else that waited with it was to be seen at once.
      for table in tables.all { void += table.room.members.filter { $0.joined > committed }.map(\.connection) }
    }
    // A connection that is sent nothing now has a snapshot coming, or comes back.
    let connections = connections
    queue.void { id in
      if case .member = connections.stage(of: id) { !void.contains(id) } else { false }
    }
    for id in void { dismiss(id, Rejection.storage(limits).goodbye, at: now) }
  }

  /// The disk accepts writes again.
  public mutating func storageRecovered(at now: Instant) {
    storage = nil
    for table in tables.indices {
      tables[table].setWritable(true)
      tables.touch(table)
    }
  }

  /// Forgets a table that has done what may never be durable, and asks for what the journal has of it.
  ///
  /// - Parameter void: Gets the connections whose sessions are void: their welcome was never sent.
  private mutating func suspend(_ name: String, _ void: inout [ConnectionID]) {
    guard let index = tables.index(of: name) else { return }
    var suspended = PendingTable(epoch: tables[index].epoch)
    let committed = queue.committed
    suspended.draggers = tables[index].knownDraggers
    let members = tables[index].suspendedMembers
    remove(index)
    for member in members {
      connections.setStage(.waiting, of: member.connection)
      if member.joined <= committed { suspended.members.append(member) } else { void.append(member.connection) }
    }
    pending.insert(suspended, named: name)
    request(name)
  }

  /// Removes the tables from memory that the sweep found idle.
  mutating func unloadIdle(_ end: inout TurnEnd) {
    guard let (names, now) = sweep.takeIdle() else { return }
    let committed = queue.committed
    for name in names {
      if let index = tables.index(of: name), tables[index].isIdle(committed: committed, at: now) { remove(index) }
    }
    end.retired += requests.retired
    requests.retired.removeAll()
  }

  private mutating func remove(_ index: Int) {
    let (state, hasMoved) = tables.remove(index)
    if state.itemCount > policy.setUpItemsAtOnceMax { requests.retired.append(state) }
    if hasMoved { renumberAll(of: index) }
  }
}
