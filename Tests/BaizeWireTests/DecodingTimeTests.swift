import BaizeTable
import BaizeWire
import TestSupport
import Testing

/// I8, I11: decoding takes a time in proportion to the bytes, whatever they are: it comes before any check, and from spectators,
/// too.
@Suite(.serialized) struct DecodingTimeTests {
  /// Eight times as many may take twice that: what grows with the square takes 64 times as long.
  private static let (few, many, ratioMax) = (500, 4_000, 16.0)

  enum Message: CaseIterable {
    case insertion, update, snapshot, hello

    /// Encodes a message with so many attributes of one item, or so many occurrences of a hello.
    func encoded(_ count: Int) -> [UInt8] {
      let attributes = (0..<count).map { Attribute("a\(100_000 + $0)", Int64($0)) }
      switch self {
      case .insertion: return operation(.insert([NewItem(attributes: attributes)], .end(of: Self.list)))
      case .update: return operation(.update(ItemID(rawValue: 1), attributes: attributes, representations: []))
      case .snapshot:
        var part = SnapshotPart(epoch: Epoch(rawValue: 1), revision: Revision(rawValue: 1))
        part.items = [Item(id: ItemID(rawValue: 1), collection: Self.list, face: Face(attributes: attributes))]
        return ServerMessage.snapshot(part).encoded()
      case .hello:
        let hello = ClientMessage.hello(Hello(table: "t", name: "Ada")).encoded()
        return (0..<count).flatMap { _ in hello }
      }
    }

    func decode(_ bytes: [UInt8]) throws {
      switch self {
      case .insertion, .update, .hello: _ = try ClientMessage(decoding: bytes)
      case .snapshot: _ = try ServerMessage(decoding: bytes)
      }
    }

    private static let list = CollectionHandle(rawValue: 1)

    private func operation(_ kind: TableOperation.Kind) -> [UInt8] {
      ClientMessage.operation(
        TableOperation(
          sequence: SequenceNumber(rawValue: 1), base: Revision(rawValue: 1), epoch: Epoch(rawValue: 1), kind: kind)
      ).encoded()
    }
  }

  @Test(arguments: Message.allCases)
  func `the time to decode is in proportion to the number of attributes or fields`(message: Message) throws {
    let (few, many) = (message.encoded(Self.few), message.encoded(Self.many))
    let ratio = try Proportion.least(notAbove: Self.ratioMax) {
      try Proportion.nanoseconds { try message.decode(few) }
    } _: {
      try Proportion.nanoseconds { try message.decode(many) }
    }
    #expect(ratio <= Self.ratioMax, "\(message)")
  }
}
