import BaizeTable
import BaizeWire
import TestSupport
import Testing

/// No bytes from a socket trap, and malformed ones have the right error (I12).
@Suite(.dedicatedThreads) struct HostileInputTests {
  @Test(arguments: Vector.all) func `a message cut anywhere is truncated`(_ vector: Vector) {
    for length in 1..<Swift.max(1, vector.bytes.count) {
      #expect(throws: DecodeError.truncated, "\(length) bytes") { try vector.decode(Array(vector.bytes[..<length])) }
    }
  }

  @Test(arguments: Vector.all) func `a frame cut anywhere is incomplete`(_ vector: Vector) throws {
    let reader = FrameReader()
    for length in 0..<vector.frame.count {
      #expect(try reader.next(in: Array(vector.frame[..<length])) == nil, "\(length) bytes")
    }
    let payload = try #require(try reader.next(in: vector.frame))
    #expect(Array(vector.frame[payload]) == vector.bytes)
    #expect(payload.upperBound == vector.frame.count)
  }

  /// Every seventh value of every byte and each of its bits, or every value in the long form: the decoder throws, or its result
  /// can be encoded and decoded again.
  @Test(arguments: Vector.all) func `no changed byte traps`(_ vector: Vector) throws {
    let changes = Set(stride(from: 1, through: UInt8.max, by: LongForm.count(7, long: 1)) + (0..<8).map { 1 << $0 })
    var decoded = 0
    var refused = 0
    for index in vector.bytes.indices {
      var bytes = vector.bytes
      for change in changes {
        bytes[index] = vector.bytes[index] ^ change
        if try canDecode(bytes, as: vector.messageType) { decoded += 1 } else { refused += 1 }
      }
    }
    #expect(decoded + refused == changes.count * vector.bytes.count)
    #expect(vector.bytes.isEmpty || refused > 0)
  }

  @Test(arguments: [128, 1 << 31, 1 << 32, 1 << 62, 1 << 63 - 1, 1 << 63, .max - 1, .max] as [UInt64])
  func `a length is checked`(_ length: UInt64) {
    let head = WireTree.varint(length)
    let content = [UInt8](repeating: 0, count: 64)
    for tag in [0x0A, 0x12, 0x1A, 0x22, 0x2A, 0x32, 0x7A] as [UInt8] {
      #expect(throws: DecodeError.truncated) { try ClientMessage(decoding: [tag] + head + content) }
      #expect(throws: DecodeError.truncated) { try ServerMessage(decoding: [tag] + head + content) }
    }
    // Within a body: a text, bytes, packed numbers, an embedded message.
    for (body, tag) in [(1, 0x12), (1, 0x3A), (3, 0x1A), (3, 0x22)] as [(UInt64, UInt8)] {
      let bytes = WireTree.delimited(body, [tag] + head + content)
      #expect(throws: DecodeError.truncated) { try ClientMessage(decoding: bytes) }
    }
  }

  @Test func `a varint has ten bytes and 64 bits`() throws {
    func nonce(_ varint: [UInt8]) throws -> ClientMessage {
      try ClientMessage(decoding: WireTree.delimited(4, [0x08] + varint))
    }
    let nine = [UInt8](repeating: 0xFF, count: 9)
    #expect(try nonce(nine + [0x01]) == .ping(Ping(nonce: .max)))
    #expect(try nonce([UInt8](repeating: 0x80, count: 9) + [0x00]) == .ping(Ping(nonce: 0)))
    #expect(try nonce([UInt8](repeating: 0x80, count: 9) + [0x01]) == .ping(Ping(nonce: 1 << 63)))
    #expect(throws: DecodeError.varintTooLong) { try nonce(nine + [0x02]) }
    #expect(throws: DecodeError.varintTooLong) { try nonce(nine + [0x80, 0x00]) }
    #expect(throws: DecodeError.varintTooLong) { try nonce([UInt8](repeating: 0xFF, count: 40)) }
    #expect(throws: DecodeError.truncated) { try nonce(nine) }
  }

