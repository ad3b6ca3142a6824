/// Bytes in one piece that come in at the tail and leave at the head.
///
///     | gone | ··· waiting ··· | room |
///            ↑ head            ↑ tail
///
/// Empty, it holds no buffer at all; its owner passes the pool to every call that may need or free one.
struct ByteQueue: ~Copyable {
  private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var head = 0
  private var tail = 0

  var count: Int { tail - head }
  var isEmpty: Bool { head == tail }

  /// The storage that is held now, in bytes.
  var capacity: Int { buffer.count }

  /// The bytes that wait. Valid until the next change.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[head..<tail])
  }

  deinit {
    buffer.deallocate()
  }

  /// Amortised O(1) per byte.
  mutating func append(_ bytes: UnsafeRawBufferPointer, _ pool: BufferPool) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    if buffer.count - tail < bytes.count { makeRoom(for: bytes.count, pool) }
    buffer.baseAddress.unsafelyUnwrapped.advanced(by: tail).copyMemory(from: source, byteCount: bytes.count)
    tail += bytes.count
  }

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
    // Moving to the front is paid for by the bytes that have left since the last time.
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
