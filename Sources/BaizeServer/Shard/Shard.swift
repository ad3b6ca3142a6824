import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// One thread's part of the daemon: it carries bytes from its sockets to its machine, and what the machine decides back.
///
/// It is made on its thread and never leaves it; other threads reach it through the mailbox of its post. A turn:
///
/// ```
/// read what is ready → machine receives frames → end the turn → post what it writes → append released frames → write once
///                       ↖ committed ─────────────────────────── journal's thread ↵
/// ```
///
/// The machine holds a turn's frames until the turn is committed; durability depends on that. The shard does
/// not wait meanwhile.
final class Shard {
  let post: ShardPost
  /// Of all shards, this one included.
  let posts: [ShardPost]
  let loop: EventLoop
  let log: Log
  let limits: SyncLimits
  let reader: FrameReader
  /// Set on the shard that accepts for all.
  private var listener: ListenerKey?

  var machine: ShardMachine
  var handshakes: Handshakes
  var journal: JournalLink
  var statistics = ShardStatistics()
  /// By the transport's slot, which is the machine's too.
  var connections: [ShardConnection] = []
  /// Connections with a backlog.
  var watched: [ConnectionKey] = []
  /// Connections that are read on from when the turn has ended.
  var paused: [ConnectionKey] = []
  var schedule: ShardSchedule

  init(
    _ post: ShardPost, among posts: [ShardPost], _ configuration: ServerConfiguration, _ limiter: ConnectionLimiter,
    _ journal: JournalPost?
  ) throws {
    self.post = post
    self.posts = posts
    log = configuration.log
    limits = configuration.limits
    reader = FrameReader(frameBytesMax: limits.frameBytesMax)
    handshakes = Handshakes(limiter, frameBytesMax: limits.frameBytesMax)
    self.journal = JournalLink(journal, unwrittenBytesMax: configuration.unwrittenBytesMax)
    loop = try EventLoop(
      selector: configuration.selector, waker: post.waker, connectionsExpected: limiter.connectionsMax,
      leftoverBytesMax: max(limits.frameBytesMax, ServerLimits.helloBytesMax) + Self.frameLengthBytesMax)
    machine = ShardMachine(
      types: ShardTableTypes(configuration.tableTypes), random: Self.systemRandom, limits: limits,
      allowsSeeds: configuration.allowsSeeds, isOpen: configuration.letsEveryoneIn,
      durability: journal == nil ? .memory : configuration.durability,
      setUpItemsAtOnceMax: ServerLimits.setUpItemsAtOnceMax)
    schedule = ShardSchedule(at: loop.now)
    // A crowd must not make anyone wait for an array to grow.
    connections.reserveCapacity(limiter.connectionsMax)
    machine.reserveConnections(limiter.connectionsMax)
    if post.index == 0 { listener = try loop.listen(on: configuration.address) }
  }

  /// A varint of 64 bits.
  private static let frameLengthBytesMax = 10

  /// The time at which the loop began to handle events.
  var now: Instant { Instant(nanoseconds: loop.now) }

  private static var systemRandom: RandomSource {
    RandomSource {
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
  }

  /// The body of a shard's thread.
  static func run(
    _ post: ShardPost, among posts: [ShardPost], _ configuration: ServerConfiguration, _ limiter: ConnectionLimiter,
    _ journal: JournalPost?
  ) {
    do {
      let shard = try Shard(post, among: posts, configuration, limiter, journal)
      post.started.resolve(.success(shard.listener.flatMap(shard.loop.address)))
      shard.serve()
    } catch {
      post.started.resolve(.failure(error))
    }
    journal?.mailbox.send(.left)
    post.ended.resolve(())
  }

  private func serve() {
    do {
      try loop.run(self)
      // Handles the effects of the last closed connections.
      endTurn()
    } catch {
      // Half a daemon is worse than none: clients of this shard's tables would connect and never be answered.
      log(.error, "the daemon stops, since shard \(post.index) cannot go on: \(error)")
      for other in posts { other.mailbox.send(.shutDown) }
    }
    statistics.publish(to: post.statistics, at: loop.now, isLast: true)
  }

  /// Stops. The shard that accepts receives the request first and passes it on behind its earlier messages to the other
  /// shards, so that a connection that is being handed over gets its goodbye, too.
  private func shutDown() {
    guard schedule.beginStopping(at: loop.now) else { return }
    if let listener {
      loop.stopListening(listener)
      for other in posts where other.index != post.index { other.mailbox.send(.shutDown) }
    }
    machine.shutDown(at: now)
    schedule.hasNews = true
  }
}

// MARK: - Events of the loop

extension Shard: EventLoopHandler {
  func received(_ key: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    switch connections[Int(key.slot)].standing {
    case .joined: receive(bytes, from: key)
    case .handshake: receiveFirst(bytes, from: key)
    case .none, .rejected: bytes.count
    }
  }

  func closed(_ key: ConnectionKey, _ reason: CloseReason) {
    let connection = connections[Int(key.slot)]
    guard connection.generation == key.generation else { return }
    connections[Int(key.slot)] = ShardConnection()
    log(.debug, "\(connection.peer) \(key) is gone: \(reason)")
    switch connection.standing {
    case .none: break
    case .rejected: handshakes.rejectedClosed()
    case .handshake, .joined:
      handshakes.limiter.release(connection.peer.host)
      machine.closed(key.id, at: now)
      schedule.hasNews = true
    }
  }

  func woken() {
    var messages: [ShardMessage] = []
    post.mailbox.drain(into: &messages)
    for message in messages {
      switch message {
      case .adopt(let connection, let peer): adopt(connection, from: peer)
      case .journal(let answer): receive(answer)
      case .made(let name, let table): receive(table, named: name)
      case .shutDown: shutDown()
      }
    }
  }

  func turnEnded(now: UInt64) {
    reportBacklogs()
    if now >= schedule.nextTick { tick(at: now) }
    if !gathersMore(at: now) { endTurn() }
    sendReleased()
    resumePaused()
    resumeHandshakes()
    statistics.figures.connections = loop.connectionCount
    statistics.figures.tables = machine.tableCount
    statistics.publish(to: post.statistics, at: now)
    if let end = schedule.stopsAt, loop.connectionCount == 0 || now >= end { loop.stop() }
  }

  private func tick(at now: UInt64) {
    // A connection that is not read from is not silent.
    if journal.isCongested(holding: machine.heldBytes) { machine.excuseSilence(at: Instant(nanoseconds: now)) }
    let isDone = machine.tick(at: Instant(nanoseconds: now))
    schedule.ticked(at: now, isDone: isDone)
  }

  /// At once while there is something to decide or to produce; the loop still takes what is ready before that.
  var nextDeadline: UInt64? {
    if schedule.hasNews || machine.wantsTurn || handshakes.hasWaiting { return 0 }
    return min(schedule.deadline, statistics.deadline ?? .max)
  }

  func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {
    log(.warning, "no connection can be accepted for a moment: \(error)")
  }

  /// A shard opens no connections.
  func connected(_ connection: ConnectionKey) {}
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {}
}
