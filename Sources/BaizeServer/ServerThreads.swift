import BaizeJournal
import BaizeSync
import BaizeTable
import BaizeTransport
import Synchronization

/// The threads of one daemon: the journal's, and one for each shard.
struct ServerThreads: Sendable {
  let endpoints: [ShardEndpoint]
  let journal: (any Journal)?
  let monitor: JournalMonitor
  private let configuration: ServerConfiguration
  let limiter: ConnectionLimiter
  let account: MemoryAccount
  private let workers: TableWorkers
  /// The number of tables in the journal when it was opened.
  private(set) var storedTables = 0
  /// The key that seals what tables give out: the journal's, or one for as long as the daemon runs.
  private var access = AccessKey(random: SystemRandom().source)
  private let http: HTTPEndpoint?
  let offeredTypes: OfferedTypes
  let tls: TLSEndpoint?
  private var tlsThread: LoopThread?
  let tokens: TokenService?
  private var tokenThread: LoopThread?
  private var httpThread: LoopThread?
  private var shardThreads: [LoopThread] = []

  init(_ configuration: ServerConfiguration, _ limiter: ConnectionLimiter) throws {
    let count = min(max(1, configuration.shardCount), ServerLimits.shardsMax)
    let tokens = try configuration.tokens.map {
      try TokenService($0, configuration.log, hasJournal: configuration.hasJournal)
    }
    self.tokens = tokens
    endpoints = try (0..<count).map { try ShardEndpoint(index: $0, tokens: tokens) }
    let node = configuration.node.map { JournalNode($0) { [log = configuration.log] in log(.info, $0) } }
    monitor = JournalMonitor(configuration.log, node)
    journal = try configuration.makeJournal(for: node)
    http = configuration.http == nil ? nil : try HTTPEndpoint()
    offeredTypes = OfferedTypes(configuration.tableTypes, for: configuration.creation)
    tls = try configuration.tls.map { try TLSEndpoint($0, configuration) }
    self.configuration = configuration
    self.limiter = limiter
    account = MemoryAccount(
      bytesMax: configuration.memoryBytesMax ?? MachineMemory.standardBytes, shards: count, log: configuration.log)
    workers = try TableWorkers()
  }

  /// Starts all threads, or none.
  ///
  /// Order: the journal is open before anything listens.
  ///
  /// - Returns: The addresses at which the daemon listens.
  mutating func start() async throws -> (stream: SocketAddress, http: SocketAddress?) {
    do {
      try await openJournal()
      try startTLS()
      try startTokens()
      try startShards()
      let address = try await addressWhenStarted()
      return (address, try await startHTTP())
    } catch {
      beginStop()
      for endpoint in endpoints { endpoint.mailbox.send(.shutDown) }
      await end()
      throw error
    }
  }

  private mutating func openJournal() async throws {
    guard let journal else { return }
    let opened = try await withTaskCancellationHandler {
      try await journal.open(
        for: endpoints.count, newKey: access, answer: { [endpoints] in endpoints[$0].mailbox.send(.journal($1)) },
        report: monitor.receive)
    } onCancel: { [node = monitor.node] in
      node?.stopWaiting()
    }
    (storedTables, access) = (opened.tables, opened.accessKey)
    try tokens?.openRevocations(opened.revocations) { [mailbox = endpoints[0].mailbox] document, answer in
      mailbox.send(.operation(OperatorRequest(action: .keepRevocations(document), answer: answer)))
    }
    if access.acceptsUnsealed, !configuration.allowsAnyone {
      configuration.log(
        .warning,
        "the journal has tables from before invites were sealed: for hellos with anything like an old invite or token, tables are "
          + "loaded before these are checked")
    }
  }

  private mutating func startShards() throws {
    for endpoint in endpoints {
      let thread = try LoopThread(name: "shard \(endpoint.index)") {
        [endpoints, configuration, limiter, account, workers, journal, monitor, access] in
        Shard.run(endpoint, among: endpoints, configuration, limiter, account, workers, journal, monitor, access)
      }
      shardThreads.append(thread)
    }
  }

  /// Starts the thread of handshakes, which gives way to the others and listens at nothing yet.
  private mutating func startTLS() throws {
    guard let tls else { return }
    tlsThread = try LoopThread(name: "tls") { [configuration] in
      LoopThread.yieldToOthers()
      TLSAcceptor.run(tls, configuration)
    }
  }

  /// Starts the thread that verifies signed tokens, which gives way to the shards.
  private mutating func startTokens() throws {
    guard let tokens else { return }
    tokens.onRevocation { [mailboxes = endpoints.map(\.mailbox)] revoked in
      for mailbox in mailboxes { mailbox.send(.revoked(revoked)) }
    }
    tokenThread = try LoopThread(name: "tokens") {
      LoopThread.yieldToOthers()
      tokens.serve()
    }
  }

