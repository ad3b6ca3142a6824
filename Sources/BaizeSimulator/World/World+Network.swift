import BaizeSync
import BaizeTable
import BaizeWire

/// Connections, and what travels on them.
extension World {
  func connect(_ client: Client) throws {
    guard client.wantsConnection else { return }
    client.connected(Link(id: occupy(.client(client.number)), start: host.starts))
    try client.handle { machine, now, effects in machine.connected(at: now, into: &effects) }
  }

  private func occupy(_ occupant: Occupant) -> ConnectionID {
    let slot = occupants.firstIndex { $0 == nil } ?? occupants.count
    if slot == occupants.count { occupants.append(nil) }
    occupants[slot] = occupant
    return host.connect(slot: slot, at: now)
  }

  func refuse(_ client: Client) throws {
    guard client.wantsConnection else { return }
    count(.connectionsRefused)
    client.refused()
    try client.handle { machine, now, effects in machine.closed(at: now, into: &effects) }
  }

  func deliverUp(_ client: Client) throws {
    guard let link = client.link, let message = link.up.first else { return }
    client.link?.up.removeFirst()
    arrive(message, link)
  }

  private func arrive(_ message: ClientMessage, _ link: Link) {
    guard link.start == host.starts, occupant(of: link.id) != nil else { return }
    narrate("  heard: \(message.summary)")
    host.receive(sabotaged(message, link), on: link.id, at: now)
  }

  func deliverDown(_ client: Client) throws {
    guard let arrival = client.link?.down.first else { return }
    client.link?.down.removeFirst()
    client.link?.takenBytes += Link.messageBytes
    reportBacklog(of: client)
    switch arrival {
    case .message(let message):
      if let message = sabotaged(message, to: client) { try client.hear(message) }
    case .end:
      drop(client)
      try client.handle { machine, now, effects in machine.closed(at: now, into: &effects) }
    }
  }

  /// The network is gone; some of what was on its way may still arrive.
  func cut(_ client: Client, arriving count: Int) throws {
    guard let link = client.link else { return }
    self.count(.cuts)
    for message in link.up.prefix(max(0, count)) { arrive(message, link) }
    client.link?.up.removeAll()
    drop(client)
    try client.handle { machine, now, effects in machine.closed(at: now, into: &effects) }
  }

  /// A client has no connection any more; the daemon will notice. What the client wrote before it hung up arrives.
  func drop(_ client: Client) {
    guard let link = client.link else { return }
    client.link = nil
    for message in link.up { arrive(message, link) }
    if link.start == host.starts, occupant(of: link.id) != nil { unnoticed.append(link.id) }
  }

  /// The daemon notices a connection that is gone.
  func notice() {
    guard let connection = unnoticed.first else { return }
    forget(connection)
    host.closed(connection, at: now)
  }

  // MARK: Impostors

  /// Someone else comes with a token that opens nothing.
  func pretend(_ pretence: Pretence, to client: Client) {
    if let token = token(pretence, client) { pretend(token, atTable: client.table) }
  }

  /// Whoever was kicked tries every token that it had.
  func returnKicked() {
    for client in clients {
      for token in client.tokens where ledgers[client.table].durable?.kicked.contains(token.session) == true {
        pretend(token.bytes, atTable: client.table)
      }
    }
  }

  private func pretend(_ token: [UInt8], atTable table: Int) {
    count(.impostors)
    let connection = occupy(.impostor(table))
    let hello = Hello(table: Plan.name(ofTable: table), name: "impostor", resumeToken: token)
    host.receive(.hello(hello), on: connection, at: now)
  }

  private func token(_ pretence: Pretence, _ client: Client) -> [UInt8]? {
    switch pretence {
    case .stale: client.tokens.first { isVoid($0, client) }?.bytes
    case .forged: client.tokens.last.map { Array($0.bytes.prefix(8)) + Array(repeating: 7, count: 16) }
    case .broken: [1, 2, 3]
    }
  }

  /// Whether a token opens nothing, whatever the daemon forgets in a crash.
  private func isVoid(_ token: Client.Token, _ client: Client) -> Bool {
    guard plan.durability == .strict else { return false }
    return [ledgers[client.table].head, ledgers[client.table].durable].allSatisfy { book in
      guard let stored = book?.sessions[token.session] else {
        return book?.forgotten.contains(token.session) ?? false
      }
      return stored.token != token.bytes && stored.previousToken != token.bytes
    }
  }

  /// I5: an impostor gets a reason, and nothing else.
  func checkImpostor(_ message: ServerMessage) throws {
    guard case .goodbye = message else { throw Broken("I5", "an impostor is told \(message)") }
  }
}
