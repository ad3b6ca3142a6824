public import BaizeTable
import BaizeWire

/// The operator's summaries of the tables, and actions on them.
extension ShardMachine {
  // MARK: Inspecting

  /// Returns summaries of some tables in memory, in no particular order.
  ///
  /// - Parameters:
  ///   - index: The number of tables that were visited before. A table that is removed meanwhile may hide another one.
  ///   - limit: The maximum number of tables.
  /// - Returns: The summaries; none at the end.
  public func summaries(from index: Int, limit: Int) -> [LiveTable] {
    tables.all.dropFirst(max(0, index)).prefix(limit).map { LiveTable($0, policy.types) }
  }

  /// Returns the summary of a table, with its seats; `nil` if it is not in memory.
  public func summary(ofTable name: String) -> LiveTable? {
    tables.index(of: name).map { LiveTable(tables[$0], policy.types, withSeats: true) }
  }

  /// Returns the accounts of the peers that have made the shard keep the most.
  ///
  /// - Parameter count: The maximum number of each kind.
  /// - Complexity: O(number of accounts).
  public func largestAccounts(_ count: Int, at now: Instant) -> [PeerLoad] {
    shares.largest(count) + accounts.largest(count, limits, at: now)
  }

  /// The number of accounts, and the most of one, of each kind.
  public var accountFigures: (count: Int, most: PeerLoad) {
    var most = accounts.most
    (most.bytes, most.contentBytes) = (shares.most.memory, shares.most.contents)
    return (max(accounts.count, shares.count), most)
  }

  /// Returns, once, the shares that peers have used up.
  public mutating func takeUsedShares() -> [(peer: PeerID, share: UsedShare)] { accounts.used.take() }

  // MARK: Acting

  /// The reason why an operator's request was not carried out.
  public enum OperatorRefusal: Error, Hashable, Sendable {
    /// There is no such table, or it is not in memory.
    case notFound
    /// Nobody has the seat.
    case freeSeat
    /// The table is being loaded or created, or the journal accepts no writes: the request may be repeated.
    case busy
    /// The table has too many items for this while others are served.
    case tooLarge
    /// There is no room in memory for the table.
    case noRoom
    /// The table cannot be read from the journal.
    case unreadable
    /// The table does not fit the present document of its type.
    case obstacles(MigrationObstacles)
  }

  /// Ends the session that has a seat, as the table's host can (O14).
  public mutating func kick(
    _ seat: SeatNumber, fromTable name: String, at now: Instant
  ) throws(OperatorRefusal) {
    let index = try tableToChange(name)
    begin(at: index)
    guard tables[index].kick(seat, into: queue.open) else { throw .freeSeat }
    closeDepartures(of: index, at: now)
  }

  /// Ends all sessions of a table and frees its seats. The table stays, and can be joined again.
  public mutating func close(table name: String, at now: Instant) throws(OperatorRefusal) {
    let index = try tableToChange(name)
    begin(at: index)
    tables[index].endAllSessions(into: queue.open)
    closeDepartures(of: index, at: now)
  }

  /// Moves a table to the present document of its type. One that is only in the journal is loaded first: it is ``busy``
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - name: The table's name.
  ///   - endsSessions: Whether its sessions are ended, and all seats are free.
  ///   - isStored: Whether the journal has the table, if it is not in memory.
  ///   - now: The present time.
  /// - Returns: Whether it has moved; false if it has the present document.
  public mutating func migrate(
    table name: String, endsSessions: Bool, isStored: Bool = true, at now: Instant
  ) throws(OperatorRefusal) -> Bool {
    if pending[name] == nil, tables.index(of: name) == nil, policy.durability != .memory {
      guard isStored else { throw .notFound }
      try load(name, at: now)
      throw .busy
    }
    let index = try tableToChange(name)
    // The journal gets a new table with the document that it was created with.
    guard tables[index].journal?.isNew != true else { throw .busy }
    guard tables[index].table.state.itemCount <= ServerLimits.migratedItemsMax else { throw .tooLarge }
    begin(at: index)
    do throws(MigrationObstacles) {
      guard
        try tables[index].migrate(
          to: policy.types, endsSessions: endsSessions, random: &random, at: now, into: queue.open)
      else { return false }
    } catch {
      throw .obstacles(error)
    }
    closeDepartures(of: index, at: now)
    settle(index)
    return true
  }

  /// Requests a stored table for the operator alone.
  ///
  /// - Throws: The reason why it could not be loaded when it was requested a moment ago.
  private mutating func load(_ name: String, at now: Instant) throws(OperatorRefusal) {
    switch pending.takeFailure(of: name, at: now) {
    case .noRoom?: throw .noRoom
    case .unreadable?: throw .unreadable
    case .absent?: throw .notFound
    case .present?, .stored?, nil: break
    }
    guard tables.count + pending.count < limits.tables.tablesPerShardMax, storage == nil else { throw .busy }
    pending.expect(name)
    request(name)
  }

