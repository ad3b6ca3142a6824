public import BaizeSync
public import BaizeTable
public import BaizeTransport
import BaizeWire

/// Carries the clients of one thread: owns their sockets and deadlines, and carries out what their machines ask for.
///
/// Frames of one turn go out in one write per connection. It belongs to one thread and is not `Sendable`: a program that
/// has a thread to spare makes a host and runs it; others let a ``ClientLoop`` do that, and reach it through a mailbox.
///
/// ```
/// bytes in ─▶ frame ─▶ ClientMachine ─▶ commands ─▶ bytes out, at the end of the turn
///                          │
///                          └─▶ events ─▶ handler (LoopClient), or a lock and an async stream (TableClient)
/// ```
public final class ClientHost {
  let loop: EventLoop
  let mailbox: Mailbox<HostMessage>
  private let types: any TableTypeReader
  var random: RandomSource
  /// By place; `nil` where a place is free.
  var carried: [Carried?] = []
  var freePlaces: [Int] = []
  /// The places of those that other threads know, by the object.
  var places: [ObjectIdentifier: Int] = [:]
  /// Whose a connection of the loop is, by the connection's slot.
  var owners: [Owner?] = []
  /// Whose a stream is, by the number of the attempt.
  var streamOwners: [UInt64: Int] = [:]
  var lastStream: UInt64 = 0
  /// Places with bytes for their streams.
  var unsentStreams: [Int] = []
  /// Places to be called before the turn ends.
  var asked: [Int] = []
  var deadlines = DeadlineHeap()
  var isStopping = false
  let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  var writer = FrameWriter()
  /// Buffers for commands, to be used again.
  var spareCommands: [[WireCommand]] = []
  var messages: [HostMessage] = []

  struct Carried {
    let passenger: any Passenger
    let endpoint: Endpoint
    var connection: ConnectionKey?
    var stream: StreamLink?
    /// When the attempt to connect is given up.
    var connectDeadline: UInt64?
    /// The deadline that counts among those in the heap.
    var scheduled = UInt64.max
    var isAsked = false
    var isStarted = false
    /// Connections that are on their way out.
    var closingCount = 0
    var isRetired = false
  }

  struct StreamLink {
    let stream: any ByteStream
    let number: UInt64
    var isOpen = false
    /// What was received and is no whole frame yet.
    var leftover: [UInt8] = []
    var unsent: [UInt8] = []
  }

  struct Owner {
    let generation: UInt32
    let place: Int
    /// The client has let go of it already.
    var isClosing = false
  }

  /// - Parameters:
  ///   - types: Makes table types of what welcomes carry.
  ///   - random: For the jitter between attempts to come back; the system's unless given.
  /// - Throws: `SystemError` when there are no descriptors left.
  public convenience init(
    selector: SelectorKind = .platformDefault, types: any TableTypeReader = TableTypeDocuments.shared,
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
    // A frame may be as long as the wire allows, and its length comes in front.
    loop = try EventLoop(selector: selector, waker: waker, leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
    self.mailbox = mailbox
    self.types = types
    self.random = random
  }

  /// The moment of the present turn.
  public var now: Instant { Instant(nanoseconds: loop.now) }

  /// How many clients there are, those that are saying farewell included.
  public var clientCount: Int { carried.count - freePlaces.count }

  // MARK: Running

  /// Carries clients until ``stop()`` or until the given time, in monotonic nanoseconds.
  ///
  /// - Throws: `SystemError` when the selector itself fails. No peer can bring that about.
  public func run(until end: UInt64? = nil) throws { try loop.run(self, until: end) }

  /// Makes one turn: waits, reads, lets handlers work, writes.
  ///
  /// - Parameter timeout: how long to wait at most, in nanoseconds; `nil` waits for as long as the deadlines allow.
  public func turn(timeout: UInt64? = nil) throws { try loop.turn(self, timeout: timeout) }

  /// Ends ``run(until:)`` after the turn that is under way. Connections stay.
  public func stop() { loop.stop() }

  /// All clients leave their tables; ``run(until:)`` ends when they are gone, which takes two seconds at most.
  public func leaveAll() {
    isStopping = true
    for place in carried.indices where carried[place]?.isRetired == false { deliver(.dismissed, to: place) }
  }

  // MARK: Joining

  /// Begins to join a table. The handler hears `.joined` when it stands, or `.ended`; it is not kept alive.
  ///
  /// - Parameter tag: Whatever the program wants to find again in ``LoopClient/tag``.
  public func join(
    _ endpoint: Endpoint, _ configuration: ClientConfiguration, tag: Int = 0, handler: any LoopClientHandler
  ) -> LoopClient {
    let machine = ClientMachine(configuration: configuration, types: types, random: random.split())
    let client = LoopClient(machine, tag: tag, handler: handler, host: self)
    client.place = carry(client, to: endpoint)
    attend(client.place)
    return client
  }

  /// Gives a passenger a place. Its first call starts it.
  func carry(_ passenger: any Passenger, to endpoint: Endpoint) -> Int {
    let entry = Carried(passenger: passenger, endpoint: endpoint)
    if let place = freePlaces.popLast() {
      carried[place] = entry
      return place
    }
    carried.append(entry)
    return carried.count - 1
  }

  /// Calls a passenger before this turn ends, or in the next.
  func attend(_ place: Int) {
    guard place >= 0, carried[place]?.isAsked == false else { return }
    carried[place]?.isAsked = true
    asked.append(place)
  }
}

extension RandomSource {
  /// The system's.
  static var system: RandomSource {
    RandomSource {
      var generator = SystemRandomNumberGenerator()
      return generator.next()
    }
  }
}
