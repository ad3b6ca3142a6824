import BaizeTable
import BaizeWire

/// The shares of memory and of contents, by which nobody takes what others need (``Shares``).
///
/// ```
/// an operation changes a table's contents ─▶ charged to its author at the table ─┐ every 16 KiB, and at the sweep
///                                                                                └▶ settled: the accounts of the shard
/// ```
extension ShardMachine {
  // MARK: What is free

  /// The memory of the daemon below the first mark.
  private var memoryShares: Shares {
    memory >= .refusing ? Shares(of: 0, held: 0) : Shares(of: memoryRoomMax, held: memoryRoomMax &- memoryRoom)
  }

  /// The same for what is given up when it is too much: history and sessions.
  private var passingShares: Shares {
    Shares(of: memoryRoomMax, held: memoryRoomMax == .max ? 0 : memoryRoomMax - memoryRoom)
      .leaving(divisor: ServerLimits.leastFreeDivisor)
  }

  /// The contents of the shard's tables below their limit.
  private var contentShares: Shares {
    Shares(of: limits.tables.contentBytesPerShardMax, held: tables.contentBytes + pending.contentBytes)
  }

  /// Returns by how many bytes of contents an account may make tables grow.
  ///
  /// - Parameter isShared: Whether it has no share of its own.
  mutating func room(of account: AccountKey, isShared: Bool) -> Int {
    let (memory, contents) = (memoryShares, contentShares)
    return isShared
      ? max(0, min(memory.free / 2, contents.free)) : shares.room(for: account, memory: memory, contents: contents)
  }

  /// Returns the same for the peer of a connection.
  mutating func room(of id: ConnectionID) -> Int {
    guard let connection = connections[Int(id.slot)] else { return 0 }
    return room(of: connection.account, isShared: connection.isShared)
  }

  /// Notes whether any account holds so much that operations have to be looked at.
  ///
  /// Between two settlements an account grows by less than the slack.
  mutating func noteTightness() {
    func isNear(_ most: Int, _ shares: Shares) -> Bool {
      most > shares.most - ServerLimits.sharesSlackBytes
    }
    isTight =
      memory >= .refusing || isNear(shares.most.memory, memoryShares) || isNear(shares.most.contents, contentShares)
  }

  // MARK: Tables

  /// Charges everyone for the present state of a table.
  ///
  /// - Complexity: O(number of its charges).
  mutating func settle(_ table: Int) {
    tables.charge(table)
    tables[table].charges.divide(tables[table].chargedContentBytes)
    tables[table].charges.settle(tables[table].chargedBytes, into: &shares)
    noteTightness()
  }

  /// Charges the account of a session that has just joined: it may leave again before the next sweep.
  mutating func chargeSession(of member: Int, at table: Int) {
    let slot = tables[table].room.members[member].session
    let bytes = tables[table].memoryBytes(ofSession: slot)
    tables[table].charges.addSession(tables[table].sessions[slot].account, bytes)
    tables[table].sessionsSum = nil
    settle(table)
  }

  /// Charges for what members have put on a table before they leave: an account that holds nothing is forgotten, with the peer and
  /// the networks that it is known by.
  mutating func settleBeforeLeaving(_ table: Int) {
    if tables[table].charges.unsettledBytes > 0 { settle(table) }
  }

  /// Books a floor for a new or loaded table, as far as its account may have one more, and charges for the table.
  mutating func begin(chargingFor table: Int) {
    let bytes = ServerLimits.tableFloorBytes
    let account = tables[table].charges.payer ?? tables[table].charges.creator
    if hasFloor(for: account) { tables[table].charges.floorBytes = bytes }
    settle(table)
  }

  /// Returns whether an account may have one more table with a floor.
  mutating func hasFloor(for account: AccountKey) -> Bool {
    shares.roomForFloors(account, of: floorsReserve) >= ServerLimits.tableFloorBytes
  }

  /// What all floors may be together: they are beyond both limits.
  private var floorsReserve: Int { min(floorsMax, limits.tables.contentBytesPerShardMax / ServerLimits.floorsDivisor) }

  /// Sets the memory that floors of tables may take together, in bytes: contents count twice.
  public mutating func setFloorsReserve(_ bytes: Int) { floorsMax = bytes == .max ? .max : bytes / 2 }

  // MARK: Giving up

  /// Returns whether a connection's peer may open another session.
  func mayOpenSession(_ id: ConnectionID) -> Bool {
    guard isTight, let connection = connections[Int(id.slot)] else { return true }
    return !shares.holdsManySessions(passingShares, connection.account)
  }

