import BaizeTable
public import BaizeTransport
import Synchronization

/// A daemon inside this process: shared tables behind a TCP port.
///
/// ```swift
/// var configuration = ServerConfiguration()
/// configuration.address = .loopback(port: 0)
/// let server = try await Server.start(configuration)
/// print(server.address)
/// await server.stop()
/// ```
///
/// It runs on threads of its own, one for each shard and one for the journal; this face may be used from anywhere.
public final class Server: Sendable {
  /// Where it listens indeed: the port is the real one, even if 0 was asked for.
  public let address: SocketAddress
  private let threads: ServerThreads

  private init(address: SocketAddress, threads: ServerThreads) {
    self.address = address
    self.threads = threads
  }

  /// Asks the shards to end, for an owner who forgot to ``stop()``.
  deinit { beginStop() }

  /// Starts a daemon. It accepts connections when this returns.
  ///
  /// Raises the process's limit of descriptors as far as the system lets it.
  ///
  /// - Throws: `SystemError`, for example when somebody else listens at the address; `JournalError` when the journal
  ///   cannot be opened.
  public static func start(_ configuration: ServerConfiguration = ServerConfiguration()) async throws -> Server {
    let connectionsMax = connectionsMax(configuration)
    DescriptorLimit.makeRoom(for: connectionsMax + ServerLimits.descriptorReserve)
    let limiter = ConnectionLimiter(
      connectionsMax: connectionsMax, perAddressMax: configuration.connectionsPerAddressMax)
    var threads = try ServerThreads(configuration, limiter)
    let address = try await threads.start()
    return Server(address: address, threads: threads)
  }

  /// What it has done so far and holds now: the sum over all shards, at most some milliseconds old.
  public var statistics: ServerStatistics {
    var sum = ServerStatistics()
    for post in threads.posts { sum += post.statistics.withLock { $0 } }
    if let journal = threads.journal { sum.journal = journal.statistics.withLock { $0 } }
    return sum
  }

  /// Begins to stop: sends every client when to come back, and waits a moment until they have read it. Returns at once;
  /// ``ended()`` waits for the end.
  public func beginStop() { threads.posts.first?.mailbox.send(.shutDown) }

  /// Stops, with everything in the journal that anyone saw. A second call waits for the same end.
  public func stop() async {
    beginStop()
    await threads.end()
  }

  /// Waits until the daemon has ended, whoever asked for it: its owner, or a shard that could not go on.
  public func ended() async {
    for post in threads.posts { await post.ended.valueDespiteCancellation() }
    await threads.journal?.ended.valueDespiteCancellation()
  }

  /// Every connection is a descriptor: no more are let in than there are.
  private static func connectionsMax(_ configuration: ServerConfiguration) -> Int {
    let granted = DescriptorLimit.raise()
    guard granted > 0 else { return configuration.connectionsMax }
    let possible = max(1, granted - ServerLimits.descriptorReserve)
    if possible < configuration.connectionsMax {
      configuration.log(
        .info,
        "at most \(possible) connections, since the system grants \(granted) descriptors (see `ulimit -n`)")
    }
    return min(possible, configuration.connectionsMax)
  }
}