  @Test func `a tag has a number and a type`() {
    for tag in [0x00, 0x05, 0x07] as [UInt64] { expect(.badFieldNumber, WireTree.varint(tag)) }
    expect(.badFieldNumber, WireTree.varint(1 << 32 | 8))
    expect(.badFieldNumber, WireTree.varint(.max))
    // Groups, and the two types that do not exist, for known and unknown fields.
    for number in [1, 99] as [UInt64] {
      for type in [3, 4, 6, 7] as [UInt64] { expect(.badWireType, WireTree.varint(number << 3 | type) + [0, 0]) }
    }
  }

  @Test func `a known field has its own wire type`() {
    expect(.badWireType, [0x08, 0x00])  // a body that is a number
    expect(.badWireType, [0x0D, 0, 0, 0, 0])
    expect(.badWireType, WireTree.delimited(4, [0x0A, 0x00]))  // a nonce that is a text
    expect(.badWireType, WireTree.delimited(4, [0x09, 0, 0, 0, 0, 0, 0, 0, 0]))  // one of 64 fixed bits
    expect(.badWireType, WireTree.delimited(1, [0x10, 0x00]))  // a table that is a number
    expect(.badWireType, WireTree.delimited(3, [0x19, 0, 0, 0, 0, 0, 0, 0, 0]))  // items of 64 fixed bits
    #expect(throws: DecodeError.badWireType) {  // a hash that is a varint
      try ServerMessage(decoding: WireTree.delimited(6, [0x18, 0x00]))
    }
  }

  @Test func `a text is UTF-8`() {
    for text in [[0xFF], [0xC0, 0x80], [0xE2, 0x99], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]] {
      expect(.invalidUTF8, WireTree.delimited(1, WireTree.delimited(2, text)))
      expect(.invalidUTF8, WireTree.delimited(1, WireTree.delimited(2, [UInt8](repeating: 0x61, count: 20) + text)))
    }
  }

  @Test func `an enumeration has its values`() {
    expect(.unknownValue, WireTree.delimited(1, [0x28, 0x03]))  // role
    expect(.unknownValue, WireTree.delimited(1, [0x28] + WireTree.varint(.max)))
    expect(.unknownValue, WireTree.delimited(3, [0x10, 0x04]))  // phase
    #expect(throws: DecodeError.unknownValue) {  // verdict
      try ServerMessage(decoding: WireTree.delimited(4, [0x10, 0x04]))
    }
    #expect(throws: DecodeError.unknownValue) {  // drop operation: a set of bits is no operation
      try ServerMessage(decoding: WireTree.delimited(3, [0x28, 0x03]))
    }
  }

  @Test func `an unknown change is an error`() {
    let nothing = WireTree.delimited(3, WireTree.delimited(4, []))
    #expect(throws: DecodeError.unknownChange) { try ServerMessage(decoding: nothing) }
    let later = WireTree.delimited(3, WireTree.delimited(4, WireTree.delimited(10, [])))
    #expect(throws: DecodeError.unknownChange) { try ServerMessage(decoding: later) }
  }

  private func expect(_ error: DecodeError, _ bytes: [UInt8]) {
    #expect(throws: error, "\(bytes.hex)") { try ClientMessage(decoding: bytes) }
  }

  /// Returns whether `bytes` are a message, which is then the same after another round trip.
  private func canDecode<Message: WireMessage>(_ bytes: [UInt8], as type: Message.Type) throws -> Bool {
    let message: Message
    do { message = try Message(decoding: bytes) } catch { return false }
    // What is left of an operation beyond a limit has another encoding.
    if case .operation(let operation)? = message as? ClientMessage, case .invalid(_, of: let rest) = operation.kind {
      #expect(rest.defect == nil)
      return false
    }
    let again = try Message(decoding: message.encoded())
    if again != message { Issue.record("\(bytes.hex) is \(message), and then \(again)") }
    return true
  }
}
