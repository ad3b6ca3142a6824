import BaizeTable
import BaizeWire
import TestSupport
import Testing

/// Other encodings of the same messages, which a reader of Protocol Buffers must accept.
@Suite(.serialized) struct ToleranceTests {
  @Test func `the tree encodes what it decoded`() {
    for vector in Vector.all { #expect(vector.tree.bytes() == vector.bytes, "\(vector.name)") }
  }

  @Test func `fields may have any order`() throws {
    try check { tree in
      // Those of one number keep their order, which has a meaning in a repeated field.
      tree.mapMessages { fields in
        Set(fields.map(\.number)).sorted(by: >).flatMap { number in fields.filter { $0.number == number } }
      }.bytes()
    }
  }

  @Test func `unknown fields are skipped at every position`() throws {
    let unknown: [WireTree.Field] = [
      .init(number: 99, value: .varint(.max)), .init(number: 100, value: .fixed64([1, 2, 3, 4, 5, 6, 7, 8])),
      .init(number: 31, value: .bytes([0xFF, 0xFE])), .init(number: 536_870_911, value: .bytes([])),
    ]
    for extra in unknown {
      try check { tree in tree.mapMessages { [extra] + $0.flatMap { [$0, extra] } }.bytes() }
    }
  }

  @Test func `an unknown field of 32 fixed bits is skipped`() throws {
    let fixed32 = WireTree.varint(99 << 3 | 5) + [1, 2, 3, 4]
    for vector in Vector.all {
      #expect(try vector.decode(fixed32 + vector.bytes) == vector.decode(vector.bytes), "\(vector.name)")
    }
  }

  @Test func `repeated numbers need not be packed`() throws {
    try check { $0.bytes(.init(isUnpacked: true)) }
  }

  @Test func `repeated numbers may be packed in several runs, and unpacked between them`() throws {
    try check { tree in
      tree.mapMessages { fields in
        fields.flatMap { field -> [WireTree.Field] in
          guard case .packed(let values) = field.value, values.count > 1 else { return [field] }
          return [
            .init(number: field.number, value: .varint(values[0])), .init(number: field.number, value: .packed([])),
            .init(number: field.number, value: .packed(Array(values[1...]))),
          ]
        }
      }.bytes()
    }
  }

  @Test func `varints may be longer than they need`() throws {
    try check { $0.bytes(.init(varintBytesMin: 5)) }
    try check { $0.bytes(.init(varintBytesMin: 10)) }
  }

  @Test func `the last of several values counts`() throws {
    try check { tree in
      tree.mapMessages { fields in
        fields.flatMap { field -> [WireTree.Field] in
          guard case .varint = field.value else { return [field] }
          return [.init(number: field.number, value: .varint(1)), field]
        }
      }.bytes()
    }
  }

  @Test func `the last body counts, and an embedded message replaces the one before`() throws {
    let ping = ClientMessage.ping(Ping(nonce: 7)).encoded()
    let hash = ClientMessage.ping(Ping(nonce: 0, wantsHash: true)).encoded()
    let request = ClientMessage.snapshotRequest(why: "x").encoded()
    #expect(try ClientMessage(decoding: ping + request) == .snapshotRequest(why: "x"))
    #expect(try ClientMessage(decoding: request + ping) == .ping(Ping(nonce: 7)))
    #expect(try ClientMessage(decoding: ping + hash) == .ping(Ping(nonce: 0, wantsHash: true)))
  }

  @Test func `an unknown body is an unknown message`() throws {
    #expect(try ClientMessage(decoding: WireTree.delimited(15, [1, 2, 3])) == .unknown)
    #expect(try ServerMessage(decoding: WireTree.delimited(15, [1, 2, 3])) == .unknown)
  }

  @Test func `an operation of an unknown kind is an operation`() throws {
    let bytes = WireTree.delimited(2, [0x08, 0x07] + WireTree.delimited(15, [1, 2, 3]))
    guard case .operation(let operation) = try ClientMessage(decoding: bytes) else {
      Issue.record("no operation")
      return
    }
    #expect(operation.sequence.rawValue == 7)
    #expect(operation.kind == .unknown)
  }

  @Test func `an unknown formation is the default one`() throws {
    let bytes = WireTree.delimited(3, WireTree.delimited(5, Array("spiral".utf8)))
    #expect(try ClientMessage(decoding: bytes) == .drag(Drag(phase: .began)))
    let named = WireTree.delimited(3, WireTree.delimited(5, Array("default".utf8)))
    #expect(try ClientMessage(decoding: named) == .drag(Drag(phase: .began)))
  }

  @Test func `numbers of 32 bits are cut, flags are any number but zero`() throws {
    let ping = WireTree.delimited(4, [0x10] + WireTree.varint(1 << 63))
    #expect(try ClientMessage(decoding: ping) == .ping(Ping(nonce: 0, wantsHash: true)))
    let hello = WireTree.delimited(1, [0x08] + WireTree.varint(1 << 32 | 7))
    #expect(try ClientMessage(decoding: hello) == .hello(Hello(version: 7, table: "")))
    let drag = WireTree.delimited(3, [0x30] + WireTree.varint(1 << 32 | 1))
    #expect(try ClientMessage(decoding: drag) == .drag(Drag(phase: .began, x: -1)))
  }

  /// Encodes every vector in another form and decodes it to the same message. At least one vector must have other bytes
  /// then, or the test tests nothing.
  private func check(_ rewrite: (WireTree) -> [UInt8]) throws {
    var rewritten = 0
    for vector in Vector.all {
      let bytes = rewrite(vector.tree)
      if bytes != vector.bytes { rewritten += 1 }
      #expect(try vector.decode(bytes) == vector.decode(vector.bytes), "\(vector.name) as \(bytes.hex)")
    }
    #expect(rewritten > 0)
  }
}

extension Vector {
  var tree: WireTree { WireTree(bytes, as: messageType.schema) }

  func decode(_ bytes: [UInt8]) throws(DecodeError) -> AnyHashable {
    AnyHashable(try messageType.init(decoding: bytes))
  }
}
