import BaizeTable

/// When a shard's machine gets its next turn, its next sweep, and its end.
struct ShardSchedule {
  /// Whether something has happened to the machine since its last turn ended.
  var hasNews = false
  private(set) var nextTick: UInt64
  /// Set while the shard ends: when it does at the latest.
  private(set) var stopsAt: UInt64?

  init(at now: UInt64) { nextTick = now + ServerLimits.tickNanoseconds }

  /// The earliest deadline, in monotonic nanoseconds.
  var deadline: UInt64 { min(nextTick, stopsAt ?? .max) }

  /// Schedules the next sweep.
  ///
  /// - Parameter isDone: Whether the last one has visited everything.
  mutating func ticked(at now: UInt64, isDone: Bool) {
    nextTick = now + (isDone ? ServerLimits.tickNanoseconds : ServerLimits.shortTickNanoseconds)
    hasNews = true
  }

  /// Schedules the end.
  ///
  /// - Returns: Whether it was not scheduled before.
  mutating func beginStopping(at now: UInt64) -> Bool {
    guard stopsAt == nil else { return false }
    stopsAt = now + ServerLimits.stopNanoseconds
    return true
  }
}
