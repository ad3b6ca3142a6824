package import BaizeTable

/// The limit of everything that waits. It guards against waiting for ever, and tells nothing of speed: whatever waits for an event or a
/// condition gets it within this time, however busy the machine is.
package enum HangGuard {
  /// The longest wait for one condition, in seconds.
  package static let seconds = 600

  /// The same in nanoseconds.
  package static let nanoseconds = UInt64(seconds) * 1_000_000_000

  /// The flags of a daemon that waits as long for its clients, for tests that are not about these times.
  package static var daemonFlags: [String] { daemonFlags(besides: []) }

  /// The same without those that a test gives itself.
  package static func daemonFlags(besides arguments: [String]) -> [String] {
    ["--handshake", "--heartbeat", "--stalled", "--grace"].filter { !arguments.contains($0) }
      .flatMap { [$0, "\(seconds)"] }
  }
}

extension SyncLimits {
  /// Gives clients as much time as ``HangGuard``, for tests that are not about these times.
  package mutating func waitForSlowMachines() {
    let seconds = UInt64(HangGuard.seconds)
    connections.handshakeSeconds = seconds
    connections.heartbeatSeconds = seconds
    connections.stalledSeconds = seconds
    connections.loadingGraceSeconds = seconds
    sessions.graceSeconds = seconds
    sessions.claimSeconds = seconds
  }
}
