/// One thread's sockets: it waits until something is ready, tells its handler, and writes what the handler appended.
///
/// It works in turns. A turn takes all that is ready, at most one read per connection, and then writes at most once per
/// connection, however many frames were appended meanwhile: a loop under load makes few calls to the kernel, and an idle
/// one answers at once. It belongs to the thread that made it and is not `Sendable`; other threads reach it through a
/// `Mailbox`.
///
/// The handler is passed to each turn instead of being held, so that a handler can own its loop without a cycle.
public final class EventLoop {
  let selector: Selector
  let waker: Waker
  let connections: ConnectionTable
  let pool = BufferPool()
  /// Where all reads go: room for a leftover, then room for a read.
  let readBuffer: UnsafeMutableRawBufferPointer
  /// Where a read begins in it: behind the headroom for a leftover.
  let readStart: UnsafeMutableRawPointer
  let leftoverBytesMax: Int
  /// `nil` where a listener was closed: the places are not used again.
  var listeners: [Listener?] = []
  /// Connections to flush at the end of the turn, each once.
  let dirty = ConnectionList()
  /// Whether bytes may be lent at present.
  var isLending = false
  /// What the handler has still to hear.
  var notices: [Notice] = []
  /// Connections that have ended: their descriptors are still to be closed, and the handler has to hear of it.
  var departures: [Departure] = []
  /// The first of those that were not seen to.
  var nextDeparture = 0
  /// Connections that are closing, by deadline: each gets the same time, so that the order of calls is the order of time.
  var closing = DeadlineQueue()
  /// What a closing connection is given; shorter in tests.
  var closeNanoseconds = TransportLimits.closeNanoseconds
  /// What the handler is looking at right now, while it is in `received`.
  var presented: (connection: ConnectionKey, bytes: UnsafeRawBufferPointer)?
  private var isTurning = false
  private var isStopped = false

  /// The time at which this turn began to handle what is ready, in monotonic nanoseconds.
  public private(set) var now = MonotonicClock.now()

  /// - Parameters:
  ///   - waker: of the mailboxes that the handler drains when it is `woken`.
  ///   - connectionsExpected: up to so many connections, none costs more than the one before it; memory is used as they
  ///     come.
  ///   - leftoverBytesMax: what a handler may leave unconsumed before the connection is closed: its largest frame.
  /// - Throws: `SystemError` when there are no descriptors left.
  public init(
    selector kind: SelectorKind = .platformDefault, waker: Waker, connectionsExpected: Int = 64,
    leftoverBytesMax: Int = TransportLimits.leftoverBytes
  ) throws {
    self.selector = try Selector(kind)
    self.waker = waker
    self.connections = ConnectionTable(capacity: max(1, connectionsExpected))
    self.leftoverBytesMax = leftoverBytesMax
    self.readBuffer = .allocate(
      byteCount: TransportLimits.leftoverHeadroomBytes + TransportLimits.readBytes, alignment: 16)
    self.readStart = readBuffer.baseAddress.unsafelyUnwrapped + TransportLimits.leftoverHeadroomBytes
    do {
      try selector.add(waker.readingEnd, key: ListenerKey.wakerPacked, .read)
    } catch {
      readBuffer.deallocate()
      throw error
    }
  }

  /// Closes every connection without a word to any handler.
  deinit {
    for key in connections.keys {
      if let slot = connections.find(key) { SystemCall.closeDescriptor(slot.pointee.descriptor) }
    }
    for departure in departures[nextDeparture...] { SystemCall.closeDescriptor(departure.descriptor) }
    readBuffer.deallocate()
  }

  /// How many connections there are, those included that are connecting or closing, or whose end is still to be heard.
  public var connectionCount: Int { connections.count + departures.count - nextDeparture }

  // MARK: Turning

  /// Makes turns until `stop` or until the given time, in monotonic nanoseconds.
  public func run(_ handler: some EventLoopHandler, until end: UInt64? = nil) throws {
    defer { isStopped = false }
    while !isStopped {
      guard let end else {
        try turn(handler)
        continue
      }
      let time = MonotonicClock.now()
      if time >= end { return }
      try turn(handler, timeout: end - time)
    }
  }

  /// Ends `run` after the turn that is under way. For the loop's own thread; others send a message that leads to it.
  public func stop() {
    isStopped = true
  }

  /// Makes one turn: waits, reads, lets the handler work, writes.
  ///
  /// - Parameter timeout: how long to wait at most, in nanoseconds; `nil` waits for as long as the deadlines allow.
  /// - Throws: `SystemError` when the selector itself fails. No peer can bring that about.
  public func turn(_ handler: some EventLoopHandler, timeout: UInt64? = nil) throws {
    precondition(!isTurning, "a turn was begun within a turn")
    isTurning = true
    defer { isTurning = false }

    let deadline = earliest(handler.nextDeadline, ownDeadline)
    let count = try selector.wait(milliseconds: waitMilliseconds(timeout: timeout, deadline: deadline))
    now = MonotonicClock.now()
    for index in 0..<count {
      dispatch(selector.event(at: index), to: handler)
    }
    meetDeadlines()
    deliverNotices(to: handler)
    deliverDepartures(to: handler)
    handler.turnEnded(now: now)
    flushDirty()
    deliverNotices(to: handler)
  }

  private func dispatch(_ event: SelectorEvent, to handler: some EventLoopHandler) {
    let key = ConnectionKey(packed: event.key)
    if key.generation != 0 {
      connectionIsReady(key, event.readiness, handler)
    } else if event.key == ListenerKey.wakerPacked {
      waker.clear()
      handler.woken()
    } else {
      acceptAll(ListenerKey(packed: event.key), handler)
    }
  }

  // MARK: Time

  /// When the loop itself has something to do.
  private var ownDeadline: UInt64? {
    var deadline = closing.first
    for listener in listeners {
      deadline = earliest(deadline, listener?.resumesAt)
    }
    return deadline
  }

  private func meetDeadlines() {
    while let connection = closing.popFirst(dueAt: now) {
      closingTimedOut(connection)
    }
    resumeListeners()
  }

  private func waitMilliseconds(timeout: UInt64?, deadline: UInt64?) -> Int32 {
    if dirty.count > 0 || !notices.isEmpty || nextDeparture < departures.count { return 0 }
    var nanoseconds = timeout
    if let deadline {
      let time = MonotonicClock.now()
      nanoseconds = earliest(nanoseconds, deadline > time ? deadline - time : 0)
    }
    guard let nanoseconds else { return -1 }
    // Rounded up: a turn that came a little too early would find nothing due, and come again at once.
    return Int32(clamping: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1))
  }
}

private func earliest(_ one: UInt64?, _ other: UInt64?) -> UInt64? {
  guard let one else { return other }
  guard let other else { return one }
  return min(one, other)
}
