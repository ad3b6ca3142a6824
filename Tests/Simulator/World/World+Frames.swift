import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// The frames that the daemon sends, and whether it may send them.
extension World {
  /// Sends the frames that the machine has released.
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
    case .client(let number, let session):
      let client = clients[number]
      count(.framesChecked)
      trace("  to \(client.name): \(summary(of: message))")
      try check(message, to: client, on: connection)
      try note(message, to: client, session, on: connection)
      if isOn(connection, client) { client.link?.down.append(.message(message)) }
    case .impostor(let table): try checkImpostor(message, on: connection, atTable: table)
    case nil: break
    }
  }

  /// I2, I3, I7: what the daemon says about a table agrees with all that it said before, to whomever.
  private func note(
    _ message: ServerMessage, to client: Client, _ session: SessionID?, on connection: ConnectionID
  ) throws {
    let table = client.table
    switch message {
    case .welcome(let welcome):
      occupants[Int(connection.slot)] = .client(client.number, welcome.session)
      histories[table].note(welcome)
    case .snapshot(let part): if part.isComplete { histories[table].note(snapshot: part.epoch, part.revision) }
    case .diff(let diff): histories[table].note(diff)
    case .outcome(let outcome): if let session { histories[table].note(outcome, to: session) }
    case .pong, .drag, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .goodbye, .unknown: return
    }
    try histories[table].faults.expectNone(at: "table \(table)")
  }

  /// I6: an invite is sent only to the client that requested it.
  private func checkInvited(_ invited: [Int], _ connection: ConnectionID) throws {
    guard let occupant = occupant(of: connection) else { return }
    if case .client(let number, _) = occupant, invited.allSatisfy({ $0 == number }) { return }
    throw InvariantViolation("I6", "an invite of client \(invited[0]) was sent to another client")
  }

  /// Closes a connection from the daemon's side, after everything before was written.
  private func close(_ connection: ConnectionID) {
    if case .client(let number, _) = occupant(of: connection), isOn(connection, clients[number]) {
      clients[number].link?.down.append(.end)
    }
    forget(connection)
    host.closed(connection, at: now)
  }

  /// Returns whether a connection is its client's present one. The daemon may not have noticed yet that it is not.
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
    // The slot may belong to another connection by now.
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

  /// I7: what a client is sent is durable when it is sent; or, under relaxed durability, was at least written.
  private func check(_ message: ServerMessage, to client: Client, on connection: ConnectionID) throws {
    let model = models[client.table]
    switch message {
    case .welcome(let welcome):
      // While nothing can be written, a table does not change, under an epoch that is written when there is room.
      let isWritten = model.durable.map { welcome.epoch <= $0.epoch || host.hasStorageFailed } ?? false
      try hold(isWritten, "I7", "\(client.name) is welcomed to epoch \(welcome.epoch.rawValue), which is not durable")
      try checkShown(welcome.revision, "a welcome", to: client)
      let known = promised(model)
      try hold(
        known?.sessions[welcome.session] != nil || known?.forgotten.contains(welcome.session) == true, "I7",
        "\(client.name) is welcomed to a session that is not durable")
    case .snapshot(let part):
      try checkShown(part.revision, "a snapshot", to: client)
      models[client.table].show(part.epoch)
    case .diff(let diff): try checkShown(diff.revision, "a diff", to: client)
    case .outcome(let outcome): try check(outcome, to: client)
    case .pong(let pong):
      try checkShown(pong.revision, "a pong", to: client)
      let session = client.session ?? client.machine.welcome?.session
      let isRight = session.map { session in
        pong.viewHash == 0 || pong.viewHash == model.hash(at: pong.revision, epoch: pong.epoch, for: session)
      }
      try hold(isRight == true, "I1", "the daemon's hash of revision \(pong.revision.rawValue) is another")
    case .goodbye(let goodbye): if isOn(connection, client) { try check(goodbye, to: client) }
    case .drag, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .unknown: break
    }
  }

  /// I3, I7: a session ends when its client leaves, or when a host ends it. On a connection that the client gave up before
  /// its welcome it may be another session than the client's.
  private func check(_ goodbye: Goodbye, to client: Client) throws {
    guard goodbye.reason == .kicked, let session = client.session ?? client.machine.welcome?.session else { return }
    try hold(
      isKicked(session, atTable: client.table), "I7",
      "the session of \(client.name) is no longer known: \(goodbye.reason.rawValue)")
  }

  /// Returns whether a host has ended a session.
  func isKicked(_ session: SessionID, atTable table: Int) -> Bool {
    promised(models[table])?.kicked.contains(session) == true
  }

  /// Returns the history that clients may see by now.
  private func promised(_ model: JournalModel) -> TableHistory? {
    plan.durability == .strict ? model.durable : model.head
  }

  private func checkShown(_ revision: Revision, _ what: String, to client: Client) throws {
    let isPromised = promised(models[client.table]).map { revision <= $0.revision } ?? false
    try hold(
      isPromised, "I7", "\(client.name) is shown \(what) of revision \(revision.rawValue), which is not durable")
    models[client.table].show(revision)
  }

  /// I3, I7: an answer is in the journal, and stays the same when it is repeated.
  private func check(_ outcome: Outcome, to client: Client) throws {
    guard outcome.verdict != .retry, let history = promised(models[client.table]) else { return }
    guard let session = client.session ?? client.machine.welcome?.session else { return }
    let key = OperationKey(session: session, sequence: outcome.sequence)
    switch outcome.verdict {
    case .refused, .unchanged:
      try hold(
        history.outcomes[key] == outcome, "I7",
        "\(client.name) received \(outcome), the journal says \(history.outcomes[key].map { "\($0)" } ?? "nothing")")
    case .duplicate:
      // An operation older than the recorded outcomes counts as accepted, at revision 0.
      if outcome.revision == .zero { return }
      try hold(
        history.effects[key]?.revision == outcome.revision, "I3",
        "\(client.name) received that operation \(outcome.sequence.rawValue) had an effect, which it did not")
    case .retry: break
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns whether a byte sequence occurs in it.
  fileprivate func contains(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first, count >= bytes.count else { return false }
    return (0...count - bytes.count).contains { start in
      self[start] == first && self[start..<start + bytes.count].elementsEqual(bytes)
    }
  }
}
