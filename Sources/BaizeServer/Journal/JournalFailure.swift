/// A failure of the journal: whether it lasts, and when writing is attempted again.
struct JournalFailure {
  var lasts = false
  /// The generation of turns, raised by every failure under `strict`, which voids the turns of earlier generations.
  var generation = 0
  private var nextAttempt: UInt64 = 0
  private let retryNanoseconds: UInt64

  init(retryNanoseconds: UInt64) { self.retryNanoseconds = retryNanoseconds }

  mutating func scheduleAttempt(after now: UInt64) { nextAttempt = now + retryNanoseconds }

  /// Gives up further attempts: only a restart helps.
  mutating func forgoAttempts() { nextAttempt = .max }

  func isDue(at now: UInt64) -> Bool { now >= nextAttempt }

  /// Returns the time until the next attempt, in nanoseconds; `.max` for none, `nil` once it is due.
  func waitNanoseconds(at now: UInt64) -> UInt64? {
    guard lasts, nextAttempt < .max else { return .max }
    return nextAttempt > now ? nextAttempt - now : nil
  }
}
