import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// Bytes in, frames to the machine.
extension Shard {
  /// Gives the machine the whole frames among a connection's bytes: all of them, or as many as one turn takes from one
  /// connection.
  ///
  /// - Returns: How many bytes were consumed; the rest comes again.
  func hear(_ bytes: UnsafeRawBufferPointer, from key: ConnectionKey) -> Int {
    let now = Instant(nanoseconds: loop.now)
    let heard = Self.feed(bytes, reader, to: &machine, from: ConnectionID(key), at: now)
    hasNews = true
    statistics.framesReceived += heard.frames
    statistics.bytesReceived += heard.bytes
    if isCongested || heard.frames == ServerLimits.framesPerTurnMax && heard.bytes < bytes.count { rest(key) }
    return heard.bytes
  }

  /// One borrow of the machine for all frames of a connection.
  private static func feed(
    _ bytes: UnsafeRawBufferPointer, _ reader: FrameReader, to machine: inout ShardMachine, from id: ConnectionID,
    at now: Instant
  ) -> (frames: Int, bytes: Int) {
    var position = 0
    var frames = 0
    do throws(DecodeError) {
      // The end is mostly the end of a frame: asked for here, it costs no thrown "truncated" inside of the reader.
      while position < bytes.count, frames < ServerLimits.framesPerTurnMax,
        let frame = try reader.next(in: bytes, from: position)
      {
        machine.received(UnsafeRawBufferPointer(rebasing: bytes[frame]), on: id, at: now)
        position = frame.upperBound
        frames += 1
      }
      return (frames, position)
    } catch {
      machine.receivedGarbage(error, on: id, at: now)
      return (frames, bytes.count)
    }
  }

  // MARK: Fairness

  /// Reads no more of a connection until the turn has ended: the others come first, and the journal.
  private func rest(_ key: ConnectionKey) {
    loop.pauseReading(key)
    resting.append(key)
  }

  func resumeResting() {
    guard !resting.isEmpty, !isCongested else { return }
    for key in resting { loop.resumeReading(key) }
    resting.removeAll(keepingCapacity: true)
  }
}
