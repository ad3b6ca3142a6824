import BaizeDriver
import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTransport
import BaizeWire
import TestSupport
import Testing

/// One test at a time: their clients block.
@Suite(.serialized, .hangGuard) struct ServerTests {}

/// Runs a test against a daemon of its own at a free port.
func withServer(
  _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (Server) async throws -> Void
) async throws {
  var configuration = ServerConfiguration()
  configuration.address = .loopback(port: 0)
  configuration.shardCount = 2
  configuration.log = Log(.warning)
  configuration.limits.waitForSlowMachines()
  change(&configuration)
  let server = try await Server.start(configuration)
  do {
    try await body(server)
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}

/// The name of a table that lives on the given shard.
func table(on shard: Int, of count: Int, _ name: String = "t") -> String {
  var number = 0
  while ShardMachine.shard(ofTable: "\(name)-\(number)", among: count) != shard { number += 1 }
  return "\(name)-\(number)"
}

/// Waits until a condition holds that the daemon's threads bring about.
///
/// - Returns: Whether it ever did.
func eventually(_ condition: () throws -> Bool) async throws -> Bool {
  let end = MonotonicClock.now() + HangGuard.nanoseconds
  while try !condition() {
    guard MonotonicClock.now() < end else { return false }
    try await Task.sleep(for: .milliseconds(10))
  }
  return true
}
