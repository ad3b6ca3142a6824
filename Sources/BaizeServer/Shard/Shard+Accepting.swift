import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// Accepting: which connections are admitted, and to which shard.
///
/// The first shard accepts for all. A connection stays with it until its hello names a table; then it is handed over, with
/// every byte that it has sent, to the shard where the table lives. That balances as well as tables do, and it needs
/// nothing from the kernel that other systems do not have.
extension Shard {
  func accepted(_ key: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {
    statistics.figures.connectionsAccepted += 1
    switch handshakes.limiter.admit(peer) {
    case .admitted: add(key, from: peer)
    case .tooMany: reject(key, from: peer, detail: "the daemon holds as many connections as it may")
    case .tooManyOfAddress: reject(key, from: peer, detail: "this address holds as many connections as it may")
    }
  }

  /// Takes over a connection that sent its hello to another shard.
  func adopt(_ connection: DetachedConnection, from peer: SocketAddress) {
    do {
      add(try loop.adopt(connection), from: peer)
    } catch {
      handshakes.limiter.release(peer.host)
      log(.warning, "\(peer) could not be handed over: \(error)")
    }
  }

  private func add(_ key: ConnectionKey, from peer: SocketAddress) {
    note(key, .handshake, peer)
    // The end of a backlog is reported as soon as a snapshot may go on.
    loop.setDrainMark(key, bytes: limits.outboxResumeBytes)
    machine.connected(key.id, at: now)
    log(.debug, "\(peer) \(key) is connected to shard \(post.index)")
  }

  /// Looks at the first bytes of a connection.
  ///
  /// - Returns: The number of bytes that were consumed.
  func receiveFirst(_ bytes: UnsafeRawBufferPointer, from key: ConnectionKey) -> Int {
    guard handshakes.begin(key) else {
      loop.pauseReading(key)
      return 0
    }
    switch FirstFrame(bytes, handshakes.reader, shard: post.index, of: posts.count) {
    case .incomplete: return 0
    case .garbage(let error):
      machine.receivedGarbage(error, on: key.id, at: now)
      schedule.hasNews = true
      return bytes.count
    case .elsewhere(let shard, let hello):
      log(.debug, "\(key) goes to shard \(shard), table \(hello.table.quotedForLog)")
      handOver(key, to: shard)
      return 0
    case .here(let hello):
      if let hello { log(.debug, "\(key) is \(hello.name.quotedForLog) at table \(hello.table.quotedForLog)") }
      connections[Int(key.slot)].standing = .joined
      return receive(bytes, from: key)
    }
  }

  private func handOver(_ key: ConnectionKey, to shard: Int) {
    guard let detached = loop.detach(key) else { return }
    let peer = connections[Int(key.slot)].peer
    connections[Int(key.slot)] = ShardConnection()
    machine.closed(key.id, at: now)
    posts[shard].mailbox.send(.adopt(detached, peer: peer))
  }

  /// Reads on from the connections whose first frame has waited for this turn.
  func resumeHandshakes() {
    for key in handshakes.beginTurn() { loop.resumeReading(key) }
  }

  /// Sends the reason, if not too many are being sent one already, and closes.
  private func reject(_ key: ConnectionKey, from peer: SocketAddress, detail: String) {
    statistics.figures.connectionsTurnedAway += 1
    log(.debug, "\(peer) \(key) is rejected: \(detail)")
    note(key, .rejected, peer)
    guard handshakes.reject() else {
      loop.close(key)
      return
    }
    let goodbye = Goodbye(
      .tooManyConnections, detail: detail, retryAfterMilliseconds: limits.returnMilliseconds)
    ServerMessage.goodbye(goodbye).framed().withUnsafeBytes { _ = loop.append(key, $0) }
    loop.close(key, afterFlush: true)
  }

  private func note(_ key: ConnectionKey, _ standing: ShardConnection.Standing, _ peer: SocketAddress) {
    while connections.count <= Int(key.slot) { connections.append(ShardConnection()) }
    connections[Int(key.slot)] = ShardConnection(key, standing, peer: peer)
  }
}
