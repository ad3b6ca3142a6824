import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// The end of a turn: its writes are committed, then its frames are sent.
extension Shard {
  /// Order: the journal commits the turn's writes, then the machine releases the turn's frames, then they are appended to
  /// the connections' outboxes; the loop writes each connection once when the turn has ended.
  func endTurn() {
    schedule.hasEvents = false
    var end = machine.endTurn(begunAt: Instant(nanoseconds: schedule.takeTurnStart() ?? loop.now), at: now)
    journal.send(end, at: loop.now) { table in
      loader.load(table, bytesMax: machine.loadBytesMax(of: table), mayMigrate: machine.mayMigrate(table))
    }
    machine.isJournalBusy = journal.isBusy
    operators.endTurn(end.number)
    create(end.setUps)
    verify(end.verifications)
    free(&end.retired)
  }

  /// Sends the released frames, which are mostly those of earlier turns.
  func sendReleased() {
    while let batch = machine.nextReleased() {
      send(batch)
      machine.recycle(batch)
    }
  }

  private func send(_ batch: FrameBatch) {
    statistics.figures.framesSent += batch.frameCount
    statistics.figures.bytesSent += batch.runs.reduce(0) { $0 + Int($1.end - $1.start) }
    statistics.figures.operations += batch.counts
    statistics.figures.turns += 1
    statistics.figures.workUnits += batch.workUnits
    statistics.turn.note(batch, &statistics.metrics)
    batch.withUnsafeBytes { bytes in
      loop.withLending {
        // Where few are written, none has to wait.
        let isCrowd = batch.runs.count > ServerLimits.crowdMin
        guard webSockets.isEmpty else { return lend(batch.runs, bytes, isCrowd: isCrowd) }
        for run in batch.runs {
          let frames = UnsafeRawBufferPointer(rebasing: bytes[Int(run.start)..<Int(run.end)])
          let audience = isCrowd ? machine.audience(of: run.connection) : 0
          let queued = loop.lend(run.connection.key, frames, audience: audience)
          if queued > ServerLimits.backlogWatchBytes { watch(run.connection.key) }
        }
      }
    }
    webSockets.runs.removeAll()
    for (id, reason) in zip(batch.closes, batch.closeReasons) {
      let key = id.key
      log(.debug, "\(connections[Int(key.slot)].peer) \(key) is closed: \(reason.rawValue)")
      if case .webSocket = connections[Int(key.slot)].standing { appendClose(reason, to: key) }
      loop.close(key, afterFlush: true)
    }
  }

  // MARK: Backpressure

  /// Starts reports to the machine of a connection's unsent output, until all of it is sent.
  func watch(_ key: ConnectionKey) {
    guard !connections[Int(key.slot)].isWatched else { return }
    connections[Int(key.slot)].isWatched = true
    connections[Int(key.slot)].reportedTaken = loop.takenBytes(key) ?? 0
    watched.append(key)
  }

  /// Reports the connections' backlogs to the machine. The queued bytes are those that the last write left, since nothing
  /// was appended after it.
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
    // The end of a connection is reported later. A connection that is not watched has no significant backlog.
    guard let all = loop.takenBytes(key) else { return }
    let taken = connection.isWatched ? all : connection.reportedTaken
    guard connection.reportedBytes != bytes || connection.reportedTaken != taken else { return }
    connections[Int(key.slot)].reportedBytes = bytes
    connections[Int(key.slot)].reportedTaken = taken
    machine.backlog(
      of: key.id, bytes, taken: Int(taken - connection.reportedTaken), at: now)
    schedule.hasEvents = true
  }
}