  /// Gives up, of a table, what those take beyond their shares who filled it, and who have opened its sessions.
  ///
  /// - Returns: The work, in visits of the sweep; `nil` if nothing was given up.
  mutating func shedBeyondShares(_ table: Int) -> Int? {
    guard isTight else { return nil }
    let (shares, charges) = (passingShares, tables[table].charges)
    var work: Int?
    if self.shares.holdsMuch(shares, charges.payer ?? charges.largest) {
      tables.touch(table)
      work = tables[table].chargedBytes / ServerLimits.bytesPerVisit
      tables[table].shedHistory(into: queue.open)
    }
    let accounts = charges.all.compactMap { charge in
      charge.sessionBytes > 0 && self.shares.holdsManySessions(shares, charges.payer ?? charge.account)
        ? charge.account : nil
    }
    if !accounts.isEmpty {
      tables.touch(table)
      work = work ?? 0
      tables[table].forgetAbsentSpectators { accounts.contains(charges.account(ofSession: $0)) }
    }
    return work
  }

  // MARK: Operations

  /// Limits a table, for an operation of a member, to what the share of its author allows, but not below the table's floor.
  mutating func limitGrowth(of table: Int, by id: ConnectionID) {
    let limit = limits.tables.contentBytesPerTableMax
    guard isTight, let connection = connections[Int(id.slot)] else {
      tables[table].charges.isLimited = false
      tables[table].table.contentBytesMax = limit
      return
    }
    let payer = tables[table].charges.payer(for: connection.account)
    let room = room(of: payer, isShared: connection.isShared)
    tables[table].charges.isLimited = true
    tables[table].table.contentBytesMax = min(
      limit, max(tables[table].table.state.contentBytes + min(room, limit), tables[table].charges.floorBytes))
  }

  /// Charges the author of what has changed the contents of a table, if anything has.
  @inline(__always) mutating func noteContents(of table: Int, by id: ConnectionID) {
    if tables[table].table.state.contentBytes != tables[table].charges.total { chargeContents(of: table, by: id) }
  }

  @inline(never) mutating func chargeContents(of table: Int, by id: ConnectionID) {
    tables[table].charges.note(
      tables[table].table.state.contentBytes, by: connections[Int(id.slot)]?.account ?? .common)
    if isTight || tables[table].charges.unsettledBytes >= ServerLimits.unsettledBytesMax { settle(table) }
    guard tables[table].charges.unrecordedBytes >= ServerLimits.unrecordedChargesMax else { return }
    tables[table].room.sendMoves(into: queue.open)
    tables[table].recordCharges()
  }

  /// Tells the operator of an operation that was refused for want of a share.
  mutating func noteRefusal(by id: ConnectionID, at now: Instant) {
    guard let connection = connections[Int(id.slot)] else { return }
    accounts.used.note(.memory, of: connection.peer, at: now)
  }

  // MARK: Queues

  /// Charges a connection's account for what it has sent and the host keeps until it is complete, or can be received.
  ///
  /// The host reports it when it is more than ``ServerLimits/unreceivedBytesMax``, and when it no longer is.
  public mutating func unreceived(of id: ConnectionID, _ bytes: Int, at now: Instant) {
    advance(to: now)
    hold(bytes, \.input, for: id, at: now)
  }

  /// Charges a connection's account for one of its queues. While memory is short for that account, the connection is closed.
  mutating func hold(
    _ bytes: Int, _ side: WritableKeyPath<(input: Int, output: Int), Int>, for id: ConnectionID, at now: Instant
  ) {
    let change = connections.hold(bytes, side, for: id)
    guard change != 0, let connection = connections[Int(id.slot)] else { return }
    shares.add(ShareAmounts(memory: change), to: connection.account, of: connection.peer)
    noteTightness()
    guard change > 0, isTight, !connection.isShared, bytes > limits.connections.outboxResumeBytes,
      shares.exceeds(memoryShares, connection.account)
    else { return }
    accounts.used.note(.memory, of: connection.peer, at: now)
    dismiss(
      id,
      Goodbye(
        .slow, detail: "this address uses its share of the memory, and this connection uses much of it",
        retryAfterMilliseconds: limits.connections.returnMilliseconds), at: now)
  }

  /// No longer charges for a connection that is closed.
  mutating func releaseHeld(by id: ConnectionID) {
    guard let connection = connections[Int(id.slot)] else { return }
    let held = connection.heldBytes.input + connection.heldBytes.output
    shares.add(ShareAmounts(memory: -held - ServerLimits.connectionBytes), to: connection.account)
  }
}

extension TableMachine {
  /// Has the journal keep who is charged for what, from now on.
  mutating func recordCharges() {
    charges.noteRecorded()
    guard journal != nil else { return }
    // Nothing that is sent depends on it.
    JournalEntry.charged(charges.stored).append(to: &room.log)
  }

  /// Charges those who opened the sessions for their memory.
  ///
  /// - Complexity: O(number of sessions).
  mutating func chargeSessions() {
    var bytes: [(account: AccountKey, bytes: Int)] = []
    var indices: [AccountKey: Int] = [:]
    for slot in sessions.indices where !sessions[slot].isForgotten {
      let account = sessions[slot].account
      // Mostly the next one is of the same account.
      let index = bytes.last?.account == account ? bytes.count - 1 : indices[account, default: bytes.count]
      if index == bytes.count {
        indices[account] = index
        bytes.append((account, 0))
      }
      bytes[index].bytes += sessions[slot].memoryBytes
    }
    charges.setSessions(bytes)
  }
}
