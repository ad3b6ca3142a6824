/// A connection's outgoing bytes.
struct WriteQueue: ~Copyable {
  private var queue = ByteQueue()
  /// The bytes behind ``queue``, which is not empty then and borrows the backlog's first piece; mostly `nil`.
  private var backlog: WriteBacklog?
  /// The number of bytes that the kernel has accepted so far.
  private(set) var takenBytes: UInt64 = 0

  var pendingBytes: Int { queue.count &+ (backlog?.count ?? 0) }
  var isEmpty: Bool { queue.isEmpty }

  mutating func append(_ bytes: UnsafeRawBufferPointer, _ pool: BufferPool) {
    if let backlog { backlog.append(bytes, pool) } else { queue.append(bytes, pool) }
  }

  /// Appends bytes without a copy where that is possible. They must stay valid until the next ``flush(to:_:)`` or
  /// ``endBorrowing(_:)``.
  @inline(__always)
  mutating func borrow(_ bytes: UnsafeRawBufferPointer, _ pool: BufferPool) {
    if queue.borrowsAtOnce(bytes) { return }
    borrowBehind(bytes, pool)
  }

  @inline(never) private mutating func borrowBehind(_ bytes: UnsafeRawBufferPointer, _ pool: BufferPool) {
    if backlog == nil, queue.borrowsBehind(bytes) { return }
    guard pendingBytes + bytes.count > TransportLimits.contiguousBytesMax else { return append(bytes, pool) }
    endBorrowing(pool)
    let backlog = self.backlog ?? WriteBacklog()
    if bytes.count >= TransportLimits.sharedBytesMin, let copy = pool.share(bytes, of: bytes) {
      backlog.append(copy.bytes, copy.offset..<copy.offset + bytes.count)
    } else {
      backlog.append(bytes, pool)
    }
    self.backlog = backlog
  }

  /// Appends bytes that stay valid while the process runs, and are never copied.
  mutating func append(permanent bytes: UnsafeRawBufferPointer, _ pool: BufferPool) {
    guard !bytes.isEmpty else { return }
    endBorrowing(pool)
    let backlog = self.backlog ?? WriteBacklog()
    if queue.isEmpty {
      queue.borrowInstead(bytes)
    } else {
      backlog.append(SharedBytes(permanent: bytes), 0..<bytes.count)
    }
    self.backlog = backlog
  }

  /// Copies what is still borrowed from the caller: long bytes once for all queues that borrow them.
  mutating func endBorrowing(_ pool: BufferPool) {
    guard backlog == nil, let source = queue.borrowedSource else { return }
    guard queue.count >= TransportLimits.sharedBytesMin, queue.count >= source.count / 2,
      let copy = pool.share(queue.bytes, of: source)
    else { return queue.endBorrowing(pool) }
    let range = copy.offset..<copy.offset + queue.count
    let backlog = WriteBacklog()
    backlog.hold(copy.bytes)
    queue.borrowInstead(UnsafeRawBufferPointer(rebasing: copy.bytes.bytes[range]))
    self.backlog = backlog
  }

  /// Sends in one call as much as the kernel accepts; a backlog takes a call for each piece. Nothing is borrowed from the
  /// caller afterwards.
  ///
  /// - Returns: Whether all bytes were sent. If not, the kernel's buffer is full.
  @inline(__always)
  mutating func flush(to descriptor: Int32, _ pool: BufferPool) throws(SystemError) -> Bool {
    try flush(pool) { (bytes) throws(SystemError) in try Socket.send(bytes, to: descriptor) }
  }

  /// Sends by `send`, like ``flush(to:_:)``.
  @inline(__always)
  mutating func flush<Failure: Error>(
    _ pool: BufferPool, by send: (UnsafeRawBufferPointer) throws(Failure) -> SystemCall.Outcome<Int>
  ) throws(Failure) -> Bool {
    if queue.isEmpty { return true }
    repeat {
      switch try send(queue.bytes) {
      case .wouldBlock:
        endBorrowing(pool)
        return false
      case .done(let sent):
        queue.removeFirst(sent, pool)
        takenBytes &+= UInt64(sent)
        guard queue.isEmpty else {
          endBorrowing(pool)
          return false
        }
      }
    } while takesNext(pool)
    return true
  }

  /// Continues with the backlog's next piece, if there is one.
  @inline(__always) private mutating func takesNext(_ pool: BufferPool) -> Bool {
    guard let backlog else { return false }
    guard let next = backlog.next() else {
      self.backlog = nil
      return false
    }
    queue.borrowInstead(next)
    return true
  }

  mutating func removeAll(_ pool: BufferPool) {
    queue.removeAll(pool)
    backlog = nil
  }

  /// Removes the bytes that were not sent yet and returns them, for handing the connection over.
  mutating func takeAll(_ pool: BufferPool) -> [UInt8] {
    var all = Array(queue.bytes)
    while let next = backlog?.next() { all += next }
    removeAll(pool)
    return all
  }
}
