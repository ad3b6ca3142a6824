import BaizeSync
import BaizeTransport
import BaizeWire

/// Receiving bytes, and passing frames to the machine.
extension Shard {
  /// Passes the complete frames among a connection's bytes to the machine, as many as the turn's budget allows.
  ///
  /// - Returns: The number of consumed bytes; the loop presents the others again.
  @inline(__always) func receive(_ bytes: UnsafeRawBufferPointer, from key: ConnectionKey) -> Int {
    let received = machine.receive(bytes, reader, on: key.id, at: now)
    schedule.hasEvents = true
    statistics.figures.framesReceived += received.frames
    statistics.figures.bytesReceived += received.bytes
    if received.isWaiting {
      loop.pauseReading(key)
    } else if received.isDeferred || journal.isCongested(holding: machine.heldBytes) {
      pause(key, wasServed: received.bytes > 0)
    }
    return received.bytes
  }

  /// Pauses reading from a connection until the turn has ended, so that other connections and the journal come first.
  ///
  /// - Parameter wasServed: Whether something of it was received now.
  func pause(_ key: ConnectionKey, wasServed: Bool) {
    loop.pauseReading(key)
    paused.append(key, wasServed: wasServed)
  }

  /// Admits connections that have waited for their tables, and reads again from those that were admitted.
  func admitWaiting() {
    machine.admitWaiting(at: now)
    for id in machine.takeResumed() { loop.resumeReading(id.key) }
  }

  /// Resumes reading, unless the journal is so busy that heavy work waits for it: its next answer comes first then. What the
  /// connections have sent already comes before what is read next.
  func resumePaused() {
    guard !paused.isEmpty, !journal.isBusy, !journal.isCongested(holding: machine.heldBytes) else { return }
    paused.removeAll { loop.resumeReading($0) }
  }
}
