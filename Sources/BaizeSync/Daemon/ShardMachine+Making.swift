public import BaizeTable
import BaizeWire

/// Tables that nobody has yet.
extension ShardMachine {
  /// Makes the table that a hello names and nobody has, or has the host make it, where that would take too long within a
  /// turn.
  mutating func makeTable(_ hello: Hello, _ id: ConnectionID, at now: Instant) throws(TableMachine.Refused) {
    let type = try typeToMake(hello)
    let source = hello.seed == 0 ? random.split() : RandomSource(seed: hello.seed)
    guard type.setUp.itemCount > setUpItemsAtOnceMax else {
      try join(hello, id, add(Table(type: type, random: source), for: hello), at: now)
      return
    }
    connections[Int(id.slot)]?.place = .waiting
    waiting[hello.table] = WaitingTable(
      hellos: [(id, hello)], isRequested: true, maker: id, contentBytes: Self.contentBytes(of: type))
    contentBytes += Self.contentBytes(of: type)
    setUps.append(TableSetUp(table: hello.table, type: type, random: source))
  }

  /// A table is made that a turn asked for.
  public mutating func made(_ name: String, _ table: Table, at now: Instant) {
    guard let waiting = waiting.removeValue(forKey: name) else { return }
    contentBytes -= waiting.contentBytes
    for (id, hello) in waiting.hellos where isWaiting(id) {
      connections[Int(id.slot)]?.place = .door
      guard id == waiting.maker, storage == nil else {
        // Where its maker has gone, the table is made anew for the next: as that one wants it.
        greetArrived(hello, id, at: now)
        continue
      }
      do throws(TableMachine.Refused) {
        try join(hello, id, add(table, for: hello), at: now)
      } catch {
        dismiss(id, error.goodbye, at: now)
      }
    }
    for (id, _) in waiting.hellos { hearKept(id, at: now) }
  }

  /// The type of the table that a hello names, if it may be made.
  private func typeToMake(_ hello: Hello) throws(TableMachine.Refused) -> TableType {
    guard hello.resumeToken.isEmpty else {
      throw TableMachine.Refused(.tokenInvalid, "there is no such table, so there is no such session")
    }
    guard !hello.tableType.isEmpty else {
      throw TableMachine.Refused(.unknownTable, "there is no such table, and no type to create it with")
    }
    guard tables.count < limits.tablesPerShardMax else { throw Self.noRoom }
    let type = try tableType(hello.tableType)
    let bytes = Self.contentBytes(of: type)
    guard type.setUp.itemCount <= limits.itemsPerTableMax, bytes <= limits.contentBytesPerTableMax else {
      throw TableMachine.Refused(.tableSize, "\(type.setUp.itemCount) items are more than a table holds")
    }
    guard hasRoom(forTableOf: bytes) else { throw Self.noRoom }
    guard storage == nil else { throw TableMachine.Refused.storage(limits) }
    return type
  }

  /// About what a new table of a type takes.
  private static func contentBytes(of type: TableType) -> Int { type.setUp.itemCount * TableLimits.itemContentBytes }

  private mutating func add(_ table: Table, for hello: Hello) -> Int {
    var made = TableMachine(
      name: hello.table, typeText: hello.tableType, table: table, limits: limits, isJournalled: durability != .memory)
    if asksForInvite(table.state.type) { _ = made.mintInvite(for: .player, random: &random) }
    return add(made)
  }

  static var noRoom: TableMachine.Refused {
    TableMachine.Refused(.tooManyTables, "the daemon holds as much as it may")
  }

  mutating func add(_ table: TableMachine) -> Int {
    let place = tables.count
    contentBytes += table.table.state.contentBytes
    tables.append(table)
    tablePlaces[table.name] = place
    touch(place)
    return place
  }
}
