/// The limit of everything that waits. It guards against waiting for ever, and tells nothing of speed: whatever waits for an event or a
/// condition gets it within this time, however busy the machine is.
package enum HangGuard {
  /// The longest wait for one condition, in seconds.
  package static let seconds = 600

  /// The same in nanoseconds.
  package static let nanoseconds = UInt64(seconds) * 1_000_000_000
}
