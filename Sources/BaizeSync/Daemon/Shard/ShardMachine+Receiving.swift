import BaizeTable
public import BaizeWire

/// Received frames, and their messages by the phase of the connection.
extension ShardMachine {
  /// The result of receiving bytes of a connection.
  public struct Received: Sendable {
    public var frames = 0
    /// The size of the received frames in bytes.
    public var bytes = 0
    /// Whether the remaining frames wait for the next turn.
    public var isDeferred = false
    /// Whether the remaining frames wait for a table that is being loaded or created: the host presents them again once
    /// ``ShardMachine/takeResumed()`` returns the connection, and does not read from it before.
    public var isWaiting = false
    /// The bytes that moves have had written.
    var writtenBytes = 0
  }

  /// Receives the complete frames at the front of a connection's bytes, as many as the turn's budget allows.
  ///
  /// - Parameter isBounded: Whether frames that exceed the turn's budget are deferred.
  public mutating func receive(
    _ bytes: UnsafeRawBufferPointer, _ reader: FrameReader, on id: ConnectionID, within isBounded: Bool = true,
    at now: Instant
  ) -> Received {
    advance(to: now)
    var received = Received()
    do throws(DecodeError) {
      frames: repeat {
        if case .member(let member, let table)? = connections.stage(of: id), storage == nil {
          try receiveMoves(
            bytes, reader, from: member, at: table, on: id, within: isBounded, at: now, &received)
        }
        // Mostly the bytes end with a frame. This check saves the reader from throwing `truncated`.
        guard !received.isDeferred, received.bytes < bytes.count,
          let frame = try reader.next(in: bytes, from: received.bytes)
        else { break }
        let message = UnsafeRawBufferPointer(rebasing: bytes[frame])
        switch try receive(message, on: id, within: isBounded, at: now) {
        case .received: break
        case .deferred:
          received.isDeferred = true
          break frames
        case .waiting:
          received.isWaiting = true
          break frames
        }
        received.bytes = frame.upperBound
        received.frames += 1
      } while received.bytes < bytes.count
    } catch {
      receivedMalformedFrame(error, on: id, at: now)
      received.bytes = bytes.count
    }
    if received.isDeferred, case .member(_, let table)? = connections.stage(of: id) {
      tables[table].quiet.noteDeferral(in: quiet.turn)
    }
    if received.isWaiting, bytes.count - received.bytes > limits.connections.waitingBytesMax {
      dismiss(id, Goodbye(.slow, detail: "too much was sent before the welcome"), at: now)
      received.bytes = bytes.count
    }
    if policy.durability == .memory {
      connections.markReceived(id, at: now)
    } else if connections.markReceived(id, writing: received.writtenBytes, at: now) >= ServerLimits.unchargedBytesMax {
      chargeUncharged(Int(id.slot), at: now)
    }
    return received
  }

  /// Takes the host's own work for a connection, such as answering control frames, from the turn's budget: from the share of
  /// its table, or from the pool.
  ///
  /// - Parameters:
  ///   - units: The work, in units of a turn's budget.
  ///   - bytes: The size of what is handled, which is work as well.
  ///   - id: The connection.
  /// - Returns: Whether the work may be done now; otherwise it waits for a later turn.
  public mutating func admits(hostWork units: Int, bytes: Int, for id: ConnectionID) -> Bool {
    let units = units + bytes / TurnBudget.bytesPerUnit
    if case .member(_, let table)? = connections.stage(of: id) { return budget.admits(units, &tables[table].share) }
    guard !budget.isExhausted else { return false }
    budget.charge(units)
    return true
  }

  /// Returns whether a member's next frame waits for a later turn because of its size alone, so that the host need not
  /// prepare it in this one.
  public func defers(frameOf bytes: Int, from id: ConnectionID) -> Bool {
    guard budget.isExhausted, case .member(_, let table)? = connections.stage(of: id) else { return false }
    return !budget.covers(bytes / TurnBudget.bytesPerUnit, tables[table].share)
  }

