import BaizeHTTP
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import BaizeWire
import Synchronization

/// One thread of the daemon: it passes bytes from its sockets to its machine, and the machine's frames to the sockets.
///
/// It is created on its thread and never leaves it; other threads reach it through the mailbox of its endpoint. A turn:
///
/// ```
/// read ready sockets → machine receives frames → end the turn → send its writes → append released frames → write once
///                       ↖ acknowledged ──────────────────────── journal ↵
/// ```
///
/// The machine holds a turn's frames until the turn is committed; durability depends on that. The shard does
/// not wait meanwhile.
final class Shard {
  let endpoint: ShardEndpoint
  /// The endpoints of all shards, including this one.
  let endpoints: [ShardEndpoint]
  let loop: EventLoop
  let log: Log
  let limits: SyncLimits
  private let stopNanoseconds: UInt64
  let account: MemoryAccount
  /// The memory that it has charged to the account, in bytes.
  @exclusivity(unchecked) var chargedBytes = 0
  let reader: FrameReader
  /// The addresses of proxies, which tell whose connections they pass on.
  let proxies: [AddressRange]
  /// The addresses that stand for many, which have no share of their own.
  let sharedAddresses: [AddressRange]
  /// The listener, on the shard that accepts for all, unless it has TLS (``TLSAcceptor``).
  private(set) var listener: ListenerKey?
  let workers: TableWorkers
  let hasJournal: Bool
  private let monitor: JournalMonitor
  private(set) var loader: TableLoader

  // None of these calls back into the shard, so the checks for exclusive access, several for each read, would find nothing.

  @exclusivity(unchecked) var machine: ShardMachine
  @exclusivity(unchecked) var journal: JournalLink
  @exclusivity(unchecked) var statistics = ShardStatistics()
  var operators = OperatorReplies()
  /// The connections, by the transport's slot, which is also the machine's.
  @exclusivity(unchecked) var connections: [ShardConnection] = []
  var handshakes: Handshakes
  var reports: AdmissionReports
  /// The state of connections that are WebSockets.
  @exclusivity(unchecked) var webSockets = WebSockets()
  /// The connections with a backlog.
  var watched: [ConnectionKey] = []
  var paused = PausedConnections()
  @exclusivity(unchecked) var schedule: ShardSchedule
  /// The time for which the loop did not run that was logged.
  private var suspendedNanoseconds: UInt64 = 0

  init(
    _ endpoint: ShardEndpoint, among endpoints: [ShardEndpoint], _ configuration: ServerConfiguration,
    _ limiter: ConnectionLimiter, _ account: MemoryAccount, _ workers: TableWorkers, _ journal: (any Journal)?,
    _ monitor: JournalMonitor, _ access: AccessKey? = nil
  ) throws {
    self.endpoint = endpoint
    self.workers = workers
    hasJournal = journal != nil
    self.monitor = monitor
    loader = TableLoader(endpoint, configuration, workers, account, monitor)
    self.endpoints = endpoints
    log = configuration.log
    proxies = configuration.proxies
    sharedAddresses = configuration.sharedAddresses
    limits = configuration.limits
    stopNanoseconds = configuration.stopNanoseconds
    self.account = account
    reader = FrameReader(frameBytesMax: limits.connections.frameBytesMax)
    reports = AdmissionReports(configuration.log)
    handshakes = Handshakes(limiter, frameBytesMax: limits.connections.frameBytesMax)
    self.journal = JournalLink(
      of: endpoint.index, to: journal, unwrittenBytesMax: configuration.unwrittenBytesMax,
      busyBytes: configuration.unwrittenBusyBytes)
    loop = try EventLoop(
      selector: configuration.selector, waker: endpoint.waker, connectionsExpected: limiter.connectionsMax,
      leftoverBytesMax: max(limits.connections.frameBytesMax, ServerLimits.helloBytesMax) + Self.frameLengthBytesMax,
      queuedBytesMax: limits.connections.outboxHardBytes + ServerLimits.queuedBeyondMarkMax)
    machine = ShardMachine(
      types: TableTypeCache(configuration.tableTypes), random: SystemRandom().source, limits: limits,
      allowsSeeds: configuration.allowsSeeds, isOpen: configuration.allowsAnyone, creation: configuration.creation,
      durability: journal == nil ? .memory : configuration.durability,
      setUpItemsAtOnceMax: ServerLimits.setUpItemsAtOnceMax, needsToken: endpoint.tokens != nil, access: access,
      ledger: account.ledger)
    machine.setFloorsReserve(account.floorsReserve)
    schedule = ShardSchedule(at: loop.now)
    // Reserved, so that many connections at once do not delay others while an array grows.
    connections.reserveCapacity(limiter.connectionsMax)
    machine.reserveConnections(limiter.connectionsMax)
    machine.setMemoryRoom(account.room, of: account.roomMax)
    if endpoint.index == 0, configuration.tls == nil { listener = try loop.listen(on: configuration.address) }
  }

