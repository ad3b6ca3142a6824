import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Synchronization

/// The end of a turn: what was decided is committed, then sent.
extension Shard {
  /// Order: the journal commits what the turn writes, then the machine releases the turn's frames, then they are
  /// appended; the loop writes each connection once when the turn has ended.
  func endTurn() {
    hasNews = false
    gathersUntil = nil
    let end = machine.endTurn()
    post(end)
    make(end.setUps)
    release(end.retired)
  }

  /// Whether the machine's turn goes on: a commit costs the same for few operations as for many, so that what is ready is
  /// heard first. Whoever waits for it has waited for less than a commit.
  func gathersMore(at now: UInt64) -> Bool {
    guard journal != nil, hasNews, machine.turnBytes < ServerLimits.turnBytesMax else { return false }
    let hasHeard = statistics.framesReceived > framesHeard
    framesHeard = statistics.framesReceived
    let end = gathersUntil ?? now + ServerLimits.gatherNanosecondsMax
    gathersUntil = end
    return hasHeard && now < end
  }

  /// What is released is mostly of earlier turns.
  func sendReleased() {
    while let batch = machine.nextReleased() {
      send(batch)
      machine.recycle(batch)
    }
  }

  private func send(_ batch: FrameBatch) {
    statistics.bytesSent += batch.withUnsafeBytes { bytes in
      var sent = 0
      for delivery in batch.deliveries {
        let frame = UnsafeRawBufferPointer(rebasing: bytes[Int(delivery.start)..<Int(delivery.end)])
        let queued = loop.append(ConnectionKey(delivery.connection), frame)
        sent += frame.count
        if queued > ServerLimits.backlogWatchBytes { watch(ConnectionKey(delivery.connection)) }
      }
      return sent
    }
    for (id, reason) in zip(batch.closes, batch.closeReasons) {
      let key = ConnectionKey(id)
      log(.debug, "\(connections[Int(key.slot)].peer) \(key) is let go: \(reason.rawValue)")
      loop.close(key, afterFlush: true)
    }
    statistics.framesSent += batch.deliveries.count
    statistics.operations += batch.counts
    statistics.turns += 1
  }

  func publishStatistics() {
    statistics.connections = loop.connectionCount
    statistics.tables = machine.tableCount
    post.statistics.withLock { $0 = statistics }
  }

  // MARK: Back-pressure

  /// From here on the machine is told what of this connection's queue is not sent, until all of it is.
  private func watch(_ key: ConnectionKey) {
    guard !connections[Int(key.slot)].isWatched else { return }
    connections[Int(key.slot)].isWatched = true
    connections[Int(key.slot)].reportedTaken = loop.takenBytes(key) ?? 0
    watched.append(key)
  }

  /// What is queued now is what the last write left, for nothing was appended since.
  func reportBacklogs() {
    guard !watched.isEmpty else { return }
    watched.removeAll { key in
      guard connections[Int(key.slot)].generation == key.generation else { return true }
      let bytes = loop.pendingBytes(key)
      report(key, bytes)
      if bytes == 0 { connections[Int(key.slot)].isWatched = false }
      return bytes == 0
    }
  }

  func drained(_ key: ConnectionKey, pendingBytes: Int) { report(key, pendingBytes) }

  private func report(_ key: ConnectionKey, _ bytes: Int) {
    let connection = connections[Int(key.slot)]
    // Whoever is gone is heard of later. What is not watched has no backlog worth counting.
    guard let all = loop.takenBytes(key) else { return }
    let taken = connection.isWatched ? all : connection.reportedTaken
    guard connection.reportedBytes != bytes || connection.reportedTaken != taken else { return }
    connections[Int(key.slot)].reportedBytes = bytes
    connections[Int(key.slot)].reportedTaken = taken
    machine.backlog(
      of: ConnectionID(key), bytes, taken: Int(taken - connection.reportedTaken), at: Instant(nanoseconds: loop.now))
    hasNews = true
  }
}