  /// Receives the moves at the front of the bytes, up to the first frame that is anything else.
  @inline(__always) private mutating func receiveMoves(
    _ bytes: UnsafeRawBufferPointer, _ reader: FrameReader, from member: Int, at table: Int,
    on id: ConnectionID, within isBounded: Bool, at now: Instant, _ received: inout Received
  ) throws(DecodeError) {
    tables.touch(table)
    if isTight || tables[table].charges.isLimited { limitGrowth(of: table, by: id) }
    var hasChanged = false
    try tables.with(table) { (machine) throws(DecodeError) in
      let before = machine.room.log.end
      try machine.receiveMoves(
        bytes, reader, from: member, &budget, within: isBounded, at: now, into: queue.open, &received)
      received.writtenBytes += machine.room.log.end - before
      hasChanged = machine.table.state.contentBytes != machine.charges.total
    }
    if hasChanged { chargeContents(of: table, by: id) }
  }

  /// Handles bytes that are not a valid frame.
  public mutating func receivedMalformedFrame(_ error: DecodeError, on id: ConnectionID, at now: Instant) {
    dismiss(id, Goodbye(error.goodbyeReason, detail: error.description), at: now)
  }

  private enum Reception {
    case received
    /// The frame exceeds the turn's budget.
    case deferred
    /// The connection's table is being loaded or created.
    case waiting
  }

  /// - Parameter isBounded: Whether a frame beyond the turn's budget is deferred.
  @inline(never) private mutating func receive(
    _ frame: UnsafeRawBufferPointer, on id: ConnectionID, within isBounded: Bool, at now: Instant
  ) throws(DecodeError) -> Reception {
    guard let stage = connections.stage(of: id) else { return .received }
    switch stage {
    case .closing: return .received
    case .waiting: return .waiting
    case .handshake:
      guard case .hello(let hello) = try ClientMessage(decoding: frame) else {
        dismiss(id, Goodbye(.expectedHello, detail: "the first message must be a hello"), at: now)
        return .received
      }
      let before = queue.open.workUnits
      admit(hello, id, at: now)
      budget.charge(ServerLimits.admissionWork + queue.open.workUnits - before)
      return .received
    case .member(let member, let table):
      // A frame beyond the table's share is decoded only while the pool has units left, so that a frame that has to wait
      // is not decoded again and again.
      let hasPool = !budget.isExhausted
      let isQuiet = isBounded && !hasRoom(forFrameOf: frame.count, at: table)
      guard !isQuiet || admitsQuiet(frame.count, at: table) else { return .deferred }
      let message = try ClientMessage(decoding: frame)
      let estimate = message.workEstimate
      let work = estimate + message.ruleWork(tables[table].table.state.type.ruleCost)
      if isQuiet || !budget.admits(work, &tables[table].share) {
        let isLight = work <= ServerLimits.quietWorkMax
        let isAdmitted = isQuiet ? isLight : hasPool || !isBounded || isLight && admitsQuiet(frame.count, at: table)
        guard isAdmitted else { return .deferred }
        budget.charge(work)
      }
      receive(message, estimate, id, table, member, at: now)
      return .received
    }
  }

  /// Takes the work of decoding a frame of a table from the turn's budget.
  ///
  /// - Returns: Whether there is room for it, also by the bytes that the turn has made so far.
  private mutating func hasRoom(forFrameOf bytes: Int, at table: Int) -> Bool {
    queue.open.byteCount < ServerLimits.turnBytesMax
      && budget.admits(bytes / TurnBudget.bytesPerUnit, &tables[table].share)
  }

  /// Takes room for a frame of a table from what a full turn keeps for quiet ones.
  private mutating func admitsQuiet(_ bytes: Int, at table: Int) -> Bool {
    quiet.admits(bytes, at: queue.open.byteCount, &tables[table].quiet)
  }

  private mutating func receive(
    _ message: ClientMessage, _ estimate: Int, _ id: ConnectionID, _ table: Int, _ member: Int, at now: Instant
  ) {
    let before = queue.open.workUnits
    begin(at: table)
    let writtenBytes = tables[table].room.writtenBytes
    tables[table].received(from: member)
    switch message {
    case .operation(let operation): submit(operation, id, table, member, at: now)
    case .drag(let drag): tables[table].drag(drag, from: member, at: now, into: queue.open)
    case .ping(let ping): tables[table].pong(ping, to: member, into: queue.open)
    case .snapshotRequest: tables[table].requestSnapshot(member, into: queue.open)
    case .goodbye(let goodbye):
      if !goodbye.isResumable {
        connections.setStage(.closing, of: id)
        tables[table].depart(member, at: now, into: queue.open)
        renumber(member, of: table)
        if !tables[table].departures.isEmpty { closeDepartures(of: table, at: now) }
      }
      dismiss(id, Goodbye(.leaving), at: now)
    case .presence(let presence): tables[table].setValue(presence, from: member, at: now)
    case .chat(let chat): tables[table].chat(chat, from: member, at: now, into: queue.open)
    case .signedToken(let token): refresh(token, id, table, at: now)
    case .hello: dismiss(id, Goodbye(.malformed, detail: "a second hello is not allowed"), at: now)
    case .unknown: break
    }
    budget.charge(beyond: estimate, queue.open.workUnits - before, &tables[table].share)
    countWritten(tables[table].room.writtenBytes - writtenBytes, by: id, at: now)
  }

