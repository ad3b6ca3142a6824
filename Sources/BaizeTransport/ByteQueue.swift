/// A contiguous queue of bytes: appended at the tail, removed at the head.
///
///     | removed | ··· queued ··· | room |
///               ↑ head           ↑ tail
///
/// Empty, it holds no buffer at all; its owner passes the pool to every call that may need or free one.
///
/// Instead of a buffer of its own it can borrow the caller's memory, so that bytes which are removed at once are never
/// copied.
struct ByteQueue: ~Copyable {
  /// Its count is the capacity that the queue owns: 0 for borrowed memory.
  private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var head = 0
  private var tail = 0

  var count: Int { tail - head }
  var isEmpty: Bool { head == tail }

  /// The size of the queue's own buffer, in bytes.
  var capacity: Int { buffer.count }

  /// The queued bytes. Valid until the next change.
  var bytes: UnsafeRawBufferPointer {
    guard let start = buffer.baseAddress else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: start + head, count: tail &- head)
  }

  private var isBorrowing: Bool { buffer.count == 0 && !isEmpty }

  deinit {
    if buffer.count > 0 { buffer.deallocate() }
  }

  /// The borrowed memory, including what was removed from its front; `nil` if nothing is borrowed.
  var borrowedSource: UnsafeRawBufferPointer? {
    isBorrowing ? UnsafeRawBufferPointer(start: buffer.baseAddress, count: tail) : nil
  }

  /// Appends bytes without a copy where that is possible: to an empty queue, or directly behind borrowed ones. They
  /// must stay valid until ``endBorrowing(_:)``.
  mutating func borrow(_ bytes: UnsafeRawBufferPointer, _ pool: BufferPool) {
    if !borrowsAtOnce(bytes), !borrowsBehind(bytes) { append(bytes, pool) }
  }

  /// Borrows bytes if the queue is empty.
  ///
  /// - Returns: Whether it was.
  @inline(__always)
  mutating func borrowsAtOnce(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard isEmpty else { return false }
    borrowInstead(bytes)
    return true
  }

  /// Borrows bytes if they are directly behind borrowed ones.
  ///
  /// - Returns: Whether they were.
  mutating func borrowsBehind(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard isBorrowing, let start = buffer.baseAddress, UnsafeRawPointer(start + tail) == bytes.baseAddress else {
      return false
    }
    tail &+= bytes.count
    return true
  }

  /// Borrows bytes in place of borrowed ones, or of none.
  @inline(__always)
  mutating func borrowInstead(_ bytes: UnsafeRawBufferPointer) {
    buffer = UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(mutating: bytes.baseAddress), count: 0)
    head = 0
    tail = bytes.count
  }

  /// Copies what is still borrowed into a buffer of the queue's own.
  mutating func endBorrowing(_ pool: BufferPool) {
    if isBorrowing { move(into: pool.take(atLeast: count), pool) }
  }

  /// Amortised O(1) per byte.
  mutating func append(_ bytes: UnsafeRawBufferPointer, _ pool: BufferPool) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    if buffer.count - tail < bytes.count { makeRoom(for: bytes.count, pool) }
    buffer.baseAddress.unsafelyUnwrapped.advanced(by: tail).copyMemory(from: source, byteCount: bytes.count)
    tail += bytes.count
  }

  @inline(__always)
  mutating func removeFirst(_ count: Int, _ pool: BufferPool) {
    precondition(count >= 0 && count <= self.count, "cannot remove \(count) of \(self.count) bytes")
    head += count
    if head == tail { removeAll(pool) }
  }

  mutating func removeAll(_ pool: BufferPool) {
    pool.give(buffer)
    buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    head = 0
    tail = 0
  }

  /// Moves a small rest out of a large buffer, so that a partial frame does not hold what a burst needed.
  mutating func shrink(_ pool: BufferPool) {
    guard !isEmpty, buffer.count > TransportLimits.pooledBufferBytesMin, buffer.count / 4 >= count else { return }
    move(into: pool.take(atLeast: count), pool)
  }

  private mutating func makeRoom(for more: Int, _ pool: BufferPool) {
    // Amortised: as many bytes were removed since the last move to the front.
    if head >= count, count + more <= buffer.count {
      let base = buffer.baseAddress.unsafelyUnwrapped
      base.copyMemory(from: base + head, byteCount: count)
      tail -= head
      head = 0
    } else {
      move(into: pool.take(atLeast: max(count + more, 2 * count)), pool)
    }
  }

  private mutating func move(into larger: UnsafeMutableRawBufferPointer, _ pool: BufferPool) {
    larger.copyMemory(from: bytes)
    tail -= head
    head = 0
    pool.give(buffer)
    buffer = larger
  }
}
