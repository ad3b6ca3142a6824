/// A loop's pool of buffers, whose sizes are powers of two.
///
/// A queue that becomes empty returns its buffer, so that an idle connection holds none and a busy one does not need
/// the allocator. Free buffers are chained through their own first bytes:
///
///     chains[k] → | next | … 128·2ᵏ bytes | → | next | … | → nil
final class BufferPool {
  private static let classes =
    (TransportLimits.pooledBufferBytesMax / TransportLimits.pooledBufferBytesMin).trailingZeroBitCount + 1

  private let chains: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// The total size of the free buffers.
  private(set) var heldBytes = 0
  /// The total size of the buffers that queues have taken.
  private(set) var takenBytes = 0
  /// The total size of the bytes that queues share.
  private(set) var sharedBytes = 0
  private var copies = SharedCopies()

  init() {
    chains = .allocate(capacity: Self.classes)
    chains.initialize(repeating: nil, count: Self.classes)
  }

  deinit {
    for chain in 0..<Self.classes {
      while let buffer = chains[chain] {
        chains[chain] = buffer.load(as: UnsafeMutableRawPointer?.self)
        buffer.deallocate()
      }
    }
    chains.deallocate()
  }

  /// Takes a buffer of at least `bytes` bytes and undefined content, to be returned by ``give(_:)``.
  func take(atLeast bytes: Int) -> UnsafeMutableRawBufferPointer {
    let size = Self.roundedUp(bytes)
    takenBytes += size
    if let chain = Self.chain(of: size), let buffer = chains[chain] {
      chains[chain] = buffer.load(as: UnsafeMutableRawPointer?.self)
      heldBytes -= size
      return UnsafeMutableRawBufferPointer(start: buffer, count: size)
    }
    return .allocate(byteCount: size, alignment: MemoryLayout<UnsafeMutableRawPointer?>.alignment)
  }

  /// Returns a buffer to the pool, or to the allocator where the pool is full.
  func give(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let start = buffer.baseAddress, buffer.count > 0 else { return }
    takenBytes -= buffer.count
    guard let chain = Self.chain(of: buffer.count), heldBytes + buffer.count <= TransportLimits.poolBytesMax else {
      buffer.deallocate()
      return
    }
    start.storeBytes(of: chains[chain], as: UnsafeMutableRawPointer?.self)
    chains[chain] = start
    heldBytes += buffer.count
  }

  // MARK: Sharing

  /// Returns a copy of lent bytes for all queues that are lent them, and the offset at which they begin in it.
  ///
  /// - Parameter source: The lent range that contains them.
  func share(
    _ bytes: UnsafeRawBufferPointer, of source: UnsafeRawBufferPointer
  ) -> (bytes: SharedBytes, offset: Int)? {
    copies.copy(bytes, of: source, self)
  }

  /// Forgets the copies: the lent bytes are no longer valid.
  func endSharing() { copies.removeAll() }

  func countShared(_ bytes: Int) { sharedBytes += bytes }

  private static func roundedUp(_ bytes: Int) -> Int {
    let size = max(bytes, TransportLimits.pooledBufferBytesMin)
    return 1 << (Int.bitWidth - (size - 1).leadingZeroBitCount)
  }

  private static func chain(of size: Int) -> Int? {
    guard size <= TransportLimits.pooledBufferBytesMax else { return nil }
    return size.trailingZeroBitCount - TransportLimits.pooledBufferBytesMin.trailingZeroBitCount
  }
}
