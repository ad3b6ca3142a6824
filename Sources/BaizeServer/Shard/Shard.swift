import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// One thread's part of the daemon: it carries bytes from its sockets to its machine, and what the machine decides back.
///
/// It is made on its thread and never leaves it; the only door is the mailbox of its post. A turn:
///
/// ```
/// read what is ready → machine hears frames → end the turn → post what it writes → append released frames → write once
///                    ↖ committed ─────────────────────────── journal's thread ↵
/// ```
///
/// The machine holds a turn's frames until it hears that the turn is committed; durability rests on that. The shard does
/// not wait meanwhile.
final class Shard {
  let post: ShardPost
  /// Of all shards, this one included.
  let posts: [ShardPost]
  let loop: EventLoop
  let census: Census
  let log: Log
  let limits: SyncLimits
  let unwrittenBytesMax: Int
  /// For the frames of those who have said hello, and of those who have not.
  let reader: FrameReader
  let doorReader: FrameReader
  let journal: JournalPost?
  /// Set on the shard that accepts for all.
  var listener: ListenerKey?

  var machine: ShardMachine
  /// By the transport's slot, which is the machine's too.
  var connections: [ShardConnection] = []
  /// Connections whose queue had backed up when it was last looked at.
  var watched: [ConnectionKey] = []
  /// Connections that had more to say than one turn takes.
  var resting: [ConnectionKey] = []
  var turnedAwayCount = 0
  /// First frames that this turn has looked at, and connections whose first frame waits for a later one, in order.
  var helloCount = 0
  var queuing: [ConnectionKey] = []
  var mail: [ShardMessage] = []
  var statistics = ServerStatistics()
  /// What was posted to the journal and is not durable.
  var unwrittenBytes = 0
  /// The last failure of the journal that was heard of.
  var journalGeneration = 0
  /// Whether the machine heard something since its last turn ended.
  var hasNews = false
  /// How many frames had come when the loop's turn ended last, and by when the machine's turn ends, however many come.
  var framesHeard = 0
  var gathersUntil: UInt64?
  var nextTick: UInt64
  /// Set while the shard ends: by when, at the latest.
  var stopsAt: UInt64?

  init(
    _ post: ShardPost, among posts: [ShardPost], _ configuration: ServerConfiguration, _ census: Census,
    _ journal: JournalPost?
  ) throws {
    self.post = post
    self.posts = posts
    self.census = census
    log = configuration.log
    limits = configuration.limits
    unwrittenBytesMax = configuration.unwrittenBytesMax
    reader = FrameReader(frameBytesMax: limits.frameBytesMax)
    doorReader = FrameReader(frameBytesMax: min(limits.frameBytesMax, ServerLimits.helloBytesMax))
    loop = try EventLoop(
      selector: configuration.selector, waker: post.waker, connectionsExpected: census.connectionsMax,
      leftoverBytesMax: max(limits.frameBytesMax, ServerLimits.helloBytesMax) + Self.frameLengthBytesMax)
    self.journal = journal
    machine = ShardMachine(
      types: ShardTableTypes(configuration.tableTypes), random: Self.systemRandom, limits: limits,
      allowsSeeds: configuration.allowsSeeds, isOpen: configuration.letsEveryoneIn,
      durability: journal == nil ? .memory : configuration.durability,
      setUpItemsAtOnceMax: ServerLimits.setUpItemsAtOnceMax)
    nextTick = loop.now + ServerLimits.tickNanoseconds
    // A crowd must not make anyone wait for a list to grow.
    connections.reserveCapacity(census.connectionsMax)
    machine.reserveConnections(census.connectionsMax)
    if post.index == 0 { listener = try loop.listen(on: configuration.address) }
  }

  /// A varint of 64 bits.
  private static let frameLengthBytesMax = 10

  private static var systemRandom: RandomSource {
    RandomSource {
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
  }

  /// The body of a shard's thread.
  static func run(
    _ post: ShardPost, among posts: [ShardPost], _ configuration: ServerConfiguration, _ census: Census,
    _ journal: JournalPost?
  ) {
    do {
      let shard = try Shard(post, among: posts, configuration, census, journal)
      post.started.keep(.success(shard.listener.flatMap(shard.loop.address)))
      shard.serve()
    } catch {
      post.started.keep(.failure(error))
    }
    journal?.mailbox.send(.left)
    post.ended.keep(())
  }

  private func serve() {
    do {
      try loop.run(self)
      // What came of the last connections that closed.
      endTurn()
    } catch {
      // Half a daemon is worse than none: clients of this shard's tables would be let in and never answered.
      log(.error, "the daemon stops, since shard \(post.index) cannot go on: \(error)")
      for other in posts { other.mailbox.send(.shutDown) }
    }
  }
}

// MARK: - What the loop reports

extension Shard: EventLoopHandler {
  func received(_ key: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    switch connections[Int(key.slot)].standing {
    case .joined: hear(bytes, from: key)
    case .door: meet(key, bytes)
    case .none, .turnedAway: bytes.count
    }
  }

  func closed(_ key: ConnectionKey, _ reason: CloseReason) {
    let connection = connections[Int(key.slot)]
    guard connection.generation == key.generation else { return }
    connections[Int(key.slot)] = ShardConnection()
    log(.debug, "\(connection.peer) \(key) is gone: \(reason)")
    switch connection.standing {
    case .none: break
    case .turnedAway: turnedAwayCount -= 1
    case .door, .joined:
      census.leave(connection.peer.host)
      machine.closed(ConnectionID(key), at: Instant(nanoseconds: loop.now))
      hasNews = true
    }
  }

  func woken() {
    post.mailbox.drain(into: &mail)
    for message in mail {
      switch message {
      case .adopt(let connection, let peer): adopt(connection, from: peer)
      case .journal(let answer): hear(answer)
      case .made(let name, let table): receive(table, named: name)
      case .shutDown: shutDown()
      }
    }
    mail.removeAll(keepingCapacity: true)
  }

  func turnEnded(now: UInt64) {
    reportBacklogs()
    if now >= nextTick {
      // Whoever is not listened to is not silent.
      if isCongested { machine.excuseSilence(at: Instant(nanoseconds: now)) }
      let isDone = machine.tick(at: Instant(nanoseconds: now))
      nextTick = now + (isDone ? ServerLimits.tickNanoseconds : ServerLimits.shortTickNanoseconds)
      hasNews = true
    }
    if !gathersMore(at: now) { endTurn() }
    sendReleased()
    resumeResting()
    letInQueuing()
    publishStatistics()
    if let stopsAt, loop.connectionCount == 0 || now >= stopsAt { loop.stop() }
  }

  /// At once while there is something to decide or to produce; the loop still takes what is ready before that.
  var nextDeadline: UInt64? {
    if hasNews || machine.wantsTurn || !queuing.isEmpty { return 0 }
    return min(nextTick, stopsAt ?? .max)
  }

  func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {
    log(.warning, "no connection can be accepted for a moment: \(error)")
  }

  /// A shard calls nobody.
  func connected(_ connection: ConnectionKey) {}
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {}
}

extension ConnectionID {
  /// The machine's name of a connection is the loop's: nothing has to be looked up.
  @inline(__always) init(_ key: ConnectionKey) { self.init(slot: key.slot, generation: key.generation) }
}

extension ConnectionKey {
  @inline(__always) init(_ id: ConnectionID) { self.init(slot: id.slot, generation: id.generation) }
}
