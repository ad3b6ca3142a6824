import BaizeHTTP

/// Messages in the form of a stream, each behind its length: the machine receives them like those of TCP.
struct MessageBuffer: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 15, alignment: 16)
  private(set) var count = 0
  /// The number of messages.
  private(set) var messages = 0
  private static let lengthBytesMax = 10

  deinit { memory.deallocate() }

  /// The size of the memory, in bytes.
  var capacity: Int { memory.count }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  mutating func removeAll() {
    count = 0
    messages = 0
  }

  /// Appends a message: a frame's payload.
  @inline(__always) mutating func append(_ frame: WebSocketFrame, of bytes: UnsafeRawBufferPointer) {
    begin(frame.payload.count)
    unmask(frame, of: bytes)
  }

  /// Appends a message: what was before a last frame, and that frame's payload.
  mutating func append(_ frame: WebSocketFrame, behind before: [UInt8], of bytes: UnsafeRawBufferPointer) {
    begin(before.count + frame.payload.count)
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyBytes(from: before)
    count += before.count
    unmask(frame, of: bytes)
  }

  @inline(__always) private mutating func unmask(_ frame: WebSocketFrame, of bytes: UnsafeRawBufferPointer) {
    frame.unmask(bytes, to: UnsafeMutableRawBufferPointer(rebasing: memory[count...]))
    count += frame.payload.count
  }

  /// Makes room for a message, and writes its length.
  @inline(__always) private mutating func begin(_ bytes: Int) {
    messages += 1
    if count + bytes + Self.lengthBytesMax > memory.count { grow(bytes + Self.lengthBytesMax) }
    var rest = bytes
    while rest >= 0x80 {
      memory[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
      count += 1
    }
    memory[count] = UInt8(truncatingIfNeeded: rest)
    count += 1
  }

  private mutating func grow(_ more: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(2 * memory.count, count + more), alignment: 16)
    larger.copyMemory(from: bytes)
    memory.deallocate()
    memory = larger
  }
}
