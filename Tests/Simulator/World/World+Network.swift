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

  /// Has a client give up its connection, whose messages stay in flight.
  func abandon(_ client: Client) throws {
    guard let link = client.link, !link.up.isEmpty else { return }
    count(.abandoned)
    abandoned.append(link)
    client.link = nil
    try client.handle { machine, now, effects in machine.closed(at: now, into: &effects) }
  }

  /// Lets the next message of an abandoned connection arrive. After its last one the daemon notices the loss, some time.
  func arrive() {
    guard let link = abandoned.first else { return }
    arrive(abandoned[0].up.removeFirst(), link)
    guard abandoned[0].up.isEmpty else { return }
    abandoned.removeFirst()
    if link.start == host.starts, occupant(of: link.id) != nil { unnoticed.append(link.id) }
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

  /// Connects an impostor, who presents most of what a client does.
  func impersonate(_ impersonation: Impersonation, to client: Client) {
    guard var hello = client.hello else { return }
    switch impersonation {
    case .forged: hello.credential[hello.credential.count - 1] ^= 1
    case .shortened: hello.credential.removeLast()
    }
    impersonate(hello, atTable: client.table)
  }

  /// Lets kicked clients return: they are other persons.
  func returnKicked() {
    for client in clients {
      guard let session = client.session, let hello = client.hello,
        models[client.table].durable?.kicked.contains(session) == true
      else { continue }
      impersonate(hello, atTable: client.table)
    }
  }

  private func impersonate(_ hello: Hello, atTable table: Int) {
    count(.impostors)
    let connection = occupy(.impostor(table))
    var hello = hello
    (hello.name, hello.role) = ("impostor", .spectator)
    host.receive(.hello(hello), on: connection, at: now)
  }

  /// I7: an impostor gets a goodbye, or a session that is nobody's, without a seat, and then is gone.
  func checkImpostor(_ message: ServerMessage, on connection: ConnectionID, atTable table: Int) throws {
    guard case .welcome(let welcome) = message else { return }
    // Not by the session's number: that of one that a crash has lost is another one's after it.
    let victim = clients.first { $0.table == table && $0.machine.welcome?.ticket == welcome.ticket }
    try hold(
      victim == nil && welcome.seat == .spectator, "I7",
      "an impostor has got session \(welcome.session.rawValue) as \(welcome)")
    unnoticed.append(connection)
  }
}
