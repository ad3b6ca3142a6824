import BaizeServer
import BaizeSync
import BaizeTransport
import BaizeWire
import Testing

/// One test at a time: they measure time, and their clients block.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ServerTests {}

/// Runs a test against a daemon of its own at a free port.
func withServer(
  _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (Server) async throws -> Void
) async throws {
  var configuration = ServerConfiguration()
  configuration.address = .loopback(port: 0)
  configuration.shardCount = 2
  configuration.log = Log(.warning)
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
func eventually(seconds: Int = 4, _ condition: () throws -> Bool) async throws -> Bool {
  for _ in 0..<seconds * 100 {
    if try condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return try condition()
}
