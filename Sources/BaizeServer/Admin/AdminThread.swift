import BaizeJournal
import BaizeSync
import BaizeTransport
import Synchronization

/// The thread of the operator's address.
struct AdminThread: Sendable {
  /// The operator's request that the daemon stop.
  private final class DrainRequest: Sendable { let isMade = Atomic(false) }

  private let endpoint: HTTPEndpoint
  private let drain: DrainRequest
  private let thread: LoopThread
  let address: SocketAddress

  /// The time to wait for a shard's accounts. Without an answer, the report of health has none.
  private static let accountsNanoseconds: UInt64 = 100_000_000

  /// Whether the operator has asked the daemon to stop.
  var isDraining: Bool { drain.isMade.load(ordering: .relaxed) }

  /// Starts the thread, after all others, or in a node that waits for the journal before them.
  ///
  /// - Throws: ``HTTPListenError`` if the address cannot be listened at.
  init(_ configuration: ServerConfiguration, at admin: AdminConfiguration, _ threads: ServerThreads) async throws {
    let endpoint = try HTTPEndpoint()
    let (limiter, shards) = (threads.limiter, threads.endpoints)
    let drain = DrainRequest()
    let daemon = AdminRoutes.AdminDaemon(
      tables: TableOperator(shards: shards, nanosecondsMax: configuration.operatorNanoseconds),
      journal: configuration.journalPlace,
      isStored: { [journal = threads.journal] in try journal?.contains(tableNamed: $0) ?? false },
      metrics: { threads.metrics },
      isHealthy: { threads.isWaiting || threads.isHealthy }, pressure: { threads.pressure },
      accounts: TableOperator(shards: shards, nanosecondsMax: Self.accountsNanoseconds).accounts,
      isReady: { threads.isReady && !drain.isMade.load(ordering: .relaxed) },
      drain: {
        drain.isMade.store(true, ordering: .relaxed)
        threads.monitor.node?.stopWaiting()
        threads.beginStop()
      },
      tokens: threads.tokens)
    var address = admin.address
    if let tls = threads.tls, configuration.tls?.adminClientAuthorities != nil {
      do {
        address = try await tls.listen(at: address, for: .admin(endpoint))
      } catch {
        throw HTTPListenError(address: address, reason: error)
      }
    }
    thread = try LoopThread(name: "admin") { [address] in
      HTTPService<AdminRoutes>.run(endpoint, at: address, configuration, daemon) { peer in
        limiter.admit(peer, for: .operators) == .admitted
      } handOver: { connection, peer in
        guard let connection else { return limiter.release(peer.host, from: .operators) }
        // From here on it is a client like any other, but for the account.
        shards[0].mailbox.send(.adopt(connection, peer: peer, .webSocket, .operators))
      }
    }
    (self.endpoint, self.drain) = (endpoint, drain)
    do {
      self.address = try await endpoint.started.valueDespiteCancellation().get()
    } catch {
      thread.join()
      throw HTTPListenError(address: admin.address, reason: error)
    }
  }

  func beginStop() { endpoint.mailbox.send(.shutDown) }

  /// Ends the thread and waits for that.
  func end() async {
    beginStop()
    await endpoint.ended.valueDespiteCancellation()
    thread.join()
  }
}