  private mutating func submit(
    _ operation: TableOperation, _ id: ConnectionID, _ table: Int, _ member: Int, at now: Instant
  ) {
    let slot = tables[table].room.members[member].session
    let sessionBytes = tables[table].memoryBytes(ofSession: slot)
    let refusals = queue.open.count(of: .tableSize)
    if isTight || tables[table].charges.isLimited { limitGrowth(of: table, by: id) }
    do throws(TableMachine.Violation) {
      try tables[table].submit(
        operation, from: member, storage: storage, random: &random, at: now, into: queue.open)
      if !tables[table].departures.isEmpty { closeDepartures(of: table, at: now) }
    } catch {
      switch error {
      case .sequenceGap(let expected, let got):
        let detail = "expected operation \(expected.rawValue), received \(got.rawValue)"
        dismiss(id, Goodbye(.sequenceGap, detail: detail), at: now)
      }
    }
    noteContents(of: table, by: id)
    if isTight, queue.open.count(of: .tableSize) > refusals { noteRefusal(by: id, at: now) }
    if memory >= .refusing { _ = tables[table].packAnswers(of: slot) }
    tables[table].sessionBytes += tables[table].memoryBytes(ofSession: slot) - sessionBytes
  }

  // MARK: Closing

  /// Sends a connection a goodbye and closes it.
  public mutating func dismiss(_ id: ConnectionID, _ goodbye: Goodbye, at now: Instant) {
    guard let stage = connections.stage(of: id) else { return }
    connections.setStage(.closing, of: id)
    switch stage {
    case .member(let member, let table): leave(member, table, at: now)
    case .waiting: stopWaiting(id)
    case .handshake, .closing: break
    }
    queue.open.dismiss(id, goodbye)
  }

  /// Closes the connections that a table has removed from its room.
  mutating func closeDepartures(of table: Int, at now: Instant) {
    let departures = tables[table].departures
    if !departures.isEmpty { settleBeforeLeaving(table) }
    tables[table].departures.removeAll()
    for departure in departures { connections.setStage(.closing, of: departure.connection) }
    renumberAll(of: table)
    for departure in departures { dismiss(departure.connection, departure.goodbye, at: now) }
  }

  /// Removes a member whose connection is closed or closing.
  mutating func leave(_ member: Int, _ table: Int, at now: Instant) {
    begin(at: table)
    settleBeforeLeaving(table)
    tables[table].leave(member, at: now, into: queue.open)
    renumber(member, of: table)
  }

  /// Updates the stage of the member that has moved to the index of the one that left.
  private mutating func renumber(_ member: Int, of table: Int) {
    guard member < tables[table].room.members.count else { return }
    connections.setStage(.member(member, table: table), of: tables[table].room.members[member].connection)
  }

  mutating func renumberAll(of table: Int) {
    for (index, member) in tables[table].room.members.enumerated() {
      connections.setStage(.member(index, table: table), of: member.connection)
    }
  }
}

extension TableMachine {
  fileprivate mutating func drag(_ drag: Drag, from member: Int, at now: Instant, into batch: FrameBatch) {
    room.drag(drag, from: member, in: table.state, &sessions, at: now, into: batch)
  }

  fileprivate mutating func setValue(_ presence: Presence, from member: Int, at now: Instant) {
    room.setValue(presence, from: member, &sessions, at: now)
  }

  fileprivate mutating func chat(_ chat: Chat, from member: Int, at now: Instant, into batch: FrameBatch) {
    room.chat(chat, from: member, in: table.state, &sessions, at: now, into: batch)
  }

  fileprivate mutating func pong(_ ping: Ping, to member: Int, into batch: FrameBatch) {
    room.pong(ping, to: member, &table, into: batch)
  }

  fileprivate mutating func requestSnapshot(_ member: Int, into batch: FrameBatch) {
    room.requestSnapshot(member, of: table.state, sessions, into: batch)
  }
}
