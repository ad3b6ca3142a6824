import BaizeSync
import BaizeTransport
import BaizeWire

/// Bytes in, frames to the machine.
extension Shard {
  /// Gives the machine the whole frames among a connection's bytes: all of them, or as many as the turn's budget allows.
  ///
  /// - Returns: The number of bytes that were consumed; the rest comes again.
  func receive(_ bytes: UnsafeRawBufferPointer, from key: ConnectionKey) -> Int {
    let received = machine.receive(bytes, reader, on: key.id, at: now)
    schedule.hasNews = true
    statistics.figures.framesReceived += received.frames
    statistics.figures.bytesReceived += received.bytes
    if received.isDeferred || journal.isCongested(holding: machine.heldBytes) { pause(key) }
    return received.bytes
  }

  /// Stops reading from a connection until the turn has ended: the others come first, and the journal.
  private func pause(_ key: ConnectionKey) {
    loop.pauseReading(key)
    paused.append(key)
  }

  /// Reads on, in the order in which connections were paused.
  func resumePaused() {
    guard !paused.isEmpty, !journal.isCongested(holding: machine.heldBytes) else { return }
    for key in paused { loop.resumeReading(key) }
    paused.removeAll(keepingCapacity: true)
  }
}