  /// Deletes a table with its history, whether it is in memory or only in the journal. Its members receive a goodbye.
  ///
  /// - Parameter isStored: Whether the journal has the table, if it is not in memory.
  public mutating func delete(table name: String, isStored: Bool, at now: Instant) throws(OperatorRefusal) {
    let index = tables.index(of: name)
    let hasJournal = policy.durability != .memory
    guard index != nil || pending.isLoading(name) || hasJournal && isStored else { throw .notFound }
    guard !pending.isLoading(name), storage == nil else { throw .busy }
    if let index {
      begin(at: index)
      for member in tables[index].room.members { dismiss(member.connection, Self.deleted, at: now) }
      // Leaving has not removed the table: only the sweep does.
      remove(index)
    }
    if hasJournal { requests.writes.append(.deletion(name)) }
  }

  /// Deletes a table that nobody has used for long, unless it is in memory.
  ///
  /// - Parameter isDryRun: Whether it stays.
  /// - Returns: Whether it is deleted, or would be.
  public mutating func expire(table name: String, isDryRun: Bool) -> Bool {
    guard !pending.isLoading(name), storage == nil, tables.index(of: name) == nil else { return false }
    if !isDryRun { requests.writes.append(.deletion(name)) }
    return true
  }

  /// Has the journal keep a document of what is revoked, in the place of the last one.
  public mutating func keep(revocations document: [UInt8]) throws(OperatorRefusal) {
    guard storage == nil else { throw .busy }
    requests.writes.append(.revocations(document[...]))
  }

  /// Returns the invite of a table's spectators, and issues it if there is none.
  public mutating func spectatorInvite(toTable name: String) throws(OperatorRefusal) -> String {
    let index = try tableToChange(name)
    if let invite = tables[index].invites[.spectator] { return tables[index].sealed(invite) }
    begin(at: index)
    let invite = tables[index].issueInvite(for: .spectator, random: &random)
    return tables[index].sealed(invite)
  }

  private static let deleted = Goodbye(.kicked, detail: "the daemon's operator has deleted the table")

  private func tableToChange(_ name: String) throws(OperatorRefusal) -> Int {
    guard pending[name] == nil else { throw .busy }
    guard let index = tables.index(of: name) else { throw .notFound }
    guard tables[index].isWritable else { throw .busy }
    return index
  }
}

/// An operator's summary of a table in memory. Names and details come from clients.
public struct LiveTable: Hashable, Sendable {
  public let name: String
  /// The table type as the creator named it.
  public let typeText: String
  public let status: String
  public let revision: Revision
  public let epoch: Epoch
  public let items: Int
  /// The memory of the table, in bytes.
  public let bytes: Int
  public let members: Int
  public let sessions: Int
  /// Whether its type has another document now.
  public let hasOlderDocument: Bool
  /// The taken seats, if they were asked for.
  public let seats: [Seat]

  init(_ table: TableMachine, _ types: any TableTypeSource, withSeats: Bool = false) {
    let state = table.table.state
    (name, typeText, status) = (table.name, table.typeText, state.status)
    (revision, epoch, items, bytes) = (state.revision, table.epoch, state.itemCount, table.chargedBytes)
    (members, sessions) = (table.room.members.count, table.sessions.count)
    hasOlderDocument = types.hasOtherDocument(than: state.type)
    seats = withSeats ? state.seats : []
  }
}

extension TableMachine {
  /// Ends the sessions of the person who has a seat.
  ///
  /// - Returns: Whether the seat was taken.
  fileprivate mutating func kick(_ seat: SeatNumber, into batch: FrameBatch) -> Bool {
    guard let kicked = table.state.seats.first(where: { $0.number == seat }) else { return false }
    publish(table.seat(seats(without: seat)), of: nil, into: batch)
    for slot in sessions.slots(ofPerson: kicked.person) { endSession(slot, Self.kickedByOperator, into: batch) }
    return true
  }

  fileprivate mutating func endAllSessions(into batch: FrameBatch) {
    if !table.state.seats.isEmpty { publish(table.seat([]), of: nil, into: batch) }
    // From the last member on, so that none has to be searched for.
    for member in room.members.indices.reversed() {
      let slot = room.members[member].session
      room.endPresence(of: slot, in: table.state, &sessions, into: batch)
      departures.append((room.members[member].connection, Self.closedByOperator))
      room.remove(member)
    }
    for slot in sessions.indices where !sessions[slot].isForgotten {
      sessions[slot].seat = .spectator
      forget(slot)
    }
  }

  private static let kickedByOperator = Goodbye(.kicked, detail: "the daemon's operator has ended the session")
  private static let closedByOperator = Goodbye(.kicked, detail: "the daemon's operator has closed the table")
}
