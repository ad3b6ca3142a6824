import BaizeTransport

/// Repeats a step until a condition holds.
///
/// - Parameter step: Makes progress, and returns soon: a turn of a loop, or a short sleep.
/// - Returns: The nanoseconds that it took.
/// - Throws: ``RunFailure`` when the condition does not hold in time; what the step or the condition throws.
@discardableResult
package func waitUntil(
  seconds: Double = Double(HangGuard.seconds), for what: @autoclosure () -> String, step: () throws -> Void,
  _ isDone: () throws -> Bool
) throws -> UInt64 {
  let start = MonotonicClock.now()
  let end = start + UInt64(seconds * 1e9)
  while try !isDone() {
    guard MonotonicClock.now() < end else { throw RunFailure("waited \(Int(seconds)) s for \(what())") }
    try step()
  }
  return MonotonicClock.now() - start
}
