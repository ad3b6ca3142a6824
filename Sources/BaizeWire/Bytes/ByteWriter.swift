/// A growing buffer of Protocol Buffers fields in canonical form: zeros and empty values are omitted.
///
/// It owns its memory, so that a field costs one check of the capacity and its stores; the memory is reused. Field
/// numbers are 1 … 15, whose tags are one byte: Baize has no others.
public struct ByteWriter: ~Copyable {
  @usableFromInline var start: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int

  @usableFromInline var used = 0

  /// Creates an empty buffer with room for `capacity` bytes.
  public init(capacity: Int = 256) {
    precondition(capacity >= 0, "no buffer of \(capacity) bytes")
    self.capacity = capacity
    start = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { start.deallocate() }

  @inlinable public var count: Int { used }

  public mutating func removeAll() { used = 0 }

  @inlinable public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: start, count: used))
  }
}

// MARK: - Fields

extension ByteWriter {
  /// Appends a `uint64`, unless it is zero.
  @inlinable public mutating func uint64(_ number: UInt8, _ value: UInt64) {
    guard value != 0 else { return }
    tagged(number, value)
  }

  /// Appends a `uint64` even if it is zero: for a member of a `oneof`.
  public mutating func presentUInt64(_ number: UInt8, _ value: UInt64) { tagged(number, value) }

  /// Appends a `uint32`, unless it is zero.
  @inlinable public mutating func uint32(_ number: UInt8, _ value: UInt32) { uint64(number, UInt64(value)) }

  /// Appends a `bool`, unless it is false.
  @inlinable public mutating func bool(_ number: UInt8, _ value: Bool) { uint64(number, value ? 1 : 0) }

  /// Appends a `sint64` (zigzag, so that small negative numbers are short) even if it is zero: for a member of a
  /// `oneof`.
  @inlinable public mutating func presentSint64(_ number: UInt8, _ value: Int64) {
    tagged(number, UInt64(bitPattern: (value &<< 1) ^ (value &>> 63)))
  }

  /// Appends a `sint32`, unless it is zero.
  @inlinable public mutating func sint32(_ number: UInt8, _ value: Int32) {
    uint32(number, UInt32(bitPattern: (value &<< 1) ^ (value &>> 31)))
  }

  /// Appends a `fixed64`, unless it is zero.
  @inlinable public mutating func fixed64(_ number: UInt8, _ value: UInt64) {
    guard value != 0 else { return }
    tag(number, .fixed64)
    reserve(8)
    start.storeBytes(of: value.littleEndian, toByteOffset: used, as: UInt64.self)
    used &+= 8
  }

  /// Appends a number in a field beyond 15, unless it is zero: its tag has two bytes.
  public mutating func uint64(beyond15 number: UInt8, _ value: UInt64) {
    guard value != 0 else { return }
    varint(UInt64(number) << 3 | UInt64(WireType.varint.rawValue))
    varint(value)
  }

  /// Appends a text, unless it is empty.
  public mutating func string(_ number: UInt8, _ text: String) {
    guard !text.isEmpty else { return }
    presentString(number, text)
  }

  /// Appends a text even if it is empty: for a member of a `oneof`.
  public mutating func presentString(_ number: UInt8, _ text: String) {
    var text = text
    text.withUTF8 { presentBytes(number, UnsafeRawBufferPointer($0)) }
  }

  /// Appends bytes, unless there are none.
  public mutating func bytes(_ number: UInt8, _ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    bytes.withUnsafeBytes { presentBytes(number, $0) }
  }

  mutating func presentBytes(_ number: UInt8, _ bytes: UnsafeRawBufferPointer) {
    tag(number, .delimited)
    varint(UInt64(bytes.count))
    append(bytes)
  }

  /// Appends an embedded message, which `body` writes, even if it is empty.
  @inlinable @inline(__always) public mutating func message(_ number: UInt8, _ body: (inout ByteWriter) -> Void) {
    // The tag and the byte for the length in one step.
    reserve(2)
    start.storeBytes(of: Self.tag(number, .delimited), toByteOffset: used, as: UInt8.self)
    used &+= 2
    lengthPrefixed(from: used, body)
  }
}

// MARK: - Primitives

extension ByteWriter {
  @inlinable static func tag(_ number: UInt8, _ type: WireType) -> UInt8 {
    assert((1...15).contains(number), "the tag of field \(number) is not one byte")
    return number &<< 3 | UInt8(truncatingIfNeeded: type.rawValue)
  }

  @inlinable mutating func tag(_ number: UInt8, _ type: WireType) {
    reserve(1)
    start.storeBytes(of: Self.tag(number, type), toByteOffset: used, as: UInt8.self)
    used &+= 1
  }

  /// Appends a tag and a number with one check of the capacity.
  @inlinable mutating func tagged(_ number: UInt8, _ value: UInt64) {
    reserve(11)
    start.storeBytes(of: Self.tag(number, .varint), toByteOffset: used, as: UInt8.self)
    used = store(value, at: used &+ 1)
  }

  /// Appends a number without a tag: seven bits per byte, the lowest first.
  @inlinable public mutating func varint(_ value: UInt64) {
    reserve(10)
    used = store(value, at: used)
  }

  /// Stores a varint, for which there is room, and returns where it ends.
  @inlinable @inline(__always) func store(_ value: UInt64, at offset: Int) -> Int {
    var rest = value
    var end = offset
    while rest >= 0x80 {
      start.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: end, as: UInt8.self)
      rest &>>= 7
      end &+= 1
    }
    start.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: end, as: UInt8.self)
    return end &+ 1
  }

  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    (start + used).copyMemory(from: source, byteCount: bytes.count)
    used &+= bytes.count
  }

  /// Appends what `body` writes, preceded by its length.
  ///
  /// One byte is reserved for the length, which is mostly enough; otherwise the content is moved. That is cheaper than
  /// a pass over every message for its size.
  @inlinable @inline(__always) package mutating func delimited(_ body: (inout ByteWriter) -> Void) {
    reserve(1)
    used &+= 1
    lengthPrefixed(from: used, body)
  }

  @inlinable @inline(__always) mutating func lengthPrefixed(from content: Int, _ body: (inout ByteWriter) -> Void) {
    body(&self)
    let length = used &- content
    if length < 0x80 {
      start.storeBytes(of: UInt8(truncatingIfNeeded: length), toByteOffset: content &- 1, as: UInt8.self)
    } else {
      insertLength(length, before: content)
    }
  }

  @usableFromInline @inline(never) mutating func insertLength(_ length: Int, before content: Int) {
    let lengthBytes = (Int.bitWidth - length.leadingZeroBitCount + 6) / 7
    reserve(lengthBytes - 1)
    (start + content + lengthBytes - 1).copyMemory(from: start + content, byteCount: length)
    used = content - 1
    varint(UInt64(length))
    used += length
  }

  /// Makes room for `bytes` more.
  @inlinable @inline(__always) mutating func reserve(_ bytes: Int) {
    if capacity &- used < bytes { grow(by: bytes) }
  }

  @usableFromInline @inline(never) mutating func grow(by bytes: Int) {
    let larger = Swift.max(2 * capacity, used + bytes, 64)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
    memory.copyMemory(from: start, byteCount: used)
    start.deallocate()
    start = memory
    capacity = larger
  }
}
