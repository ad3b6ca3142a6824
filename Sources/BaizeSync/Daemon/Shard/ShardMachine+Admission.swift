import BaizeTable
import BaizeWire

/// Admission: from a hello to a member of a table, which may have to be created or loaded first.
extension ShardMachine {
  /// Makes a connection a member of the table that it names, or has it wait until the table is loaded or created, and until those
  /// who came before are admitted: one of them may be an earlier connection of the same session.
  mutating func admit(_ hello: Hello, _ id: ConnectionID, at now: Instant) {
    do throws(Rejection) {
      try check(hello)
      guard let hello = try granted(hello, id) else { return }
      let right = try policy.right(of: hello)
      if pending[hello.table]?.hellos.isEmpty ?? true, let table = tables.index(of: hello.table) {
        try enter(hello, id, table, at: now)
      } else if policy.durability != .memory || pending[hello.table] != nil {
        try wait(hello, id, right)
      } else {
        try createTable(hello, id, at: now)
      }
    } catch {
      dismiss(id, error.goodbye, at: now)
    }
  }

  /// Makes a connection a member of a table in memory, if its hello may join that.
  mutating func enter(_ hello: Hello, _ id: ConnectionID, _ table: Int, at now: Instant) throws(Rejection) {
    try tables[table].checkInvite(policy.opened(hello), joinContext(at: table, now))
    try checkType(hello.tableType, of: tables[table])
    try join(hello, id, table, at: now)
  }

  mutating func join(_ hello: Hello, _ id: ConnectionID, _ table: Int, at now: Instant) throws(Rejection) {
    begin(at: table)
    let writtenBytes = tables[table].room.writtenBytes
    var context = joinContext(at: table, now)
    context.account = connections[Int(id.slot)]?.account ?? .common
    context.rights = connections.granted(of: id)?.rights
    // Who has created a table may join it.
    let isNew = tables[table].sessions.nextID.rawValue == 1
    if policy.durability != .memory, !isNew, let peer = connections[Int(id.slot)]?.peer {
      context.mayWrite = accounts.mayWrite(peer, limits, at: now)
    }
    guard isNew || tables[table].hasSession(for: hello) || mayOpenSession(id) else {
      noteRefusal(by: id, at: now)
      throw Rejection.sessions(limits)
    }
    let admission = try tables[table].join(
      policy.opened(hello), on: id, context, random: &random, into: queue.open)
    if let displaced = admission.displaced {
      connections.setStage(.closing, of: displaced)
      renumberAll(of: table)
      dismiss(displaced, Self.displaced, at: now)
    }
    connections.setStage(.member(admission.member, table: table), of: id)
    sendTokenTime(to: id)
    if !tables[table].departures.isEmpty { closeDepartures(of: table, at: now) }
    if admission.changesAccount, case .member(let member, _)? = connections.stage(of: id) {
      chargeSession(of: member, at: table)
    }
    countWritten(tables[table].room.writtenBytes - writtenBytes, by: id, at: now)
    chargeUncharged(Int(id.slot), at: now)
  }

  static let displaced = Goodbye(.displaced, detail: "the session continues on another connection")

  private func joinContext(at table: Int, _ now: Instant) -> TableMachine.JoinContext {
    // This holds even during a storage failure: the disk may recover before this turn ends, and its frames wait then.
    TableMachine.JoinContext(
      turn: queue.next, now: now, requiresInvite: policy.requiresInvite(tables[table].table.state.type),
      storage: storage,
      committed: queue.committed)
  }

  // MARK: Checks

  private func check(_ hello: Hello) throws(Rejection) {
    guard hello.version == WireProtocol.version else {
      throw Rejection(
        .unsupportedVersion, "this daemon speaks version \(WireProtocol.version), not \(hello.version)")
    }
    guard Self.isTableName(hello.table) else {
      throw Rejection(.badTableID, "a table's id is 1 to 64 characters of A-Z a-z 0-9 . _ -")
    }
    guard hello.credential.isEmpty || hello.credential.count == WireLimits.credentialBytes else {
      throw Rejection(
        .badCredential, "a credential has \(WireLimits.credentialBytes) bytes, not \(hello.credential.count)")
    }
    guard hello.seed == 0 || policy.allowsSeeds else {
      throw Rejection(.seedNotAllowed, "this daemon accepts no seeds (see --allow-seeds)")
    }
  }

  /// Returns whether a text is a valid table id.
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

  private func checkType(_ text: String, of table: TableMachine) throws(Rejection) {
    guard !text.isEmpty, !text.hasBytes(of: table.typeText) else { return }
    guard try isType(table.table.state.type, named: text) else {
      throw Rejection(.tableTypeMismatch, "the table is of type \(table.typeText)")
    }
  }

  private func isType(_ type: TableType, named text: String) throws(Rejection) -> Bool {
    do throws(TableTypeFailure) {
      return try policy.types.isType(type, named: text)
    } catch {
      throw Rejection(error)
    }
  }

