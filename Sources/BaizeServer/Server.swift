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
/// It runs on threads of its own, one for each shard; this face may be used from anywhere.
public final class Server: Sendable {
  /// Where it listens indeed: the port is the real one, even if 0 was asked for.
  public let address: SocketAddress
  private let posts: [ShardPost]
  private let threads: [LoopThread]

  private init(address: SocketAddress, posts: [ShardPost], threads: [LoopThread]) {
    self.address = address
    self.posts = posts
    self.threads = threads
  }

  /// Asks the shards to end, for an owner who forgot to ``stop()``.
  deinit { beginStop() }

  /// Starts a daemon. It accepts connections when this returns.
  ///
  /// Raises the process's limit of descriptors as far as the system lets it.
  ///
  /// - Throws: `SystemError`, for example when somebody else listens at the address.
  public static func start(_ configuration: ServerConfiguration = ServerConfiguration()) async throws -> Server {
    let count = min(max(1, configuration.shardCount), ServerLimits.shardsMax)
    let census = Census(
      connectionsMax: connectionsMax(configuration), perAddressMax: configuration.connectionsPerAddressMax)
    let posts = try (0..<count).map(ShardPost.init)
    var threads: [LoopThread] = []
    do {
      for post in posts {
        threads.append(
          try LoopThread(name: "shard \(post.index)") { Shard.run(post, among: posts, configuration, census) })
      }
      let address = try await addressWhenStarted(posts)
      return Server(address: address, posts: posts, threads: threads)
    } catch {
      for post in posts { post.mailbox.send(.shutDown) }
      await end(threads, Array(posts.prefix(threads.count)))
      throw error
    }
  }

  /// What it has done so far and holds now: the sum over all shards, each as of the end of its last turn.
  public var statistics: ServerStatistics {
    posts.reduce(into: ServerStatistics()) { sum, post in sum += post.statistics.withLock { $0 } }
  }

  /// Begins to end: tells every client when to come back, and waits a moment until they have read it. Returns at once;
  /// ``ended()`` tells when it is done.
  public func beginStop() { posts.first?.mailbox.send(.shutDown) }

  /// Ends. A second call waits for the same end.
  public func stop() async {
    beginStop()
    await Self.end(threads, posts)
  }

  /// Waits until the daemon has ended, whoever asked for it: its owner, or a shard that could not go on.
  public func ended() async {
    for post in posts { await post.ended.value }
  }

  private static func addressWhenStarted(_ posts: [ShardPost]) async throws -> SocketAddress {
    var address: SocketAddress?
    for post in posts {
      let listening = try await post.started.value.get()
      address = address ?? listening
    }
    guard let address else { throw SystemError(call: "getsockname", errno: 0) }
    return address
  }

  private static func end(_ threads: [LoopThread], _ posts: [ShardPost]) async {
    for post in posts { await post.ended.value }
    // Their last statement was the promise: the wait is over before it begins.
    for thread in threads { thread.join() }
    for post in posts { post.closeUnclaimed() }
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
