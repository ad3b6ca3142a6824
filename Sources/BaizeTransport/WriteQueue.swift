/// What waits to be sent on one connection, and the mark below which its writer wants to hear of it.
struct WriteQueue: ~Copyable {
  private var queue = ByteQueue()
  /// The handler hears `drained` once the queue has fallen to this many bytes.
  var drainMarkBytes = 0
  /// What the kernel has taken so far.
  private(set) var takenBytes: UInt64 = 0

  var pendingBytes: Int { queue.count }
  var isEmpty: Bool { queue.isEmpty }

  /// For handing the connection over: what was not sent yet.
  var bytes: UnsafeRawBufferPointer { queue.bytes }

  mutating func append(_ bytes: UnsafeRawBufferPointer, _ pool: BufferPool) {
    queue.append(bytes, pool)
  }

  /// Sends what the kernel takes of it in one call.
  ///
  /// - Returns: whether all of it has gone. If not, the kernel's buffer is full.
  mutating func flush(to descriptor: Int32, _ pool: BufferPool) throws(SystemError) -> Bool {
    if queue.isEmpty { return true }
    switch try Socket.send(queue.bytes, to: descriptor) {
    case .wouldBlock:
      return false
    case .done(let sent):
      queue.removeFirst(sent, pool)
      takenBytes += UInt64(sent)
      return queue.isEmpty
    }
  }

  mutating func removeAll(_ pool: BufferPool) {
    queue.removeAll(pool)
  }
}
