public import BaizeSync
public import BaizeTable
public import BaizeTableTypes
public import BaizeTokens
public import BaizeTransport
import Synchronization

/// A daemon inside this process: shared tables behind a TCP port, and for browsers behind an HTTP port.
///
/// ```swift
/// var configuration = ServerConfiguration()
/// configuration.address = .loopback(port: 0)
/// let server = try await Server.start(configuration)
/// print(server.address)
/// await server.stop()
/// ```
///
/// It runs on its own threads, one for each shard and one for the journal. Its methods may be called on any thread.
public final class Server: Sendable {
  /// The address at which the daemon listens, with the actual port if the configuration has port 0.
  public let address: SocketAddress
  /// The address for browsers, with the actual port; `nil` without HTTP.
  public let httpAddress: SocketAddress?
  /// The operator's address, with the actual port; `nil` without one.
  public var adminAddress: SocketAddress? { admin?.address }
  /// Whether the operator has asked the daemon to stop, at the operator's address.
  public var isDrained: Bool { admin?.isDraining ?? false }
  private let threads: ServerThreads
  private let admin: AdminThread?

  /// Whether another daemon has taken over the journal, so that this one has ended.
  public var isSuperseded: Bool { threads.monitor.isSuperseded }

  private init(address: SocketAddress, httpAddress: SocketAddress?, threads: ServerThreads, admin: AdminThread?) {
    self.admin = admin
    self.address = address
    self.httpAddress = httpAddress
    self.threads = threads
  }

  /// Asks the shards to end, in case the owner did not call ``stop()``.
  deinit { beginStop() }

  /// Starts a daemon. It accepts connections when this method returns.
  ///
  /// Raises the process's descriptor limit as far as the system allows. With ``ServerConfiguration/node`` it waits for the journal
  /// first, until it has it or the task is cancelled, which is a `JournalError` of the kind `cancelled`.
  ///
  /// - Parameter configuration: The daemon's configuration.
  /// - Returns: The running daemon.
  /// - Throws: `SystemError`, for example when the address is in use; ``HTTPListenError`` for that of HTTP; `JournalError` when the journal
  ///   cannot be opened; `TLSFailure` in words when TLS cannot be used.
  public static func start(_ configuration: ServerConfiguration = ServerConfiguration()) async throws -> Server {
    let connectionsMax = connectionsMax(configuration)
    let httpConnectionsMax = httpConnectionsMax(configuration)
    let newcomersMax = TLSEndpoint.newcomersMax(configuration)
    DescriptorLimit.makeRoom(for: connectionsMax + httpConnectionsMax + newcomersMax + ServerLimits.descriptorReserve)
    let limiter = ConnectionLimiter(
      connectionsMax: connectionsMax, perAddressMax: configuration.connectionsPerAddressMax,
      httpConnectionsMax: httpConnectionsMax, log: configuration.log)
    var threads = try ServerThreads(configuration, limiter)
    // A node that waits for the journal answers its operator meanwhile.
    var admin =
      threads.monitor.node == nil || configuration.tls != nil ? nil : try await startAdmin(configuration, threads)
    let listening: (stream: SocketAddress, http: SocketAddress?)
    do {
      listening = try await threads.start()
    } catch {
      await admin?.end()
      throw error
    }
    configuration.log(
      .info,
      StartReport(
        configuration, address: listening.stream, connectionsMax: connectionsMax,
        memoryBytesMax: threads.account.bytesMax,
        storedTables: threads.storedTables
      ).line)
    if let tls = threads.tls { tls.reportCertificate() }
    threads.monitor.onLoss(threads.stopper)
    if admin == nil { admin = try await startAdmin(configuration, threads) }
    return Server(address: listening.stream, httpAddress: listening.http, threads: threads, admin: admin)
  }

  private static func startAdmin(
    _ configuration: ServerConfiguration, _ threads: ServerThreads
  ) async throws -> AdminThread? {
    guard let admin = configuration.admin else { return nil }
    do {
      return try await AdminThread(configuration, at: admin, threads)
    } catch {
      threads.beginStop()
      await threads.end()
      throw error
    }
  }

  /// The daemon's counters, summed over all shards; at most some milliseconds old.
  public var statistics: ServerStatistics { threads.statistics }

  /// The daemon's metrics in Prometheus' text format; at most some milliseconds old. They contain no text from clients.
  public var metrics: String { threads.metrics }

  /// The operator's access to the tables.
  var tableOperator: TableOperator {
    TableOperator(shards: threads.endpoints, nanosecondsMax: threads.operatorNanoseconds)
  }

