import BaizeSync
import BaizeTable
import BaizeWire

/// What leaves the daemon, and whether it may.
extension World {
  /// Sends what the daemon's machine lets go.
  func release() throws {
    while let batch = host.nextReleased() {
      try send(batch)
      host.recycle(batch)
    }
    reportBacklogs()
  }

  private func send(_ batch: FrameBatch) throws {
    var start: UInt32?
    var message = ServerMessage.unknown
    var invited: [Int] = []
    for delivery in batch.deliveries {
      // One frame for many is read once.
      if delivery.start != start {
        message = try batch.withUnsafeBytes { bytes in
          let frame = UnsafeRawBufferPointer(rebasing: bytes[Int(delivery.start)..<Int(delivery.end)])
          invited = invites.filter { frame.contains($0.text) }.map(\.client)
          return Result { try ServerMessage(delivery: frame) }
        }.get()
        start = delivery.start
      }
      if !invited.isEmpty { try checkInvited(invited, delivery.connection) }
      try send(message, on: delivery.connection)
    }
    for connection in batch.closes { close(connection) }
  }

  private func send(_ message: ServerMessage, on connection: ConnectionID) throws {
    switch occupant(of: connection) {
    case .client(let number):
      let client = clients[number]
      count(.framesChecked)
      narrate("  to \(client.name): \(message.summary)")
      try check(message, to: client, on: connection)
      if isOn(connection, client) { client.link?.down.append(.message(message)) }
    case .impostor: try checkImpostor(message)
    case nil: break
    }
  }

  /// I6: an invite is for the one who asked for it.
  private func checkInvited(_ invited: [Int], _ connection: ConnectionID) throws {
    guard let occupant = occupant(of: connection) else { return }
    if case .client(let number) = occupant, invited.allSatisfy({ $0 == number }) { return }
    throw Broken("I6", "an invite of client \(invited[0]) is told to someone else")
  }

  /// The daemon ends a connection, once everything before is written.
  private func close(_ connection: ConnectionID) {
    if case .client(let number) = occupant(of: connection), isOn(connection, clients[number]) {
      clients[number].link?.down.append(.end)
    }
    forget(connection)
    host.closed(connection, at: now)
  }

  /// Whether a connection is the one that its client has now. One that it gave up the daemon may have yet to notice.
  private func isOn(_ connection: ConnectionID, _ client: Client) -> Bool {
    client.link?.id == connection && client.link?.start == host.starts
  }

  func occupant(of connection: ConnectionID) -> Occupant? {
    let slot = Int(connection.slot)
    guard occupants.indices.contains(slot), host.generations[slot] == connection.generation else { return nil }
    return occupants[slot]
  }

  func forget(_ connection: ConnectionID) {
    unnoticed.removeAll { $0 == connection }
    // The slot may have someone else by now.
    if occupant(of: connection) != nil { occupants[Int(connection.slot)] = nil }
  }

  func reportBacklogs() {
    guard plan.reportsBacklog else { return }
    for client in clients { reportBacklog(of: client) }
  }

  func reportBacklog(of client: Client) {
    guard plan.reportsBacklog, let link = client.link, link.start == host.starts, case .client? = occupant(of: link.id)
    else { return }
    // In the end everyone reads as fast as the daemon writes: the bounds are so tight that an answer may break them.
    host.backlog(of: link.id, isSettling ? 0 : link.backlogBytes, taken: link.takenBytes, at: now)
    client.link?.takenBytes = 0
  }

  // MARK: Durability

  /// I7: what is shown is durable at the moment that it leaves; or, where that is not promised, was at least written.
  private func check(_ message: ServerMessage, to client: Client, on connection: ConnectionID) throws {
    let ledger = ledgers[client.table]
    switch message {
    case .welcome(let welcome):
      // While nothing can be written, a table stands still under an epoch that is written when there is room.
      guard let book = ledger.durable, welcome.epoch <= book.epoch || host.hasStorageFailed else {
        throw Broken("I7", "\(client.name) is welcomed to epoch \(welcome.epoch.rawValue), which is not durable")
      }
      try checkShown(welcome.revision, "a welcome", to: client)
      guard let known = promised(ledger),
        known.sessions[welcome.session] != nil || known.forgotten.contains(welcome.session)
      else { throw Broken("I7", "\(client.name) is welcomed to a session that is not durable") }
    case .snapshot(let part):
      try checkShown(part.revision, "a snapshot", to: client)
      ledgers[client.table].show(part.epoch)
    case .diff(let diff): try checkShown(diff.revision, "a diff", to: client)
    case .outcome(let outcome): try check(outcome, to: client)
    case .pong(let pong):
      try checkShown(pong.revision, "a pong", to: client)
      guard let session = client.session ?? client.machine.welcome?.session,
        pong.viewHash == 0 || pong.viewHash == ledger.hash(at: pong.revision, epoch: pong.epoch, for: session)
      else {
        throw Broken("I1", "the daemon's hash of revision \(pong.revision.rawValue) is another")
      }
    case .goodbye(let goodbye): if isOn(connection, client) { try check(goodbye, to: client) }
    case .drag, .seats, .unknown: break
    }
  }

  /// I3, I7: a session ends when its client leaves, or when a host says so. On a connection that the client gave up before
  /// its welcome it may be another session than the client's.
  private func check(_ goodbye: Goodbye, to client: Client) throws {
    guard goodbye.reason == .kicked || goodbye.reason == .tokenInvalid,
      let session = client.session ?? client.machine.welcome?.session
    else { return }
    guard promised(ledgers[client.table])?.kicked.contains(session) == true else {
      throw Broken("I7", "the session of \(client.name) is not known any more: \(goodbye.reason.rawValue)")
    }
  }

  /// What may be shown by now.
  private func promised(_ ledger: Ledger) -> Book? { plan.durability == .strict ? ledger.durable : ledger.head }

  private func checkShown(_ revision: Revision, _ what: String, to client: Client) throws {
    guard let book = promised(ledgers[client.table]), revision <= book.revision else {
      throw Broken("I7", "\(client.name) is shown \(what) of revision \(revision.rawValue), which is not durable")
    }
    ledgers[client.table].show(revision)
  }

  /// I3, I7: an answer is in the journal, and is given again as it was.
  private func check(_ outcome: Outcome, to client: Client) throws {
    guard outcome.verdict != .retry, let book = promised(ledgers[client.table]) else { return }
    guard let session = client.session ?? client.machine.welcome?.session else { return }
    let key = OperationKey(session: session, sequence: outcome.sequence)
    switch outcome.verdict {
    case .refused, .unchanged:
      guard book.outcomes[key] == RecordedOutcome(outcome) else {
        throw Broken(
          "I7", "\(client.name) is told \(outcome), the journal says \(book.outcomes[key].map { "\($0)" } ?? "nothing")"
        )
      }
    case .duplicate:
      // One that is too old to be remembered counts as accepted, at revision 0.
      if outcome.revision == .zero { return }
      guard book.effects[key]?.revision == outcome.revision else {
        throw Broken(
          "I3", "\(client.name) is told that operation \(outcome.sequence.rawValue) had an effect, which it had not")
      }
    case .retry: break
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether some bytes are in it, one behind the other.
  fileprivate func contains(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first, count >= bytes.count else { return false }
    return (0...count - bytes.count).contains { start in
      self[start] == first && self[start..<start + bytes.count].elementsEqual(bytes)
    }
  }
}
