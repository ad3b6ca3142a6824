import BaizeTable
import BaizeWire

/// A disk that takes nothing, and tables that go from memory.
extension ShardMachine {
  /// The turns behind the last that was committed could not be: the disk takes nothing.
  ///
  /// Under ``Durability/strict`` they are void: the host has discarded their writes, and what they did is forgotten. Under
  /// ``Durability/relaxed`` they were seen already: the host keeps their writes and commits them when there is room.
  /// Operations are answered `RETRY(STORAGE)` until ``storageRecovered(at:)``.
  public mutating func storageFailed(_ error: JournalError, at now: Instant) {
    storage = error
    let committed = queue.committed
    let ahead = tables.filter { $0.isAhead(of: committed) }.map(\.name)
    for place in tables.indices { tables[place].suspendWriting() }
    var homeless: [ConnectionID] = []
    if durability == .strict {
      for name in ahead { suspend(name, &homeless) }
    } else {
      // A welcome is never said before it is durable; all else that waited with it was to be seen at once.
      for table in tables { homeless += table.members.filter { $0.joined > committed }.map(\.connection) }
    }
    // Whoever is told nothing now has a snapshot coming, or comes back.
    let places = connections
    queue.void { id in
      guard Int(id.slot) < places.count, let connection = places[Int(id.slot)], connection.id == id else {
        return false
      }
      if case .table = connection.place { return !homeless.contains(id) } else { return false }
    }
    for id in homeless { dismiss(id, TableMachine.Refused.storage(limits).goodbye, at: now) }
  }

  /// The disk takes writes again.
  public mutating func storageRecovered(at now: Instant) {
    storage = nil
    for place in tables.indices {
      tables[place].setWritable(true)
      touch(place)
    }
  }

  /// Forgets a table that has done what may never be durable, and asks for what the journal has of it.
  ///
  /// - Parameter homeless: Gets the connections whose sessions are void: their welcome never left.
  private mutating func suspend(_ name: String, _ homeless: inout [ConnectionID]) {
    guard let table = tablePlaces[name] else { return }
    var suspended = WaitingTable(epoch: tables[table].epoch)
    let committed = queue.committed
    suspended.draggers = tables[table].knownDraggers
    let members = tables[table].suspendedMembers
    remove(table)
    for member in members {
      connections[Int(member.connection.slot)]?.place = .waiting
      if member.joined <= committed { suspended.members.append(member) } else { homeless.append(member.connection) }
    }
    waiting[name] = suspended
    request(name)
  }

  /// Drops the tables that no one is at.
  mutating func unloadIdle(at now: Instant) {
    guard durability != .memory else { return }
    let committed = queue.committed
    for name in tables.filter({ $0.isIdle(committed: committed, at: now) }).map(\.name) {
      if let table = tablePlaces[name] { remove(table) }
    }
  }

  /// Takes a table from memory; the last one takes its place.
  private mutating func remove(_ table: Int) {
    let last = tables.count - 1
    contentBytes -= tables[table].table.state.contentBytes
    if tables[table].table.state.itemCount > setUpItemsAtOnceMax { retired.append(tables[table].table.state) }
    tablePlaces[tables[table].name] = nil
    tables.swapAt(table, last)
    tables.removeLast()
    touched.removeAll { $0 == table }
    guard table < last else { return }
    tablePlaces[tables[table].name] = table
    if let position = touched.firstIndex(of: last) { touched[position] = table }
    renumberAll(of: table)
  }
}

extension TableMachine {
  mutating func setWritable(_ isWritable: Bool) { journalling?.isWritable = isWritable }

  fileprivate mutating func suspendWriting() {
    if isWritable { journalling?.hasLeftover = !record.isEmpty }
    setWritable(false)
  }
}
