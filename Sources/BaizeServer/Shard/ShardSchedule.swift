import BaizeTable

/// The times of the next turn, the next sweep and the end of a shard's machine.
struct ShardSchedule {
  /// Whether the machine has received events since its last turn.
  var hasEvents = false
  /// The time of the first event of the machine's present turn; `nil` before it.
  private var turnStart: UInt64?
  /// The number of frames received when the loop's last turn ended.
  private var framesReceived = 0
  /// The time at which the machine's turn ends even if more frames arrive.
  private var gathersUntil: UInt64?
  private(set) var nextTick: UInt64
  /// The latest time at which the shard ends; `nil` unless it is stopping.
  private(set) var stopsAt: UInt64?

  init(at now: UInt64) { nextTick = now + ServerLimits.tickNanoseconds }

  /// The earliest deadline, in monotonic nanoseconds.
  var deadline: UInt64 { min(nextTick, stopsAt ?? .max) }

  /// Notes that the machine's turn has events, unless it did before.
  mutating func noteTurnStart(at now: UInt64) { if turnStart == nil { turnStart = now } }

  /// Returns whether the machine's turn waits for more frames: for a limited time, as long as frames arrive.
  mutating func gathers(framesReceived: Int, at now: UInt64) -> Bool {
    let hasMore = framesReceived > self.framesReceived
    self.framesReceived = framesReceived
    let end = gathersUntil ?? now + ServerLimits.gatherNanosecondsMax
    gathersUntil = end
    return hasMore && now < end
  }

  /// Ends the machine's turn, and returns the time of its first event.
  mutating func takeTurnStart() -> UInt64? {
    gathersUntil = nil
    return exchange(&turnStart, with: nil)
  }

  /// Schedules the next sweep.
  ///
  /// - Parameter isDone: Whether the last one has visited everything.
  mutating func ticked(at now: UInt64, isDone: Bool) {
    nextTick = now + (isDone ? ServerLimits.tickNanoseconds : ServerLimits.shortTickNanoseconds)
    hasEvents = true
  }

  /// Schedules the end.
  ///
  /// - Parameters:
  ///   - now: The present time.
  ///   - nanoseconds: The longest time until then.
  /// - Returns: Whether it was not scheduled before.
  mutating func beginStopping(at now: UInt64, within nanoseconds: UInt64) -> Bool {
    guard stopsAt == nil else { return false }
    stopsAt = now + nanoseconds
    return true
  }
}
