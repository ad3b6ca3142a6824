/// A connection's outgoing bytes, and the low-water mark at which its handler is informed.
struct WriteQueue: ~Copyable {
  private var queue = ByteQueue()
  /// The handler receives `drained` once no more than this many bytes are queued.
  var drainMarkBytes = 0
  /// The number of bytes that the kernel has accepted so far.
  private(set) var takenBytes: UInt64 = 0

  var pendingBytes: Int { queue.count }
  var isEmpty: Bool { queue.isEmpty }

  /// The bytes that were not sent yet, for handing the connection over.
  var bytes: UnsafeRawBufferPointer { queue.bytes }

  mutating func append(_ bytes: UnsafeRawBufferPointer, _ pool: BufferPool) {
    queue.append(bytes, pool)
  }

  /// Appends bytes without a copy where that is possible. They must stay valid until the next ``flush(to:_:)`` or
  /// ``endBorrowing(_:)``.
  @inline(__always)
  mutating func borrow(_ bytes: UnsafeRawBufferPointer, _ pool: BufferPool) {
    queue.borrow(bytes, pool)
  }

  /// Copies what is still borrowed.
  mutating func endBorrowing(_ pool: BufferPool) {
    queue.endBorrowing(pool)
  }

  /// Sends in one call as much as the kernel accepts. Nothing is borrowed afterwards.
  ///
  /// - Returns: Whether all bytes were sent. If not, the kernel's buffer is full.
  @inline(__always)
  mutating func flush(to descriptor: Int32, _ pool: BufferPool) throws(SystemError) -> Bool {
    if queue.isEmpty { return true }
    switch try Socket.send(queue.bytes, to: descriptor) {
    case .wouldBlock: break
    case .done(let sent):
      queue.removeFirst(sent, pool)
      takenBytes &+= UInt64(sent)
      if queue.isEmpty { return true }
    }
    queue.endBorrowing(pool)
    return false
  }

  mutating func removeAll(_ pool: BufferPool) {
    queue.removeAll(pool)
  }
}
