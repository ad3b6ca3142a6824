/// Bytes that the queues of several connections refer to, so that a slow crowd keeps one copy of what is sent to all.
final class SharedBytes {
  private let memory: UnsafeMutableRawBufferPointer
  /// The pool that counts the bytes; `nil` for bytes that are not this object's.
  private let pool: BufferPool?
  /// The number of bytes in use.
  private(set) var count = 0

  /// Makes room for so many bytes. The pool counts them until the last queue has sent them.
  init(capacity: Int, _ pool: BufferPool) {
    memory = .allocate(byteCount: capacity, alignment: 16)
    self.pool = pool
    pool.countShared(capacity)
  }

  /// Refers to bytes that stay valid while the process runs. They are never written.
  init(permanent bytes: UnsafeRawBufferPointer) {
    memory = UnsafeMutableRawBufferPointer(mutating: bytes)
    pool = nil
    count = bytes.count
  }

  deinit {
    guard let pool else { return }
    pool.countShared(-memory.count)
    memory.deallocate()
  }

  var room: Int { memory.count - count }
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Appends bytes, for which there is room.
  func append(_ more: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: more)
    count += more.count
  }
}

/// The shared copies of lent bytes, while they are lent.
///
/// The members of one view are lent the same range, so that the few latest copies are mostly the ones looked for.
struct SharedCopies {
  private var copies: [(source: UnsafeRawBufferPointer, bytes: SharedBytes)] = []
  private static let countMax = 8

  /// Returns a copy that contains the lent bytes, and the offset at which they begin in it.
  ///
  /// - Parameter source: The lent range that contains `bytes`, which is copied if there is no copy yet.
  mutating func copy(
    _ bytes: UnsafeRawBufferPointer, of source: UnsafeRawBufferPointer, _ pool: BufferPool
  ) -> (bytes: SharedBytes, offset: Int)? {
    guard let start = bytes.baseAddress, let sourceStart = source.baseAddress else { return nil }
    for copy in copies {
      guard let first = copy.source.baseAddress, first <= start, start + bytes.count <= first + copy.source.count
      else { continue }
      return (copy.bytes, start - first)
    }
    let shared = SharedBytes(capacity: source.count, pool)
    shared.append(source)
    if copies.count == Self.countMax { copies.removeFirst() }
    copies.append((source, shared))
    return (shared, start - sourceStart)
  }

  mutating func removeAll() {
    if !copies.isEmpty { copies.removeAll(keepingCapacity: true) }
  }
}
