import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// Coming: who is let in, and to which shard.
///
/// The first shard accepts for all. A connection stays with it until its hello names a table; then it goes, with every
/// byte that it has sent, to the shard where the table lives. That balances as well as tables do, and it needs nothing
/// from the kernel that other systems do not have.
extension Shard {
  func accepted(_ key: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {
    statistics.connectionsAccepted += 1
    switch census.enter(peer) {
    case .welcome: enter(key, from: peer)
    case .tooMany: turnAway(key, from: peer, tooMany("the daemon holds as many connections as it may"))
    case .tooManyOfAddress: turnAway(key, from: peer, tooMany("this address holds as many connections as it may"))
    }
  }

  /// Takes over a connection that said hello to another shard.
  func adopt(_ connection: DetachedConnection, from peer: SocketAddress) {
    do {
      enter(try loop.adopt(connection), from: peer)
    } catch {
      census.leave(peer.host)
      log(.warning, "\(peer) could not be handed over: \(error)")
    }
  }

  private func enter(_ key: ConnectionKey, from peer: SocketAddress) {
    note(key, .door, peer)
    // A backlog's end is heard of as soon as a snapshot may go on.
    loop.setDrainMark(key, bytes: limits.outboxResumeBytes)
    machine.connected(ConnectionID(key), at: Instant(nanoseconds: loop.now))
    log(.debug, "\(peer) \(key) is at the door of shard \(post.index)")
  }

  /// Looks at the first bytes of a connection.
  ///
  /// - Returns: How many of them were consumed.
  func meet(_ key: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard helloCount < ServerLimits.hellosPerTurnMax else {
      loop.pauseReading(key)
      queuing.append(key)
      return 0
    }
    helloCount += 1
    switch FirstFrame(bytes, doorReader, shard: post.index, of: posts.count) {
    case .incomplete: return 0
    case .garbage(let error):
      machine.receivedGarbage(error, on: ConnectionID(key), at: Instant(nanoseconds: loop.now))
      hasNews = true
      return bytes.count
    case .elsewhere(let shard, let hello):
      log(.debug, "\(key) goes to shard \(shard), table \(hello.table.quotedForLog)")
      handOver(key, to: shard)
      return 0
    case .here(let hello):
      if let hello { log(.debug, "\(key) is \(hello.name.quotedForLog) at table \(hello.table.quotedForLog)") }
      connections[Int(key.slot)].standing = .joined
      return hear(bytes, from: key)
    }
  }

  private func handOver(_ key: ConnectionKey, to shard: Int) {
    guard let detached = loop.detach(key) else { return }
    let peer = connections[Int(key.slot)].peer
    connections[Int(key.slot)] = ShardConnection()
    machine.closed(ConnectionID(key), at: Instant(nanoseconds: loop.now))
    posts[shard].mailbox.send(.adopt(detached, peer: peer))
  }

  /// The next of those who wait at the door are heard, in the order in which they came.
  func letInQueuing() {
    helloCount = 0
    guard !queuing.isEmpty else { return }
    let count = min(ServerLimits.hellosPerTurnMax, queuing.count)
    for key in queuing.prefix(count) { loop.resumeReading(key) }
    queuing.removeFirst(count)
  }

  // MARK: Turning away

  private func tooMany(_ detail: String) -> Goodbye {
    Goodbye(.tooManyConnections, detail: detail, retryAfterMilliseconds: limits.returnMilliseconds)
  }

  /// Says why, if not too many are being told already, and closes.
  private func turnAway(_ key: ConnectionKey, from peer: SocketAddress, _ goodbye: Goodbye) {
    statistics.connectionsTurnedAway += 1
    log(.debug, "\(peer) \(key) is turned away: \(goodbye.detail)")
    note(key, .turnedAway, peer)
    turnedAwayCount += 1
    guard turnedAwayCount <= ServerLimits.turnedAwayMax else {
      loop.close(key)
      return
    }
    ServerMessage.goodbye(goodbye).framed().withUnsafeBytes { _ = loop.append(key, $0) }
    loop.close(key, afterFlush: true)
  }

  private func note(_ key: ConnectionKey, _ standing: ShardConnection.Standing, _ peer: SocketAddress) {
    while connections.count <= Int(key.slot) { connections.append(ShardConnection()) }
    connections[Int(key.slot)] = ShardConnection(key, standing, peer: peer)
  }
}
