/// The sockets of one thread: waits for events, passes them to a handler, and writes what the handler has queued.
///
/// It works in turns. A turn handles everything that is ready, with at most one read per connection and a bounded number of
/// bytes in all, and then writes once per connection, however many frames were queued meanwhile: a loop under load makes few
/// system calls, and an idle one responds at once. It belongs to the thread that made it and is not `Sendable`; other threads
/// reach it through a ``Mailbox``.
///
/// The handler is an argument of each turn, so that it can own its loop without a reference cycle.
public final class EventLoop {
  let selector: Selector
  let waker: Waker
  let connections: ConnectionTable
  let pool = BufferPool()
  /// The buffer of all reads: room for a leftover, then room for a read.
  let readBuffer: UnsafeMutableRawBufferPointer
  /// The buffer of the records that are read; `nil` until the first connection with TLS.
  var recordBuffer: UnsafeMutableRawBufferPointer?
  let leftoverBytesMax: Int
  let queuedBytesMax: Int
  // The loop's thread alone uses what follows, and no access calls back into the loop: checks would find nothing.

  /// By the index of their keys; `nil` once closed, since indices are not reused.
  @exclusivity(unchecked) var listeners: [Listener?] = []
  /// Connections to flush at the end of the turn, each once.
  let dirty = ConnectionList()
  /// How many connections may be written in a turn, and how many still in this one. Fewer in tests.
  @exclusivity(unchecked) var writesPerTurn = TransportLimits.writesPerTurn
  @exclusivity(unchecked) var writesLeft = TransportLimits.writesPerTurn
  /// Whether bytes may be lent at present.
  @exclusivity(unchecked) var isLending = false
  /// Events that the handler has still to receive.
  @exclusivity(unchecked) var notices = Queue<Notice>()
  /// The number of bytes that a turn reads. Fewer in tests.
  @exclusivity(unchecked) var readBytesPerTurn = TransportLimits.readBytesPerTurn
  /// The number of bytes that are read from a connection in this turn.
  @exclusivity(unchecked) var readBytes = TransportLimits.readBytes
  /// The number of bytes that are read from a connection with TLS in this turn.
  @exclusivity(unchecked) var recordBytes = TLSLimits.readBytesMin
  /// The number of connections with TLS.
  @exclusivity(unchecked) var securedCount = 0
  /// Connections that have ended, whose descriptors are still to be closed and of which the handler is to be informed.
  @exclusivity(unchecked) var ended = Queue<EndedConnection>()
  /// Connections that are closing. Their timeout is shorter in tests.
  @exclusivity(unchecked) var closing = DeadlineQueue(timeoutNanoseconds: TransportLimits.closeNanoseconds)
  /// The bytes presented to the handler, while it is in `received`.
  @exclusivity(unchecked) var presented: (connection: ConnectionKey, bytes: UnsafeRawBufferPointer)?
  @exclusivity(unchecked) private var isTurning = false
  @exclusivity(unchecked) private var isStopped = false

  @exclusivity(unchecked) private var turnBegan = MonotonicClock.now()
  /// The time for which the loop did not run although it was due, in nanoseconds: the process was stopped, or the processor
  /// was taken from it.
  @exclusivity(unchecked) public private(set) var suspendedNanoseconds: UInt64 = 0
  @exclusivity(unchecked) private var turnBeganActive = MonotonicClock.now()

  /// The time at which this turn began to handle events, in monotonic nanoseconds. A call: another module would check for
  /// exclusive access.
  public var now: UInt64 { @inline(never) get { turnBegan } }

  /// ``now`` without the time for which the loop did not run: for the timeouts of peers, whose messages it could not
  /// receive meanwhile.
  public var activeTime: UInt64 { @inline(never) get { turnBeganActive } }

  /// Makes a loop without connections.
  ///
  /// - Parameters:
  ///   - kind: The system call to wait with.
  ///   - waker: The waker of the mailboxes that the handler drains when it is `woken`.
  ///   - connectionsExpected: The number of connections that the table has room for at first. Room that is not used
  ///     takes no memory.
  ///   - leftoverBytesMax: The number of bytes that a handler may leave unconsumed before the connection is closed: its
  ///     largest frame.
  ///   - queuedBytesMax: The number of unsent bytes above which a connection is closed.
  /// - Throws: `SystemError` when there are no descriptors left.
  public init(
    selector kind: SelectorKind = .platformDefault, waker: Waker, connectionsExpected: Int = 64,
    leftoverBytesMax: Int = TransportLimits.leftoverBytes, queuedBytesMax: Int = .max
  ) throws {
    self.selector = try Selector(kind)
    self.waker = waker
    self.connections = ConnectionTable(capacity: max(1, connectionsExpected))
    self.leftoverBytesMax = leftoverBytesMax
    self.queuedBytesMax = queuedBytesMax
    self.readBuffer = .allocate(
      byteCount: TransportLimits.leftoverHeadroomBytes + TransportLimits.readBytes, alignment: 16)
    do {
      try selector.add(waker.readingEnd, key: ListenerKey.wakerPacked, .read)
    } catch {
      readBuffer.deallocate()
      throw error
    }
  }

