import BaizeDriver
import BaizeTransport
import Testing

/// Runs a test about a limit of some seconds, which clients that do as they should must not reach: with a longer limit where this
/// machine was too slow for the first.
///
/// - Parameter body: The test with such a limit. Returns `false`, and has checked nothing, if the clients were too slow.
func withShortLimit(_ body: (_ seconds: UInt64) async throws -> Bool) async throws {
  var seconds: UInt64 = 1
  while try await !body(seconds) {
    seconds *= 2
    try #require(seconds < UInt64(HangGuard.seconds), "the machine is too slow for any limit")
  }
}

/// The longest time that a client let pass between two messages.
struct SilenceWatch {
  private var last = MonotonicClock.now()
  private(set) var longest: UInt64 = 0

  mutating func spoke() {
    let now = MonotonicClock.now()
    longest = max(longest, now - last)
    last = now
  }

  /// Whether it was never silent for so long.
  mutating func isWithin(seconds: UInt64) -> Bool {
    spoke()
    return longest < seconds * 1_000_000_000
  }
}
