package import BaizeDriver
package import BaizeSync
package import BaizeTable

extension HangGuard {
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

extension ClientConfiguration {
  /// Gives the daemon as much time for its answer to a hello.
  package mutating func waitForSlowMachines() { handshakeSeconds = UInt64(HangGuard.seconds) }
}
