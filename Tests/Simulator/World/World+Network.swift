import BaizeSync
import BaizeTable
import BaizeWire

/// Connections and the messages on them.
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
    trace("  received: \(summary(of: message))")
    host.receive(injectFault(message, link), on: link.id, at: now)
  }

  func deliverDown(_ client: Client) throws {
    guard let arrival = client.link?.down.first else { return }
    client.link?.down.removeFirst()
    client.link?.takenBytes += Link.messageBytes
    reportBacklog(of: client)
    switch arrival {
    case .message(let message):
      if let message = injectFault(message, to: client) { try client.receive(message) }
    case .end:
      drop(client)
      try client.handle { machine, now, effects in machine.closed(at: now, into: &effects) }
    }
  }

  /// Loses the network of a client; its first messages may still arrive.
  func cut(_ client: Client, arriving count: Int) throws {
    guard let link = client.link else { return }
    self.count(.cuts)
    for message in link.up.prefix(max(0, count)) { arrive(message, link) }
    client.link?.up.removeAll()
    drop(client)
    try client.handle { machine, now, effects in machine.closed(at: now, into: &effects) }
  }

  /// Ends a client's connection. Its messages arrive, and the daemon notices later.
  func drop(_ client: Client) {
    guard let link = client.link else { return }
    client.link = nil
    for message in link.up { arrive(message, link) }
    if link.start == host.starts, occupant(of: link.id) != nil { unnoticed.append(link.id) }
  }

  /// Lets the daemon notice a lost connection.
  func notice() {
    guard let connection = unnoticed.first else { return }
    forget(connection)
    host.closed(connection, at: now)
  }

  // MARK: Impostors

  /// Connects an impostor with a token that is not valid.
  func impersonate(_ impersonation: Impersonation, to client: Client) {
    if let token = token(impersonation, client) { impersonate(token, atTable: client.table) }
  }

  /// Lets kicked clients try every token they had.
  func returnKicked() {
    for client in clients {
      for token in client.tokens where models[client.table].durable?.kicked.contains(token.session) == true {
        impersonate(token.bytes, atTable: client.table)
      }
    }
  }

  private func impersonate(_ token: [UInt8], atTable table: Int) {
    count(.impostors)
    let connection = occupy(.impostor(table))
    let hello = Hello(table: SimulationPlan.name(ofTable: table), name: "impostor", resumeToken: token)
    host.receive(.hello(hello), on: connection, at: now)
  }

  private func token(_ impersonation: Impersonation, _ client: Client) -> [UInt8]? {
    switch impersonation {
    case .stale: client.tokens.first { isVoid($0, client) }?.bytes
    case .forged: client.tokens.last.map { Array($0.bytes.prefix(8)) + Array(repeating: 7, count: 16) }
    case .broken: [1, 2, 3]
    }
  }

  /// Returns whether a token is not valid, even after a crash.
  private func isVoid(_ token: Client.Token, _ client: Client) -> Bool {
    guard plan.durability == .strict else { return false }
    return [models[client.table].head, models[client.table].durable].allSatisfy { history in
      guard let stored = history?.sessions[token.session] else {
        return history?.forgotten.contains(token.session) ?? false
      }
      return stored.token != token.bytes && stored.previousToken != token.bytes
    }
  }

  /// I5: an impostor gets a goodbye, and nothing else.
  func checkImpostor(_ message: ServerMessage) throws {
    guard case .goodbye = message else { throw InvariantViolation("I5", "an impostor received \(message)") }
  }
}