  /// Takes over limits and table types that were read again, without disturbing anyone. The maximum size of a frame and of an
  /// outbox, the heartbeat and the number of pending operations stay, and tables keep the type that they were created with.
  ///
  /// - Parameters:
  ///   - limits: The limits.
  ///   - tableTypes: The table types that clients may create tables of.
  public func reload(limits: SyncLimits, tableTypes: TableTypeLibrary) {
    for endpoint in threads.endpoints { endpoint.mailbox.send(.reload(limits, tableTypes)) }
    threads.offeredTypes.reload(tableTypes)
    threads.journal?.reload(limits.journal)
  }

  /// Reads the certificate, its key, the authorities of clients, the keys of signed tokens and the file of what is revoked again, from the
  /// same files.
  /// Connections keep what they began with, and tickets remain valid.
  ///
  /// - Returns: A sentence about each change that shows.
  /// - Throws: `TLSFailure`, `TokenKeyError` or ``RevocationError`` in words if a file cannot be used. Nothing has changed then.
  public func reloadSecrets() throws -> [String] {
    let reloadTLS = { [tls = threads.tls] in [try tls?.reload()].compactMap(\.self) }
    return try threads.tokens?.reload(reloadTLS) ?? reloadTLS()
  }

  /// Revokes the signed tokens of a person, or one token: they are not accepted any more, and the connections that have one end
  /// within seconds. It is durable when this returns.
  /// The journal keeps it, or the file of ``TokenConfiguration/revocationFile``.
  ///
  /// - Parameters:
  ///   - revocation: What is revoked.
  ///   - seconds: For how long; by default as long as any token can be valid.
  /// - Throws: ``RevocationError`` if neither can be written, or there is neither. If the journal has not answered within ten seconds, it
  ///   may be kept or not.
  public func revoke(
    _ revocation: Revocation, seconds: Int64 = TokenLimits.validSecondsMax
  ) async throws(RevocationError) {
    _ = try await change { $0.revoke(revocation, seconds: seconds, answer: $1) }
  }

  /// Accepts signed tokens again that were revoked.
  ///
  /// - Returns: Whether they were.
  /// - Throws: As ``revoke(_:seconds:)``.
  public func restore(_ revocation: Revocation) async throws(RevocationError) -> Bool {
    try await change { $0.restore(revocation, answer: $1) }
  }

  private func change(
    _ change: (TokenService, @escaping @Sendable (Result<Bool, RevocationError>) -> Void) -> Void
  ) async throws(RevocationError) -> Bool {
    guard let tokens = threads.tokens else { throw RevocationError("the daemon needs no signed tokens") }
    let answer = Promise<Result<Bool, RevocationError>>()
    change(tokens, answer.resolve)
    let waiting = Task {
      guard (try? await Task.sleep(nanoseconds: threads.operatorNanoseconds)) != nil else { return }
      answer.resolve(.failure(.unanswered))
    }
    defer { waiting.cancel() }
    return try await answer.valueDespiteCancellation().get()
  }

  /// Begins to stop: every client receives a goodbye with the time to reconnect at, and a moment to read it. Returns at
  /// once; ``ended()`` waits for the end.
  public func beginStop() {
    admin?.beginStop()
    threads.beginStop()
  }

  /// Stops the daemon and waits for its end. Everything that a client has received is durable then. A second call waits
  /// for the same end.
  public func stop() async {
    beginStop()
    await threads.end()
    await admin?.end()
  }

  /// Waits until the daemon has ended, whether its owner stopped it or a shard failed.
  public func ended() async {
    for endpoint in threads.endpoints { await endpoint.ended.valueDespiteCancellation() }
    await threads.journal?.ended()
  }

  /// Whether something that clients have received, or that was committed, may be lost: the journal was deleted, replaced or
  /// damaged while the daemon ran, or could not be written until the end.
  public var hasLostData: Bool { threads.monitor.hasLost }

  /// Returns the maximum number of connections to tables: each needs a descriptor of those that the system grants.
  private static func connectionsMax(_ configuration: ServerConfiguration) -> Int {
    let granted = DescriptorLimit.raise()
    guard granted > 0 else { return configuration.connectionsMax }
    let operators = ServerLimits.adminStrangersMax + 2 * ServerLimits.adminConnectionsMax
    let others =
      httpConnectionsMax(configuration) + TLSEndpoint.newcomersMax(configuration)
      + (configuration.admin == nil ? 0 : min(operators, granted / 8))
      + ServerLimits.descriptorReserve
    return min(max(1, granted - others), configuration.connectionsMax)
  }

  /// Returns the number of connections at the address for browsers, besides WebSockets: at most an eighth of the descriptors.
  private static func httpConnectionsMax(_ configuration: ServerConfiguration) -> Int {
    guard configuration.http != nil else { return 0 }
    let granted = DescriptorLimit.raise()
    return granted > 0 ? min(ServerLimits.httpConnectionsMax, max(1, granted / 8)) : ServerLimits.httpConnectionsMax
  }
}
