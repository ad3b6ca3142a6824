public import BaizeSync
public import BaizeTable
public import BaizeTableTypes
public import BaizeTransport
import BaizeWire

/// Runs the clients of one thread: owns their connections and deadlines and executes their commands.
///
/// The frames that a turn sends on a connection go out in one write. A host belongs to one thread and is not `Sendable`.
/// A program that has a thread for it creates a host and calls ``run(until:)``; other programs use a ``ClientLoop``, which
/// runs a host on its own thread.
///
/// ```
/// bytes in ─▶ frame ─▶ ClientMachine ─▶ commands ─▶ bytes out, at the end of the turn
///                          │
///                          └─▶ events ─▶ LoopClientHandler, or TableEvents behind a lock
/// ```
public final class ClientHost {
  let loop: EventLoop
  let mailbox: Mailbox<HostMessage>
  private let types: any TableTypeReader
  var random: RandomSource
  /// The clients; `nil` marks a free entry.
  var entries: [Entry?] = []
  var freeIndices: [Int] = []
  /// The entries of the clients that other threads refer to.
  var indices: [ObjectIdentifier: Int] = [:]
  /// The owner of each TCP connection, by the connection's slot.
  var owners: [Owner?] = []
  /// The entry that owns each stream, by the stream's number.
  var streamOwners: [UInt64: Int] = [:]
  var lastStream: UInt64 = 0
  var signedTokens = SignedTokens()
  /// The entries with unsent bytes for their streams.
  var unsentStreams: [Int] = []
  /// The entries to wake at the end of this turn, or in the next one.
  var wakeQueue: [Int] = []
  var deadlines = DeadlineHeap()
  var isStopping = false
  let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  var writer = FrameWriter()
  /// Command buffers for reuse.
  var spareCommands: [[HostCommand]] = []
  var messages: [HostMessage] = []

  struct Entry {
    let client: any HostedClient
    var route: Route
    var connection: ConnectionKey?
    var stream: StreamLink?
    /// The time at which the present attempt to connect times out.
    var connectDeadline: UInt64?
    /// The client's valid deadline in the heap; the others are stale.
    var scheduled = UInt64.max
    var isWakePending = false
    var isStarted = false
    /// The number of this client's connections that are being closed.
    var closingCount = 0
    var isRemoved = false
  }

  struct StreamLink {
    let stream: any ByteStream
    let number: UInt64
    var isOpen = false
    /// Received bytes that do not form a complete frame yet.
    var unread: [UInt8] = []
    var unsent: [UInt8] = []
  }

  struct Owner {
    let generation: UInt32
    let index: Int
    /// Whether the client has closed the connection and the loop still flushes it.
    var isClosing = false
  }

  /// Creates a host for the calling thread.
  ///
  /// - Parameters:
  ///   - selector: The system interface that the event loop waits on.
  ///   - types: Compiles the table types that welcomes carry.
  ///   - random: The source of the jitter between attempts to reconnect; the system's by default.
  /// - Throws: `SystemError` if the system has no descriptors left.
  public convenience init(
    selector: SelectorKind = .platformDefault, types: any TableTypeReader = TableTypeCompiler.shared,
    random: RandomSource? = nil
  ) throws {
    let waker = try Waker()
    try self.init(
      selector: selector, waker: waker, mailbox: Mailbox(waker: waker), types: types, random: random ?? .system)
  }

  init(
    selector: SelectorKind, waker: Waker, mailbox: Mailbox<HostMessage>, types: any TableTypeReader,
    random: RandomSource
  ) throws {
    // Room for the longest frame and its length prefix.
    loop = try EventLoop(selector: selector, waker: waker, leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
    self.mailbox = mailbox
    self.types = types
    self.random = random
  }

  /// The time at which the present turn began.
  public var now: Instant { Instant(nanoseconds: loop.now) }

  /// The number of clients, including those whose connections are still being closed.
  public var clientCount: Int { entries.count - freeIndices.count }

  // MARK: Running

  /// Runs turns until ``stop()`` or until the given time.
  ///
  /// - Parameter end: The time to stop at, in nanoseconds of the monotonic clock; `nil` for no end.
  /// - Throws: `SystemError` if the system's selector fails. No peer can cause that.
  public func run(until end: UInt64? = nil) throws { try loop.run(self, until: end) }

  /// Runs one turn: waits for events, delivers them, writes what the clients send.
  ///
  /// - Parameter timeout: The maximum time to wait in nanoseconds; `nil` waits until the next deadline.
  /// - Throws: `SystemError` if the system's selector fails.
  public func turn(timeout: UInt64? = nil) throws { try loop.turn(self, timeout: timeout) }

  /// Ends ``run(until:)`` after the present turn. Connections stay open.
  public func stop() { loop.stop() }

  /// Makes all clients leave their tables. ``run(until:)`` ends when they have, within two seconds.
  public func leaveAll() {
    isStopping = true
    for index in entries.indices where entries[index]?.isRemoved == false { deliver(.hostStopping, to: index) }
  }

  // MARK: Joining

  /// Starts to join a table. The handler receives `.joined` or `.ended`; the host does not retain it.
  ///
  /// - Parameters:
  ///   - endpoint: The daemon's endpoint.
  ///   - configuration: The table, the participant's name and role, and the options of the session.
  ///   - tag: A number that the program can read from ``LoopClient/tag``.
  ///   - handler: Receives the client's events.
  /// - Returns: The client. It joins in the next turn.
  public func join(
    _ endpoint: Endpoint, _ configuration: ClientConfiguration, tag: Int = 0, handler: any LoopClientHandler
  ) -> LoopClient {
    let machine = ClientMachine(
      configuration: configuration, types: types, random: random.split(), hellosFrom: WallClock.milliseconds())
    let client = LoopClient(machine, tag: tag, handler: handler, host: self)
    client.index = add(client, to: endpoint)
    wake(client.index)
    return client
  }

  /// Adds a client. The first wake-up starts it.
  func add(_ client: any HostedClient, to endpoint: Endpoint) -> Int {
    let entry = Entry(client: client, route: Route(to: endpoint))
    if let index = freeIndices.popLast() {
      entries[index] = entry
      return index
    }
    entries.append(entry)
    return entries.count - 1
  }

  /// Wakes a client at the end of this turn, or in the next one.
  func wake(_ index: Int) {
    guard index >= 0, entries[index]?.isWakePending == false else { return }
    entries[index]?.isWakePending = true
    wakeQueue.append(index)
  }
}

extension RandomSource {
  static var system: RandomSource {
    RandomSource {
      var generator = SystemRandomNumberGenerator()
      return generator.next()
    }
  }
}
