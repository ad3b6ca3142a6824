import BaizeTable
import BaizeWire
import Testing

@Suite struct FrameReaderTests {
  @Test func `an empty frame is an unknown message`() throws {
    let payload = try #require(try FrameReader().next(in: [0]))
    #expect(payload == 1..<1)
    #expect(try ClientMessage(decoding: []) == .unknown)
    #expect(try ClientMessage(decoding: UnsafeRawBufferPointer(start: nil, count: 0)) == .unknown)
    #expect(try FrameReader().next(in: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
  }

  @Test func `frames are contiguous`() throws {
    let stream = Vector.all.flatMap(\.frame)
    var position = 0
    for vector in Vector.all {
      let payload = try #require(try FrameReader().next(in: stream, from: position))
      #expect(Array(stream[payload]) == vector.bytes)
      position = payload.upperBound
    }
    #expect(position == stream.count)
    #expect(try FrameReader().next(in: stream, from: position) == nil)
  }

  @Test func `a frame is too large as soon as its length is known`() throws {
    let reader = FrameReader(frameBytesMax: 300)
    #expect(try reader.next(in: WireTree.varint(300)) == nil)
    #expect(try reader.next(in: WireTree.varint(300) + [UInt8](repeating: 0, count: 300)) == 2..<302)
    for length in [301, 1 << 31, 1 << 63, .max] as [UInt64] {
      #expect(throws: DecodeError.frameTooLarge) { try reader.next(in: WireTree.varint(length)) }
    }
    #expect(throws: DecodeError.frameTooLarge) { try FrameReader().next(in: WireTree.varint(1 << 20 + 1)) }
    #expect(DecodeError.frameTooLarge.goodbyeReason == .frameTooLarge)
  }

  @Test func `an invalid length is malformed`() throws {
    let endless = [UInt8](repeating: 0xFF, count: 10)
    #expect(try FrameReader().next(in: Array(endless[..<9])) == nil)
    #expect(throws: DecodeError.varintTooLong) { try FrameReader().next(in: endless) }
    #expect(DecodeError.varintTooLong.goodbyeReason == .malformed)
    // Longer than needed, and yet a length.
    #expect(try FrameReader().next(in: [0x81, 0x80, 0x00, 0x2A]) == 3..<4)
  }
}