  /// Starts to serve HTTP behind everything else: its connections go to the shards. It gives way to them, so that no flood of
  /// requests takes the time of tables.
  private mutating func startHTTP() async throws -> SocketAddress? {
    guard let http, let address = configuration.http?.address else { return nil }
    do {
      let address = try await tls?.listen(at: address, for: .http(http)) ?? address
      httpThread = try LoopThread(name: "http") { [endpoints, configuration, offeredTypes, limiter, account] in
        LoopThread.yieldToOthers()
        HTTPService<WebRoutes>.run(http, at: address, for: endpoints, configuration, offeredTypes, limiter, account)
      }
      return try await http.started.valueDespiteCancellation().get()
    } catch {
      guard configuration.http?.isOptional == true else { throw HTTPListenError(address: address, reason: error) }
      configuration.log(
        .warning, "\(HTTPListenError(address: address, reason: error)), so that browsers cannot connect")
      return nil
    }
  }

  private func addressWhenStarted() async throws -> SocketAddress {
    var address: SocketAddress?
    for endpoint in endpoints {
      let listening = try await endpoint.started.valueDespiteCancellation().get()
      address = address ?? listening
    }
    if let tls { return try await tls.listen(at: configuration.address, for: .shards(endpoints)) }
    guard let address else { throw SystemError(call: "getsockname", errno: 0) }
    return address
  }

  /// Asks the threads to end.
  func beginStop() { stopper() }

  /// A function that does the same as ``beginStop()`` and does not retain this object.
  var stopper: @Sendable () -> Void {
    { [tls, http, endpoints] in
      tls?.mailbox.send(.shutDown)
      http?.mailbox.send(.shutDown)
      endpoints.first?.mailbox.send(.shutDown)
    }
  }

  // MARK: Inspecting

  /// The maximum time that an operator waits for a shard or for the journal.
  var operatorNanoseconds: UInt64 { configuration.operatorNanoseconds }

  /// The counters, summed over all shards.
  var statistics: ServerStatistics {
    var sum = ServerStatistics()
    for endpoint in endpoints { sum += endpoint.statistics.withLock { $0 } }
    sum.memory += account.useBesidesShards
    sum.journal = monitor.statistics
    return sum
  }

  /// The metrics, in Prometheus' text format.
  var metrics: String {
    var shards = ShardMetrics()
    for endpoint in endpoints { shards += endpoint.metrics.withLock { $0 } }
    return ServerMetrics(
      statistics: statistics, shards: shards, shardCount: endpoints.count, memoryBytesMax: account.bytesMax,
      mark: account.present.mark, connectionsOfAddressMost: limiter.largest(1).byAddress.first?.connections ?? 0,
      connectionSharesExceeded: limiter.sharesExceeded, tls: tls?.figures,
      tokens: tokens?.figures, isWaiting: monitor.node?.isWaiting
    ).text
  }

  /// Who takes what, without what the shards' accounts have.
  var pressure: PressureReport {
    let counted = limiter.largest(ServerLimits.accountsListedMax)
    return PressureReport(
      memory: statistics.memory, bytesMax: account.bytesMax, mark: account.present.mark, connections: counted.all,
      byAddress: counted.byAddress)
  }

  /// Whether every shard has made a turn in the last seconds. An idle one makes several.
  var isHealthy: Bool {
    let now = MonotonicClock.now()
    return endpoints.allSatisfy { endpoint in
      let last = endpoint.turnedAt.load(ordering: .relaxed)
      return last + ServerLimits.unhealthyNanoseconds > now && !endpoint.hasEnded.load(ordering: .relaxed)
    }
  }

  /// Whether the daemon is a node that waits for the journal: no shard makes turns.
  var isWaiting: Bool { monitor.node?.isWaiting ?? false }

  /// Whether clients are served: the shards make turns, and the journal can be written.
  var isReady: Bool { !isWaiting && isHealthy && !monitor.statistics.isFailing }

  /// Waits until all threads have ended: the journal's last, after it has committed everything that the shards have sent.
  func end() async {
    if let tls, tlsThread != nil { await tls.ended.valueDespiteCancellation() }
    if let http, httpThread != nil { await http.ended.valueDespiteCancellation() }
    for endpoint in endpoints.prefix(shardThreads.count) { await endpoint.ended.valueDespiteCancellation() }
    // Shards that never started.
    for _ in endpoints.dropFirst(shardThreads.count) { journal?.leave() }
    await journal?.ended()
    // The threads have resolved their promises, their last statement, so that this wait is short.
    for thread in shardThreads { thread.join() }
    httpThread?.join()
    tlsThread?.join()
    tokens?.stop()
    tokenThread?.join()
    workers.stop()
    for endpoint in endpoints { endpoint.closeUnclaimed() }
    http?.closeUnclaimed()
  }
}
