import BaizeTable
import BaizeWire

/// Tables that nobody has yet.
extension ShardMachine {
  /// Makes the table that a hello names and nobody has, or has the host make it, where that would take too long within a
  /// turn.
  mutating func makeTable(_ hello: Hello, _ id: ConnectionID, at now: Instant) throws(TableMachine.Refused) {
    let type = try typeToMake(hello)
    let source = hello.seed == 0 ? random.split() : RandomSource(seed: hello.seed)
    guard type.setUp.itemCount > setUpItemsAtOnceMax else {
      try join(hello, id, add(MadeTable(table: Table(type: type, random: source), snapshot: []), for: hello), at: now)
      return
    }
    connections[Int(id.slot)]?.place = .waiting
    waiting[hello.table] = WaitingTable(
      hellos: [(id, hello)], isRequested: true, wish: hello, contentBytes: Self.contentBytes(of: type))
    contentBytes += Self.contentBytes(of: type)
    setUps.append(
      TableSetUp(
        table: hello.table, typeText: hello.tableType, type: type, random: source, limits: limits,
        isJournalled: durability != .memory))
  }

  /// A table is made that a turn asked for. Who waits for it with the same wish, and came first, has made it; where nobody
  /// does any more, it is made anew as the next one wishes.
  public mutating func made(_ name: String, _ table: MadeTable, at now: Instant) {
    guard let waiting = waiting.removeValue(forKey: name) else { return }
    contentBytes -= waiting.contentBytes
    let present = waiting.hellos.filter { isWaiting($0.connection) }
    let maker = present.first { waiting.wish?.asksForTheSame(as: $0.hello) == true }?.connection
    for (id, hello) in present.filter({ $0.connection == maker }) + present.filter({ $0.connection != maker }) {
      connections[Int(id.slot)]?.place = .door
      guard id == maker, storage == nil else {
        greetArrived(hello, id, at: now)
        continue
      }
      do throws(TableMachine.Refused) {
        try join(hello, id, add(table, for: hello), at: now)
      } catch {
        dismiss(id, error.goodbye, at: now)
      }
    }
    if maker == nil { retired.append(table.table.state) }
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
    guard tables.count + waiting.count < limits.tablesPerShardMax else { throw noRoom(for: hello) }
    let type = try tableType(hello.tableType)
    let bytes = Self.contentBytes(of: type)
    guard type.setUp.itemCount <= limits.itemsPerTableMax, bytes <= limits.contentBytesPerTableMax else {
      throw TableMachine.Refused(.tableSize, "\(type.setUp.itemCount) items are more than a table holds")
    }
    guard hasRoom(forTableOf: bytes) else { throw noRoom(for: hello) }
    guard storage == nil else { throw TableMachine.Refused.storage(limits) }
    return type
  }

  /// About what a new table of a type takes.
  private static func contentBytes(of type: TableType) -> Int { type.setUp.itemCount * TableLimits.itemContentBytes }

  private mutating func add(_ made: MadeTable, for hello: Hello) -> Int {
    var table = TableMachine(
      name: hello.table, typeText: hello.tableType, table: made.table, limits: limits,
      isJournalled: durability != .memory)
    table.journalling?.prepared = made.snapshot
    if asksForInvite(made.table.state.type) { _ = table.mintInvite(for: .player, random: &random) }
    return add(table)
  }

  /// A session that comes back may try again: the table that it was at is no new one.
  func noRoom(for hello: Hello) -> TableMachine.Refused {
    let isKnown = !hello.resumeToken.isEmpty
    return TableMachine.Refused(
      Goodbye(
        .tooManyTables, detail: "the daemon holds as much as it may", isResumable: isKnown,
        retryAfterMilliseconds: isKnown ? limits.returnMilliseconds : 0))
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

extension Hello {
  /// Whether it would make the same table.
  fileprivate func asksForTheSame(as other: Hello) -> Bool { tableType == other.tableType && seed == other.seed }
}
