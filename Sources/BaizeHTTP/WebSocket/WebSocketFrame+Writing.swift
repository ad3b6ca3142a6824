extension WebSocketFrame {
  /// Returns the number of bytes of the header of a server's frame.
  @inlinable @inline(__always) public static func headerBytes(payload count: Int) -> Int {
    count <= 125 ? 2 : count <= 0xFFFF ? 4 : 10
  }

  /// Writes the header of a server's frame, which is not masked, and the whole message.
  ///
  /// - Parameters:
  ///   - opcode: The kind of the frame.
  ///   - count: The size of the payload.
  ///   - target: Room for ``headerBytes(payload:)`` bytes.
  @inlinable @inline(__always) public static func writeHeader(
    _ opcode: Opcode, payload count: Int, to target: UnsafeMutableRawPointer
  ) {
    target.storeBytes(of: 0x80 | opcode.rawValue, as: UInt8.self)
    if count <= 125 {
      target.storeBytes(of: UInt8(truncatingIfNeeded: count), toByteOffset: 1, as: UInt8.self)
    } else if count <= 0xFFFF {
      target.storeBytes(of: 126, toByteOffset: 1, as: UInt8.self)
      target.storeBytes(of: UInt16(truncatingIfNeeded: count).bigEndian, toByteOffset: 2, as: UInt16.self)
    } else {
      target.storeBytes(of: 127, toByteOffset: 1, as: UInt8.self)
      target.storeBytes(of: UInt64(count).bigEndian, toByteOffset: 2, as: UInt64.self)
    }
  }

  /// Writes a client's frame, which is masked, and the whole message.
  ///
  /// - Parameters:
  ///   - opcode: The kind of the frame.
  ///   - payload: The payload.
  ///   - mask: The mask, in the order of memory.
  ///   - target: Room for the payload and ``headerBytesMax`` bytes.
  /// - Returns: The size of the frame.
  @inlinable public static func write(
    _ opcode: Opcode, _ payload: UnsafeRawBufferPointer, mask: UInt32, to target: UnsafeMutableRawPointer
  ) -> Int {
    let start = headerBytes(payload: payload.count)
    writeHeader(opcode, payload: payload.count, to: target)
    target.storeBytes(of: target.load(fromByteOffset: 1, as: UInt8.self) | 0x80, toByteOffset: 1, as: UInt8.self)
    target.storeBytes(of: mask, toByteOffset: start, as: UInt32.self)
    if let source = payload.baseAddress { copy(source, target + start + 4, payload.count, mask) }
    return start + 4 + payload.count
  }

  /// Returns the bytes of a frame.
  ///
  /// - Parameters:
  ///   - opcode: The kind of the frame.
  ///   - payload: The payload.
  ///   - isFinal: Whether it is the last frame of its message.
  ///   - mask: The mask of a client's frame; `nil` for a server's.
  public static func bytes(
    _ opcode: Opcode, _ payload: some Collection<UInt8>, isFinal: Bool = true, mask: UInt32? = nil
  ) -> [UInt8] {
    let payload = Array(payload)
    var bytes = [UInt8](unsafeUninitializedCapacity: payload.count + headerBytesMax) { buffer, count in
      guard let start = buffer.baseAddress.map({ UnsafeMutableRawPointer($0) }) else { return }
      count = payload.withUnsafeBytes { payload in
        if let mask { return write(opcode, payload, mask: mask, to: start) }
        let headerBytes = headerBytes(payload: payload.count)
        writeHeader(opcode, payload: payload.count, to: start)
        if let source = payload.baseAddress { (start + headerBytes).copyMemory(from: source, byteCount: payload.count) }
        return headerBytes + payload.count
      }
    }
    if !isFinal { bytes[0] &= 0x7F }
    return bytes
  }

  /// Returns the bytes of a server's close frame.
  ///
  /// - Parameters:
  ///   - code: The code; `nil` for an empty frame.
  ///   - reason: A text of at most 123 bytes.
  public static func close(_ code: WebSocketCloseCode?, _ reason: String = "") -> [UInt8] {
    guard let code else { return bytes(.close, []) }
    let text = reason.utf8.prefix(controlBytesMax - 2)
    return bytes(.close, [UInt8(code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)] + text)
  }

  /// Returns the code of a close frame's payload, which is not masked; `nil` for an empty one.
  public static func closeCode(_ payload: [UInt8]) throws(WebSocketViolation) -> WebSocketCloseCode? {
    if payload.isEmpty { return nil }
    guard payload.count >= 2 else { throw .badCloseCode }
    let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.isValid else { throw .badCloseCode }
    guard String(validating: payload.dropFirst(2), as: UTF8.self) != nil else { throw .badCloseReason }
    return code
  }
}