  /// Closes every connection without informing a handler.
  deinit {
    for key in connections.keys {
      if let slot = connections.find(key) { SystemCall.closeDescriptor(slot.pointee.descriptor) }
    }
    while let connection = ended.popFirst() { SystemCall.closeDescriptor(connection.descriptor) }
    readBuffer.deallocate()
    recordBuffer?.deallocate()
  }

  /// The number of connections, including those that are connecting or closing and those whose `closed` is pending.
  public var connectionCount: Int { connections.count + ended.count }

  // MARK: Turning

  /// Makes turns until ``stop()`` or until `end`, in monotonic nanoseconds.
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

  /// Ends ``run(_:until:)`` after the current turn. For the loop's own thread; others send a message that leads to it.
  public func stop() {
    isStopped = true
  }

  /// Makes one turn: waits, reads, lets the handler work, writes.
  ///
  /// - Parameter timeout: The maximum time to wait, in nanoseconds; `nil` waits until the next deadline.
  /// - Throws: `SystemError` when the selector itself fails, which no peer can cause.
  public func turn(_ handler: some EventLoopHandler, timeout: UInt64? = nil) throws {
    precondition(!isTurning, "a turn was begun within a turn")
    isTurning = true
    defer { isTurning = false }
    writesLeft = writesPerTurn

    // What the last turn left comes before what has arrived since, and before the selector reports connections of which it is
    // already enough.
    let hasNotices = !notices.isEmpty
    if hasNotices {
      readClock(waited: 0)
      deliverNotices(to: handler)
    }
    let deadline = earliest(handler.nextDeadline, ownDeadline)
    let milliseconds = hasNotices ? 0 : waitMilliseconds(timeout: timeout, deadline: deadline)
    let count = try selector.wait(milliseconds: milliseconds)
    if !hasNotices { readClock(waited: milliseconds) }
    readBytes = max(1, min(TransportLimits.readBytes, readBytesPerTurn / max(1, count)))
    if securedCount > 0 { recordBytes = max(TLSLimits.readBytesMin, TLSLimits.readBytesPerTurn / max(1, count)) }
    for index in 0..<count {
      dispatch(selector.event(at: index), to: handler)
    }
    meetDeadlines()
    deliverNotices(to: handler)
    deliverEnded(to: handler)
    handler.turnEnded(now: now)
    flushDirty()
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

  /// Reads the clock at the beginning of a turn, which is late if the loop did not run meanwhile. A wait without an end is
  /// never late.
  private func readClock(waited milliseconds: Int32) {
    let last = turnBegan
    turnBegan = MonotonicClock.now()
    if milliseconds >= 0 {
      let due = last + UInt64(milliseconds) * 1_000_000
      if turnBegan > due + TransportLimits.suspensionNanosecondsMin { suspendedNanoseconds += turnBegan - due }
    }
    turnBeganActive = turnBegan - suspendedNanoseconds
  }

  /// The earliest deadline of the loop itself, in monotonic nanoseconds.
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
    if dirty.count > 0 || !notices.isEmpty || !ended.isEmpty { return 0 }
    var nanoseconds = timeout
    if let deadline {
      let time = MonotonicClock.now()
      nanoseconds = earliest(nanoseconds, deadline > time ? deadline - time : 0)
    }
    guard let nanoseconds else { return -1 }
    // Rounded up: a turn that is slightly early would find nothing due and repeat at once.
    return Int32(clamping: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1))
  }
}

extension EventLoop {
  // MARK: Notices

  /// An event for the handler that is not the selector's. It is deferred, since its cause may be the handler's own
  /// call.
  struct Notice {
    enum Content {
      case drained
      /// TLS is established.
      case secured
      /// There is a leftover to present.
      case present
    }
    var connection: ConnectionKey
    var content: Content
  }

  /// Delivers the pending notices. New ones are left to later, so that two callbacks that cause each other cannot delay
  /// the others.
  func deliverNotices(to handler: some EventLoopHandler) {
    for _ in 0..<notices.count {
      guard let notice = notices.popFirst() else { return }
      deliver(notice, to: handler)
    }
  }

  private func deliver(_ notice: Notice, to handler: some EventLoopHandler) {
    switch notice.content {
    case .drained:
      guard let slot = connections.find(notice.connection), slot.pointee.phase == .open else { return }
      handler.drained(notice.connection, pendingBytes: slot.pointee.output.pendingBytes)
    case .secured:
      guard let slot = connections.find(notice.connection), slot.pointee.phase == .open else { return }
      established(notice.connection, slot, 0, handler)
    case .present:
      presentLeftover(of: notice.connection, to: handler)
    }
  }
}

private func earliest(_ one: UInt64?, _ other: UInt64?) -> UInt64? {
  guard let one else { return other }
  guard let other else { return one }
  return min(one, other)
}