  private func tableType(_ text: String) throws(Rejection) -> TableType {
    do throws(TableTypeFailure) {
      return try policy.types.tableType(named: text)
    } catch {
      throw Rejection(error)
    }
  }

  // MARK: Creating tables

  /// Creates the table that a hello names, or has the host create it if that would take too long within a turn.
  mutating func createTable(_ hello: Hello, _ id: ConnectionID, at now: Instant) throws(Rejection) {
    let type = try typeToCreate(hello, id, at: now)
    let source = hello.seed == 0 ? random.split() : RandomSource(seed: hello.seed)
    guard type.setUp.itemCount > policy.setUpItemsAtOnceMax else {
      try join(
        hello, id, insert(MadeTable(table: Table(type: type, random: source), snapshot: []), for: hello, by: id),
        at: now)
      return
    }
    connections.setStage(.waiting, of: id)
    let bytes = type.setUpBytes
    let account = connections[Int(id.slot)]?.account ?? .common
    shares.add(ShareAmounts(memory: 2 * bytes, contents: bytes), to: account)
    pending.create(for: hello, of: id, bytes: bytes, chargedTo: account)
    requests.setUps.append(
      TableSetUp(
        table: hello.table, typeText: hello.tableType, type: type, random: source, limits: policy.sharedLimits,
        isJournalled: policy.durability != .memory))
  }

  /// Returns the type of the table that a hello names, if it may be created.
  private mutating func typeToCreate(
    _ hello: Hello, _ id: ConnectionID, at now: Instant
  ) throws(Rejection) -> TableType {
    guard !hello.tableType.isEmpty else {
      throw Rejection(.unknownTable, "there is no such table, and no type to create it with")
    }
    try policy.creation.check(hello)
    guard tables.count + pending.count < limits.tables.tablesPerShardMax else { throw noRoom(for: hello) }
    if !policy.types.isCompiled(hello.tableType) { budget.charge(ServerLimits.compilationWork) }
    let type = try tableType(hello.tableType)
    try connections.granted(of: id)?.rights.checkSeat(of: type)
    let bytes = type.setUpBytes
    guard type.setUp.itemCount <= limits.tables.itemsPerTableMax, bytes <= limits.tables.contentBytesPerTableMax else {
      throw Rejection(.tableSize, "\(type.setUp.itemCount) items are more than a table may have")
    }
    guard hasRoom(forTableOf: bytes, by: id) else {
      noteRefusal(by: id, at: now)
      throw noRoom(for: hello)
    }
    guard storage == nil else { throw Rejection.storage(limits) }
    try count(hello, of: type.setUp.itemCount * TableLimits.itemContentBytes, id, at: now)
    return type
  }

  /// Charges the creator of a table.
  private mutating func count(_ hello: Hello, of bytes: Int, _ id: ConnectionID, at now: Instant) throws(Rejection) {
    let peer = connections[Int(id.slot)]?.peer ?? .unknown
    let written = policy.durability == .memory ? 0 : bytes
    switch accounts.create(hello.table, of: written, by: peer, limits, at: now) {
    case .allowed: break
    case .storage: throw Rejection.share(limits)
    case .tooMany: throw Rejection(.tooManyTables, "this address has as many tables as it may have")
    case .later:
      throw Rejection(
        Goodbye(
          .tooManyTables, detail: "this address creates tables too fast", isResumable: true,
          retryAfterMilliseconds: limits.connections.returnMilliseconds))
    }
  }

  /// Adds a table that was created by a hello, and charges its connection for it.
  mutating func insert(_ made: MadeTable, for hello: Hello, by id: ConnectionID) -> Int {
    var table = TableMachine(
      name: hello.table, typeText: hello.tableType, table: made.table, limits: policy.sharedLimits,
      isJournalled: policy.durability != .memory)
    table.journal?.prepare(made)
    if policy.requiresInvite(made.table.state.type) { _ = table.issueInvite(for: .player, random: &random) }
    table.charges.begin(by: connections[Int(id.slot)]?.account ?? .common)
    table.charges.divide(table.table.state.contentBytes)
    table.recordCharges()
    let index = tables.insert(table)
    begin(chargingFor: index)
    return index
  }

  // MARK: Room

  /// Returns whether the share of a connection's peer has room for another table of so many bytes of contents, which may take twice
  /// as much memory.
  mutating func hasRoom(forTableOf bytes: Int, by id: ConnectionID) -> Bool {
    let room = room(of: id)
    return room > 0 && room >= bytes
  }

  /// Returns the rejection of another table. A client that resumes a session may try again: its table is not a new one.
  func noRoom(for hello: Hello) -> Rejection {
    let isKnown = !hello.ticket.isEmpty
    return Rejection(
      Goodbye(
        .tooManyTables, detail: "the daemon has no room for another table", isResumable: isKnown,
        retryAfterMilliseconds: isKnown ? limits.connections.returnMilliseconds : 0))
  }
}
