/// A frame of WebSocket (RFC 6455, section 5.2) within bytes that contain all of it.
///
/// ```
/// | fin, rsv, opcode | mask?, length | length of 16 or 64 bits | mask, 4 bytes | payload
/// ```
public struct WebSocketFrame: Hashable, Sendable {
  /// The kind of a frame.
  public enum Opcode: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  public let opcode: Opcode
  /// Whether it is the last frame of its message.
  public let isFinal: Bool
  /// The payload, which is masked, within the bytes. The next frame begins at its upper bound.
  public let payload: Range<Int>
  /// The mask, in the order of memory; 0 for none.
  public let mask: UInt32

  @usableFromInline init(opcode: Opcode, isFinal: Bool, payload: Range<Int>, mask: UInt32) {
    (self.opcode, self.isFinal, self.payload, self.mask) = (opcode, isFinal, payload, mask)
  }

  /// The longest header.
  public static let headerBytesMax = 14
  /// The header of a client's frame with a short payload.
  @usableFromInline static let shortHeaderBytesMax = 6
  /// The longest payload of a control frame.
  public static let controlBytesMax = 125
}

/// Finds frames in a stream of bytes.
public struct WebSocketFrameReader: Hashable, Sendable {
  /// Whether the frames come from a client, and are masked, or from a server, and are not.
  public let isServer: Bool
  /// The longest payload that is accepted.
  public let payloadBytesMax: Int

  /// Creates a reader for one side.
  ///
  /// - Parameters:
  ///   - isServer: Whether this side is the server.
  ///   - payloadBytesMax: The longest payload that is accepted.
  public init(isServer: Bool, payloadBytesMax: Int) {
    self.isServer = isServer
    self.payloadBytesMax = payloadBytesMax
  }

  /// Returns the frame that begins at `position`; `nil` while it is incomplete.
  ///
  /// - Throws: ``WebSocketViolation`` as soon as the first bytes show it.
  @inlinable @inline(__always) public func next(
    in bytes: UnsafeRawBufferPointer, from position: Int = 0
  ) throws(WebSocketViolation) -> WebSocketFrame? {
    guard position < bytes.count else { return nil }
    // Mostly a frame is a short message, and complete.
    if bytes.count - position >= WebSocketFrame.shortHeaderBytesMax, bytes[position] == 0x82 {
      let length = Int(bytes[position + 1]) - (isServer ? 0x80 : 0)
      let start = position + (isServer ? 6 : 2)
      if 0...125 ~= length, length <= payloadBytesMax, length <= bytes.count - start {
        let mask = isServer ? bytes.loadUnaligned(fromByteOffset: start - 4, as: UInt32.self) : 0
        return WebSocketFrame(opcode: .binary, isFinal: true, payload: start..<start + length, mask: mask)
      }
    }
    return try nextOfAnyKind(in: bytes, from: position)
  }

  @usableFromInline @inline(never) func nextOfAnyKind(
    in bytes: UnsafeRawBufferPointer, from position: Int
  ) throws(WebSocketViolation) -> WebSocketFrame? {
    let first = bytes[position]
    guard first & 0x70 == 0 else { throw .reservedBits }
    guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0F) else { throw .unknownOpcode }
    let isFinal = first & 0x80 != 0
    if opcode.isControl, !isFinal { throw .controlFragmented }
    guard position + 1 < bytes.count else { return nil }
    let second = bytes[position + 1]
    let isMasked = second & 0x80 != 0
    if isMasked != isServer { throw isServer ? .notMasked : .masked }
    if opcode.isControl, second & 0x7F > WebSocketFrame.controlBytesMax { throw .controlTooLong }
    var start = position + 2
    guard let length = try length(second & 0x7F, bytes, &start) else { return nil }
    guard length <= UInt64(payloadBytesMax) || opcode.isControl else { throw .tooLarge }
    var mask: UInt32 = 0
    if isMasked {
      guard start + 4 <= bytes.count else { return nil }
      mask = bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)
      start += 4
    }
    guard Int(length) <= bytes.count - start else { return nil }
    return WebSocketFrame(opcode: opcode, isFinal: isFinal, payload: start..<start + Int(length), mask: mask)
  }

  private func length(
    _ short: UInt8, _ bytes: UnsafeRawBufferPointer, _ start: inout Int
  ) throws(WebSocketViolation) -> UInt64? {
    guard short >= 126 else { return UInt64(short) }
    let count = short == 126 ? 2 : 8
    guard start + count <= bytes.count else { return nil }
    var length: UInt64 = 0
    for index in start..<start + count { length = length << 8 | UInt64(bytes[index]) }
    start += count
    guard length > (short == 126 ? 125 : 0xFFFF), length >> 63 == 0 else { throw .longLength }
    return length
  }
}

extension WebSocketFrame {
  /// Copies the payload without its mask.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that contain the frame.
  ///   - target: Where the payload goes: room for all of it.
  @inlinable public func unmask(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) {
    guard let from = bytes.baseAddress, let to = target.baseAddress, !payload.isEmpty else { return }
    precondition(
      payload.upperBound <= bytes.count && payload.count <= target.count, "no room for \(payload.count) bytes")
    Self.copy(from + payload.lowerBound, to, payload.count, mask)
  }

  /// Returns the payload without its mask.
  public func unmasked(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    Array(unsafeUninitializedCapacity: payload.count) { buffer, count in
      unmask(bytes, to: UnsafeMutableRawBufferPointer(buffer))
      count = payload.count
    }
  }

  /// Copies bytes and changes those that the mask has set: masks what is not, and unmasks what is.
  @usableFromInline
  static func copy(_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ count: Int, _ mask: UInt32) {
    let wide = UInt64(mask) << 32 | UInt64(mask)
    guard count >= 8 else {
      for index in 0..<count {
        let byte = source.load(fromByteOffset: index, as: UInt8.self)
        target.storeBytes(of: byte ^ mask.byte(index & 3), toByteOffset: index, as: UInt8.self)
      }
      return
    }
    var index = 0
    while index + 8 <= count {
      let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      target.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
      index += 8
    }
    // The last word overlaps the one before it.
    let word = source.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    let bits = UInt64(8 * (count & 3))
    let turned = (wide.littleEndian >> bits | wide.littleEndian << (32 - bits)).littleEndian
    target.storeBytes(of: word ^ turned, toByteOffset: count - 8, as: UInt64.self)
  }
}

extension UInt32 {
  /// Returns the byte at an index in memory.
  fileprivate func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: littleEndian >> UInt32(8 * index)) }
}