  /// The longest header of a frame: that of WebSocket. A varint of 64 bits has ten bytes.
  private static let frameLengthBytesMax = WebSocketFrame.headerBytesMax

  /// The time at which the loop began to handle events, by which the machine measures its timeouts: it does not advance while
  /// the process is stopped.
  var now: Instant { Instant(nanoseconds: loop.activeTime) }

  /// Runs the body of a shard's thread.
  static func run(
    _ endpoint: ShardEndpoint, among endpoints: [ShardEndpoint], _ configuration: ServerConfiguration,
    _ limiter: ConnectionLimiter, _ account: MemoryAccount, _ workers: TableWorkers, _ journal: (any Journal)?,
    _ monitor: JournalMonitor, _ access: AccessKey
  ) {
    do {
      let shard = try Shard(
        endpoint, among: endpoints, configuration, limiter, account, workers, journal, monitor, access)
      endpoint.started.resolve(.success(shard.listener.flatMap(shard.loop.address)))
      shard.serve()
    } catch {
      endpoint.started.resolve(.failure(error))
    }
    journal?.leave()
    endpoint.hasEnded.store(true, ordering: .relaxed)
    endpoint.ended.resolve(())
  }

  private func serve() {
    do {
      try loop.run(self)
      // Handles the effects of the last closed connections.
      endTurn()
    } catch {
      // All shards stop: clients of this shard's tables could still connect but would never be answered.
      log(.error, "the daemon stops, since shard \(endpoint.index) has failed: \(error)")
      for other in endpoints { other.mailbox.send(.shutDown) }
    }
    statistics.publish(to: endpoint, at: loop.now, isLast: true)
  }

  /// Stops the shard. The accepting shard receives the request first and passes it on after its earlier messages to the other
  /// shards, so that a connection that is being handed over also gets its goodbye.
  private func shutDown() {
    guard schedule.beginStopping(at: loop.now, within: stopNanoseconds) else { return }
    if endpoint.index == 0 {
      if let listener { loop.stopListening(listener) }
      for other in endpoints where other.index != endpoint.index { other.mailbox.send(.shutDown) }
    }
    machine.shutDown(at: now)
    schedule.hasEvents = true
  }
}

// MARK: - Events of the loop

extension Shard: EventLoopHandler {
  func received(_ key: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    statistics.turn.note()
    let consumed =
      switch connections[Int(key.slot)].standing {
      case .joined: receive(bytes, from: key)
      case .handshake: receiveFirst(bytes, from: key)
      case .proxied(.waiting): receiveProxyHeader(bytes, from: key)
      case .webSocket(.handshake): receiveFrames(bytes, from: key, hasJoined: false)
      case .webSocket(.joined): receiveFrames(bytes, from: key, hasJoined: true)
      case .none, .rejected, .left, .proxied(.violated), .webSocket(.violated): bytes.count
      }
    noteUnreceived(bytes.count - consumed, of: key)
    return consumed
  }

  func closed(_ key: ConnectionKey, _ reason: CloseReason) {
    let connection = connections[Int(key.slot)]
    guard connection.generation == key.generation else { return }
    connections[Int(key.slot)] = ShardConnection()
    log(.debug, "\(connection.peer) \(key) is closed: \(reason)")
    switch connection.standing {
    case .none: break
    case .rejected: handshakes.rejectedClosed()
    case .left: handshakes.limiter.release(connection.peer.host, from: connection.account)
    case .proxied:
      handshakes.limiter.releaseUnidentified()
      machine.closed(key.id, at: now)
      schedule.hasEvents = true
    case .handshake, .joined:
      handshakes.limiter.release(connection.peer.host, from: connection.account)
      machine.closed(key.id, at: now)
      schedule.hasEvents = true
    case .webSocket:
      handshakes.limiter.release(connection.peer.host, from: connection.account)
      webSockets.closed(key)
      machine.closed(key.id, at: now)
      schedule.hasEvents = true
    }
  }

