import BaizeHTTP
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// Accepting connections, and handing them over to their shards.
///
/// The first shard accepts for all shards. A connection stays with it until its hello names a table; then it is handed
/// over, with all bytes received so far, to the table's shard. This balances the shards as well as the tables are
/// distributed, and needs only what every kernel offers.
extension Shard {
  func accepted(_ key: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {
    statistics.figures.connectionsAccepted += 1
    guard proxies.contains(where: { $0.contains(peer.host) }) else { return admit(key, from: peer) }
    if handshakes.limiter.admitUnidentified() {
      add(key, from: peer, .proxied(.waiting))
    } else {
      reject(key, from: peer, .tooMany)
    }
  }

  /// Counts a connection for its client, if the limits allow it.
  private func admit(_ key: ConnectionKey, from peer: SocketAddress) {
    let verdict = handshakes.limiter.admit(peer)
    if verdict == .admitted { add(key, from: peer, .handshake) } else { reject(key, from: peer, verdict) }
  }

  /// Takes over a new connection on which TLS is established.
  func adopt(_ connection: DetachedConnection, from peer: SocketAddress) {
    statistics.figures.connectionsAccepted += 1
    do {
      admit(try loop.adopt(connection), from: peer)
    } catch {
      log(.warning, "\(peer) could not be handed over: \(error)")
    }
  }

  /// Receives the header in front of a proxy's connection, which tells its client.
  ///
  /// - Returns: The number of bytes that were consumed; the others are presented again.
  func receiveProxyHeader(_ bytes: UnsafeRawBufferPointer, from key: ConnectionKey) -> Int {
    do throws(ProxyHeaderError) {
      guard let header = try ProxyHeader.read(bytes) else { return 0 }
      // The bytes behind the header are presented as if they had just arrived.
      loop.pauseReading(key)
      loop.resumeReading(key)
      machine.closed(key.id, at: now)
      handshakes.limiter.releaseUnidentified()
      admit(key, from: header.source ?? connections[Int(key.slot)].peer)
      return header.byteCount
    } catch {
      reports.refused(connections[Int(key.slot)].peer, error, at: now)
      connections[Int(key.slot)].standing = .proxied(.violated)
      machine.dismiss(key.id, Goodbye(.malformed, detail: error.description), at: now)
      schedule.hasEvents = true
      return bytes.count
    }
  }

  /// Takes over a connection that sent its hello to another shard.
  func adopt(
    _ connection: DetachedConnection, from peer: SocketAddress, _ framing: ShardMessage.Framing,
    _ account: ConnectionLimiter.Account
  ) {
    do {
      let key = try loop.adopt(connection)
      switch framing {
      case .stream: add(key, from: peer, .handshake, account)
      case .webSocket:
        add(key, from: peer, .webSocket(.handshake), account)
        webSockets.opened()
      }
    } catch {
      handshakes.limiter.release(peer.host, from: account)
      log(.warning, "\(peer) could not be handed over: \(error)")
    }
  }

  private func add(
    _ key: ConnectionKey, from peer: SocketAddress, _ standing: ShardConnection.Standing,
    _ account: ConnectionLimiter.Account = .clients
  ) {
    note(key, standing, peer, account)
    // The end of a backlog is reported at the low-water mark at which a snapshot producer resumes.
    loop.setDrainMark(key, bytes: limits.connections.outboxResumeBytes)
    machine.connected(
      key.id, from: peer.host.peerID, isShared: sharedAddresses.contains { $0.contains(peer.host) },
      isOperator: account == .operators, at: now)
    log(.debug, "\(peer) \(key) is connected to shard \(endpoint.index)")
  }

  /// Receives the first bytes of a connection.
  ///
  /// - Returns: The number of bytes that were consumed.
  func receiveFirst(_ bytes: UnsafeRawBufferPointer, from key: ConnectionKey) -> Int {
    guard handshakes.begin(key) else {
      loop.pauseReading(key)
      return 0
    }
    reports.check(connections[Int(key.slot)].peer, bytes, at: now)
    if let other = ForeignProtocol(ofClient: bytes) {
      turnAway(key, other)
      return bytes.count
    }
    switch FirstFrame(bytes, handshakes.reader, shard: endpoint.index, of: endpoints.count) {
    case .incomplete: return 0
    case .malformed(let error):
      machine.receivedMalformedFrame(error, on: key.id, at: now)
      schedule.hasEvents = true
      return bytes.count
    case .elsewhere(let shard, let table):
      log(.debug, "\(key) goes to shard \(shard), table \(table.quotedForLog)")
      handOver(key, to: shard, loop.detach(key), .stream)
      return 0
    case .here(let table):
      if let table { log(.debug, "\(key) joins table \(table.quotedForLog)") }
      connections[Int(key.slot)].standing = .joined
      return receive(bytes, from: key)
    }
  }

  /// Answers a client of another protocol in that, and closes the connection.
  private func turnAway(_ key: ConnectionKey, _ other: ForeignProtocol) {
    reports.refused(connections[Int(key.slot)].peer, other, at: now)
    let answer: [UInt8]
    switch other {
    case .http:
      answer = HTTPResponse.plain(.badRequest, "This port is for Baize's clients over TCP, and not for HTTP.\n")
    // An alert of the handshake's failure (RFC 8446, section 6).
    case .tls: answer = [0x15, 3, 1, 0, 2, 2, 40]
    }
    answer.withUnsafeBytes { _ = loop.append(key, $0) }
    loop.close(key, afterFlush: true)
  }

  func handOver(
    _ key: ConnectionKey, to shard: Int, _ detached: DetachedConnection?, _ framing: ShardMessage.Framing
  ) {
    guard let detached else { return }
    let (peer, account) = (connections[Int(key.slot)].peer, connections[Int(key.slot)].account)
    connections[Int(key.slot)] = ShardConnection()
    machine.closed(key.id, at: now)
    endpoints[shard].mailbox.send(.adopt(detached, peer: peer, framing, account))
  }

  /// Resumes reading from the connections whose first frame has waited for this turn.
  func resumeHandshakes() {
    for key in handshakes.beginTurn() { loop.resumeReading(key) }
  }

  /// Rejects a connection: sends a goodbye, unless too many rejected connections are being sent one, and closes it.
  private func reject(_ key: ConnectionKey, from peer: SocketAddress, _ verdict: ConnectionLimiter.Verdict) {
    let limited = verdict == .tooManyOfAddress ? "this address" : "the daemon"
    let detail = "\(limited) has reached its connection limit"
    statistics.figures.connectionsRejected += 1
    log(.debug, "\(peer) \(key) is rejected: \(detail)")
    note(key, .rejected, peer)
    guard handshakes.reject() else {
      loop.close(key)
      return
    }
    let goodbye = Goodbye(
      .tooManyConnections, detail: detail, retryAfterMilliseconds: limits.connections.returnMilliseconds)
    ServerMessage.goodbye(goodbye).framed().withUnsafeBytes { _ = loop.append(key, $0) }
    loop.close(key, afterFlush: true)
  }

  private func note(
    _ key: ConnectionKey, _ standing: ShardConnection.Standing, _ peer: SocketAddress,
    _ account: ConnectionLimiter.Account = .clients
  ) {
    while connections.count <= Int(key.slot) { connections.append(ShardConnection()) }
    connections[Int(key.slot)] = ShardConnection(key, standing, peer: peer, account)
  }
}