@Suite struct FrameWriterTests {
  @Test func `a frame's range is returned`() throws {
    var writer = FrameWriter(capacity: 0)
    var ranges: [Range<Int>] = []
    for vector in Vector.server { ranges.append(writer.frame(try #require(Samples.server[vector.name]))) }
    #expect(ranges.last?.upperBound == writer.count)
    for (vector, range) in zip(Vector.server, ranges) {
      #expect(writer.withUnsafeBytes { Array($0[range]) } == vector.frame)
    }
    #expect(writer.withUnsafeBytes { Array($0) } == Vector.server.flatMap(\.frame))

    writer.removeAll()
    #expect(writer.count == 0)
    #expect(writer.frame(ClientMessage.ping(Ping(nonce: 1))) == 0..<5)
  }

  /// Lengths that take more bytes than were reserved for them, at every depth at once.
  @Test func `lengths of every size`() throws {
    for size in Array(0...300) + Array(16_300...16_400) + [2_097_100, 2_097_152, 2_097_160] {
      var writer = FrameWriter(capacity: 0)
      writer.frame(ServerMessage.unknown)
      writer.removeAll()
      let data = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
      let face = Face(representations: [Representation(contentType: "", data: data)])
      let item = Item(id: ItemID(rawValue: 1), collection: CollectionHandle(rawValue: 1), face: face)
      let message = ServerMessage.diff(
        Diff(
          revision: .zero, author: .daemon, sequence: .zero,
          changes: [.inserted([item], .end(of: CollectionHandle(rawValue: 1)))]))
      let range = writer.frame(message)
      let frame = writer.withUnsafeBytes { Array($0[range]) }

      let representation = WireTree.delimited(5, size == 0 ? [] : WireTree.delimited(2, data))
      let inserted = WireTree.delimited(1, [0x08, 0x01, 0x10, 0x01] + representation) + [0x12, 0x02, 0x08, 0x01]
      let expected = WireTree.delimited(3, WireTree.delimited(4, WireTree.delimited(2, inserted)))
      #expect(frame == WireTree.varint(UInt64(expected.count)) + expected, "\(size) bytes")
      let payload = try #require(try FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax).next(in: frame))
      #expect(try ServerMessage(decoding: Array(frame[payload])) == message, "\(size) bytes")
    }
  }

  // MARK: Views

  static let owner = SeatNumber(rawValue: 2)
  static let secret = Face(attributes: [Attribute("rank", 13)], representations: Samples.king.representations)

  static func hand(_ visibility: FaceVisibility) -> Item {
    Item(
      id: ItemID(rawValue: 7), collection: CollectionHandle(rawValue: 1), face: secret, visibility: visibility,
      isPinned: true)
  }

  /// The item as a viewer receives it: with its face, or without it.
  static func seen(_ isVisible: Bool) -> Item {
    Item(
      id: ItemID(rawValue: 7), collection: CollectionHandle(rawValue: 1), face: isVisible ? secret : Face(),
      visibility: isVisible ? .everyone : .nobody, isPinned: true)
  }

  @Test(arguments: [
    (FaceVisibility.everyone, SeatNumber.spectator, true), (.everyone, owner, true),
    (.nobody, .spectator, false), (.nobody, owner, false),
    (.seat(owner), owner, true), (.seat(owner), SeatNumber(rawValue: 1), false), (.seat(owner), .spectator, false),
    (.seat(.spectator), .spectator, false),
  ])
  func `a viewer receives the faces that it may see`(
    _ visibility: FaceVisibility, _ viewer: SeatNumber, _ isVisible: Bool
  ) throws {
    let end = Placement.end(of: CollectionHandle(rawValue: 1))
    func diff(_ item: Item) -> Diff {
      Diff(
        revision: Revision(rawValue: 1), author: .daemon, sequence: .zero,
        changes: [.inserted([item], end), .faced([item])])
    }
    var writer = FrameWriter()
    let diffRange = writer.frame(diff(Self.hand(visibility)), for: viewer, isAuthor: false)
    #expect(try decode(writer, diffRange) == .diff(diff(Self.seen(isVisible))))

    func part(_ item: Item) -> SnapshotPart {
      SnapshotPart(epoch: Epoch(rawValue: 1), revision: Revision(rawValue: 1), items: [item], isComplete: true)
    }
    let partRange = writer.frame(part(Self.hand(visibility)), for: viewer)
    #expect(try decode(writer, partRange) == .snapshot(part(Self.seen(isVisible))))

    // No byte of what is hidden: the bytes are those of an item without a face (I6).
    let frames = writer.withUnsafeBytes { Array($0) }
    #expect(
      frames == ServerMessage.diff(diff(Self.seen(isVisible))).framed()
        + ServerMessage.snapshot(part(Self.seen(isVisible))).framed())
  }

  @Test func `a message as given omits only faces that are hidden from everyone`() throws {
    for (visibility, isVisible) in [(FaceVisibility.everyone, true), (.nobody, false), (.seat(Self.owner), true)] {
      let message = ServerMessage.snapshot(
        SnapshotPart(epoch: Epoch(rawValue: 1), revision: .zero, items: [Self.hand(visibility)]))
      let given = ServerMessage.snapshot(
        SnapshotPart(epoch: Epoch(rawValue: 1), revision: .zero, items: [Self.seen(isVisible)]))
      #expect(try ServerMessage(decoding: message.encoded()) == given)
    }
  }

  @Test func `new ids are for the author`() throws {
    guard case .diff(var diff) = Samples.server["server.diff.copied"] else {
      Issue.record("no diff")
      return
    }
    var writer = FrameWriter()
    let toAuthor = writer.frame(diff, for: Self.owner, isAuthor: true)
    let toOthers = writer.frame(diff, for: Self.owner, isAuthor: false)
    #expect(try decode(writer, toAuthor) == .diff(diff))
    diff.minted = []
    #expect(try decode(writer, toOthers) == .diff(diff))
  }

  @Test func `a face received with a hidden item is dropped`() throws {
    let attribute = WireTree.delimited(4, WireTree.delimited(1, [0x61]) + [0x10, 0x02])
    for fields in [[0x18, 0x01] + attribute, attribute + [0x18, 0x01]] {
      let message = try ServerMessage(decoding: WireTree.delimited(2, WireTree.delimited(4, fields)))
      guard case .snapshot(let part) = message else {
        Issue.record("no snapshot")
        return
      }
      #expect(part.items == [Item(id: .none, collection: CollectionHandle(rawValue: 0), visibility: .nobody)])
    }
  }

  private func decode(_ writer: borrowing FrameWriter, _ range: Range<Int>) throws -> ServerMessage {
    let frame = writer.withUnsafeBytes { Array($0[range]) }
    let payload = try #require(try FrameReader().next(in: frame))
    return try ServerMessage(decoding: Array(frame[payload]))
  }
}