  func woken() {
    var messages: [ShardMessage] = []
    endpoint.mailbox.drain(into: &messages)
    for message in messages {
      switch message {
      case .adopt(let connection, let peer, let framing, let account): adopt(connection, from: peer, framing, account)
      case .secured(let connection, let peer): adopt(connection, from: peer)
      case .journal(let answer): receive(answer)
      case .loaded(let name, let table): receive(table, named: name)
      case .made(let name, let table): receive(table, named: name)
      case .verified(let id, let finding): receive(finding, of: id)
      case .revoked(let revocations): machine.revoke(revocations)
      case .operation(let request): receive(request)
      case .reload(let limits, let types):
        machine.reload(types: TableTypeCache(types), limits: limits)
        loader.reload(types)
      case .shutDown: shutDown()
      }
    }
  }

  func turnEnded(now: UInt64) {
    guard !monitor.isOverdue() else { return loop.stop() }
    reportBacklogs()
    if now >= schedule.nextTick { tick(at: now) }
    admitWaiting()
    if schedule.hasEvents { statistics.turn.note() }
    if !gathersMore(at: now) { endTurn() }
    sendReleased()
    // Before the next turn publishes more to members that are beyond their mark now.
    reportBacklogs()
    chargeMemory()
    resumePaused()
    resumeHandshakes()
    count()
    statistics.turn.finish(begunAt: now, clock: MonotonicClock.now, &statistics.metrics)
    statistics.publish(to: endpoint, at: now)
    endpoint.turnedAt.store(now, ordering: .relaxed)
    if let end = schedule.stopsAt, loop.connectionCount == 0 || now >= end { loop.stop() }
  }

  private func count() {
    statistics.figures.connections = loop.connectionCount
    statistics.figures.tables = machine.tableCount
    statistics.figures.backlogs = watched.count
    statistics.figures.journalLagNanoseconds = journal.lagNanoseconds(at: loop.now)
  }

  private func tick(at loopNow: UInt64) {
    noteSuspension()
    // A connection that the shard does not read from must not time out.
    if journal.isCongested(holding: machine.heldBytes) {
      machine.resetReceiveDeadlines(at: now)
    } else {
      paused.forEach { machine.resetReceiveDeadline(of: $0.id, at: now) }
    }
    keepTokenTime()
    let isDone = machine.tick(at: now)
    if isDone {
      chargeMemory(isSweeping: true)
      (statistics.figures.sessions, statistics.figures.members) = machine.peopleCount
      (statistics.metrics.accounts, statistics.metrics.most) = machine.accountFigures
      logUsedShares()
    }
    schedule.ticked(at: loopNow, isDone: isDone)
  }

  private func noteSuspension() {
    let all = loop.suspendedNanoseconds
    guard all > suspendedNanoseconds else { return }
    let milliseconds = (all - suspendedNanoseconds) / 1_000_000
    log(.warning, "shard \(endpoint.index) did not run for \(milliseconds) ms, which no timeout counts")
    suspendedNanoseconds = all
  }

  /// The present time while the machine has work to do; the loop still reads ready sockets before that.
  var nextDeadline: UInt64? {
    // Not in one condition: the machine would be copied into the closure behind `||`.
    let wantsTurn = machine.wantsTurn
    if schedule.hasEvents || wantsTurn || handshakes.hasWaiting { return 0 }
    if !journal.isBusy {
      let wantsToWrite = machine.wantsToWrite
      if wantsToWrite { return 0 }
    }
    return min(schedule.deadline, statistics.deadline ?? .max)
  }

  func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {
    log(.warning, "no connection can be accepted at the moment: \(error)")
  }

  /// Does nothing: a shard opens no connections.
  func connected(_ connection: ConnectionKey) {}
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {}
}
