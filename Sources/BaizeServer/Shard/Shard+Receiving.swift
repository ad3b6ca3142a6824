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
    if isCongested || heard.isCut { rest(key) }
    return heard.bytes
  }

  /// One borrow of the machine for all frames of a connection: as many as one turn takes from one, unless what they ask for
  /// takes long, or the turn has grown long.
  private static func feed(
    _ bytes: UnsafeRawBufferPointer, _ reader: FrameReader, to machine: inout ShardMachine, from id: ConnectionID,
    at now: Instant
  ) -> (frames: Int, bytes: Int, isCut: Bool) {
    var position = 0
    var frames = 0
    let budget = TurnBudget()
    do throws(DecodeError) {
      // The end is mostly the end of a frame: asked for here, it costs no thrown "truncated" inside of the reader.
      while position < bytes.count, let frame = try reader.next(in: bytes, from: position) {
        guard budget.takes(frames, of: machine) else { return (frames, position, true) }
        machine.received(UnsafeRawBufferPointer(rebasing: bytes[frame]), on: id, at: now)
        position = frame.upperBound
        frames += 1
      }
      return (frames, position, false)
    } catch {
      machine.receivedGarbage(error, on: id, at: now)
      return (frames, bytes.count, false)
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

/// What one connection may ask of one turn before the others are heard.
private struct TurnBudget {
  private let begun = MonotonicClock.now()
  /// How many frames are heard between two looks at the clock.
  private static let framesPerLook = 16

  /// Whether another frame is heard after so many.
  @inline(__always) func takes(_ frames: Int, of machine: ShardMachine) -> Bool {
    guard frames < ServerLimits.framesPerTurnMax, machine.turnBytes < ServerLimits.turnBytesMax else { return false }
    guard frames > 0, frames % Self.framesPerLook == 0 else { return true }
    return MonotonicClock.now() - begun < ServerLimits.hearNanosecondsMax
  }
}
