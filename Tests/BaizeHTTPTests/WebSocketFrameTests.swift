import BaizeHTTP
import Testing

/// Frames as RFC 6455 defines them, written and read (I8).
@Suite struct WebSocketFrameTests {
  /// The payload without its mask, byte by byte as section 5.3 defines it.
  private static func reference(_ payload: [UInt8], _ mask: [UInt8]) -> [UInt8] {
    payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  private static func read(
    _ bytes: [UInt8], isServer: Bool, payloadBytesMax: Int = 1 << 20
  ) throws -> (
    frame: WebSocketFrame, payload: [UInt8]
  )? {
    try bytes.withUnsafeBytes { bytes in
      let reader = WebSocketFrameReader(isServer: isServer, payloadBytesMax: payloadBytesMax)
      return try reader.next(in: bytes).map { ($0, $0.unmasked(bytes)) }
    }
  }

  @Test(arguments: Array(0...40) + [124, 125, 126, 127, 1_000, 65_535, 65_536])
  func `a client's frame of any length is masked as defined, and read again`(count: Int) throws {
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
    let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    let word = mask.withUnsafeBytes { $0.load(as: UInt32.self) }
    let bytes = WebSocketFrame.bytes(.binary, payload, mask: word)
    let length: [UInt8] =
      switch count {
      case ...125: [0x80 | UInt8(count)]
      case ...65_535: [0xFE, UInt8(count >> 8), UInt8(count & 0xFF)]
      case _: [0xFF, 0, 0, 0, 0, 0, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
      }
    #expect(bytes == [0x82] + length + mask + Self.reference(payload, mask))
    let (frame, read) = try #require(try Self.read(bytes, isServer: true))
    #expect(frame.opcode == .binary && frame.isFinal && frame.payload.upperBound == bytes.count)
    #expect(read == payload)
    let unmasked = WebSocketFrame.bytes(.binary, payload)
    #expect(try Self.read(unmasked, isServer: false)?.payload == payload)
    #expect(unmasked.count == bytes.count - 4)
  }

  @Test func `no frame is found before its last byte, however short it is`() throws {
    for count in [0, 1, 5, 125, 126] {
      for isServer in [true, false] {
        let bytes = WebSocketFrame.bytes(
          .binary, Array(repeating: 1 as UInt8, count: count), mask: isServer ? 0x0403_0201 : nil)
        for end in bytes.indices { #expect(try Self.read(Array(bytes[..<end]), isServer: isServer) == nil) }
        #expect(try Self.read(bytes + [0x82, 0x80, 1], isServer: isServer)?.frame.payload.upperBound == bytes.count)
      }
    }
  }

  @Test func `a short message is refused like a long one if it is too large or of the wrong side`() {
    let payload = Array(repeating: 1 as UInt8, count: 100)
    let masked = WebSocketFrame.bytes(.binary, payload, mask: 0x0403_0201)
    let plain = WebSocketFrame.bytes(.binary, payload)
    #expect(throws: WebSocketViolation.tooLarge) { try Self.read(masked, isServer: true, payloadBytesMax: 99) }
    #expect(throws: WebSocketViolation.tooLarge) { try Self.read(plain, isServer: false, payloadBytesMax: 99) }
    #expect(throws: WebSocketViolation.notMasked) { try Self.read(plain, isServer: true) }
    #expect(throws: WebSocketViolation.masked) { try Self.read(masked, isServer: false) }
  }
}
