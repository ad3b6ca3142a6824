import BaizeClient
import BaizeDriver
import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import TestSupport
import Testing

/// One test at a time: their clients block.
@Suite(.serialized, .hangGuard) struct ServerTests {}

/// The same with daemons that are processes: beside the others, since most of their time is waiting, and on a thread that no other
/// test waits for.
@Suite(.serialized, .hangGuard, .dedicatedThreads) struct DaemonProgramTests {}

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

/// Starts a daemon over the journal in a folder, for a test that starts another one there.
func startServer(
  in folder: TemporaryFolder, _ durability: Durability = .strict, at address: SocketAddress = .loopback(port: 0),
  tokens: TokenConfiguration? = nil
) async throws -> Server {
  var configuration = ServerConfiguration()
  configuration.address = address
  configuration.shardCount = 2
  configuration.journal = .file(folder.path("baize.sqlite"))
  configuration.durability = durability
  configuration.tokens = tokens
  configuration.limits.sessions.operationsPerSecondMax = 0
  configuration.limits.waitForSlowMachines()
  configuration.limits.connections.returnMilliseconds = 10
  return try await Server.start(configuration)
}

extension SyncLimits {
  /// Lets everyone send as fast as it can, and read as slowly.
  mutating func allowFloods() {
    sessions.operationsPerSecondMax = 0
    connections.stalledSeconds = 600
    connections.heartbeatSeconds = 600
  }
}

extension Server {
  /// Joins a table over a blocking socket.
  func join(
    _ table: String = "t", _ type: String = "list?items=3", name: String = ""
  ) throws -> (client: BlockingClient, joined: BlockingClient.Joined) {
    try BlockingClient.joining(address, Hello(table: table, tableType: type, name: name))
  }

  /// Joins a table as an app does.
  func joinAsApp(_ table: String, _ type: String, name: String = "") async throws -> TableClient {
    var configuration = ClientConfiguration(table: table, tableType: type, name: name)
    configuration.backoffMilliseconds = 10
    configuration.backoffMillisecondsMax = 50
    configuration.waitForSlowMachines()
    return try await TableClient.join(.tcp(address), configuration, timeout: .seconds(HangGuard.seconds))
  }
}

extension BlockingClient.Joined {
  /// The frames of operations that pin the first item and unpin it again, each of which publishes its whole face.
  func pins(_ numbers: ClosedRange<UInt64>, basedOn base: (UInt64) -> Revision? = { _ in nil }) -> [UInt8] {
    numbers.flatMap { number in
      let action = number.isMultiple(of: 2) ? "pin" : "unpin"
      return operation(.perform(action: action, items: [items[0]], nil), number: number, base: base(number)).framed()
    }
  }

  /// An operation that gives the first item a face of so many texts of the maximum length.
  func enlarge(texts: Int, number: UInt64) -> ClientMessage {
    let text = String(repeating: "x", count: WireLimits.attributeTextBytesMax)
    let attributes = (0..<texts).map { Attribute("text-\($0)", text) }
    return operation(.update(items[0], attributes: attributes, representations: []), number: number)
  }
}

extension ServerMessage {
  var diff: Diff? { if case .diff(let diff) = self { diff } else { nil } }
  var part: SnapshotPart? { if case .snapshot(let part) = self { part } else { nil } }
  var outcome: Outcome? { if case .outcome(let outcome) = self { outcome } else { nil } }
  var pong: Pong? { if case .pong(let pong) = self { pong } else { nil } }
  var goodbye: Goodbye? { if case .goodbye(let goodbye) = self { goodbye } else { nil } }

  /// The number of the own operation that it answers.
  var answered: UInt64? {
    let sequence = diff?.sequence ?? outcome?.sequence ?? .zero
    return sequence == .zero ? nil : sequence.rawValue
  }
}

extension Answer {
  var isAccepted: Bool { if case .accepted = self { true } else { false } }
  var reason: Reason? { if case .refused(let refusal) = self { refusal.reason } else { nil } }
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
