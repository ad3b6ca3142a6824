import BaizeTable
import BaizeWire
import Testing

/// Every limit admits its value and refuses one more.
@Suite struct LimitTests {
  @Test func `every new item of an operation has a provisional id`() {
    #expect(TableLimits.itemsPerOperationMax <= ItemID.provisionalNumbersMax)
  }

  @Test func `too many items in an operation are left to the table`() throws {
    let count = TableLimits.itemsPerOperationMax + 1
    let many = ItemList((1...UInt64(count)).map { ItemID(rawValue: $0) })
    for kind in [
      .move(many, to: .end(of: CollectionHandle(rawValue: 1))),
      .remove(many), .perform(action: "flip", items: many, nil),
      .insert([NewItem](repeating: NewItem(), count: count), .end(of: CollectionHandle(rawValue: 1))),
    ] as [TableOperation.Kind] {
      let message = operation(kind)
      #expect(try ClientMessage(decoding: message.encoded()) == message)
    }
  }

  @Test func `of many more items one more than allowed is read`() throws {
    func kinds(_ count: Int) -> [TableOperation.Kind] {
      let items = ItemList(Array(repeating: ItemID(rawValue: 1), count: count))
      let newItems = [NewItem](repeating: NewItem(), count: count)
      return [.remove(items), .insert(newItems, .end(of: CollectionHandle(rawValue: 1)))]
    }
    let most = TableLimits.itemsPerOperationMax
    for (sent, read) in zip(kinds(3 * most), kinds(most + 1)) {
      #expect(try ClientMessage(decoding: operation(sent).encoded()) == operation(read))
    }
  }

  @Test(arguments: [1, TableLimits.itemsPerOperationMax])
  func `new items with as much content as is allowed fit into a frame`(count: Int) {
    let bytes = TableLimits.operationFaceBytesMax / count - TableLimits.itemContentBytes - TableLimits.partContentBytes
    let item = NewItem(representations: [Representation(contentType: "", data: [UInt8](repeating: 1, count: bytes))])
    let insertion = TableOperation(
      sequence: SequenceNumber(rawValue: .max), base: Revision(rawValue: .max), epoch: Epoch(rawValue: .max),
      unanswered: .max,
      kind: .insert(
        [NewItem](repeating: item, count: count), .before(ItemID(rawValue: .max), in: CollectionHandle(rawValue: .max)))
    )
    #expect(ClientMessage.operation(insertion).encoded().count <= WireLimits.frameBytesMax)
  }

  @Test func `a drag is cut at the limit`() throws {
    let many = ItemList((1...UInt64(WireLimits.dragItemsMax + 1)).map { ItemID(rawValue: $0) })
    let drag = Drag(phase: .began, items: many)
    let cut = Drag(phase: .began, items: ItemList(many.dropLast()))
    #expect(try ClientMessage(decoding: ClientMessage.drag(drag).encoded()) == .drag(cut))
    #expect(try ServerMessage(decoding: ServerMessage.drag(drag).encoded()) == .drag(drag))
  }

  @Test func `attributes and representations of an item`() throws {
    let attributes = (0...WireLimits.itemAttributesMax).map { Attribute("a\($0)", Int64($0)) }
    let representations = (0...WireLimits.itemRepresentationsMax).map {
      Representation(contentType: "t\($0)", data: [])
    }
    let destination = Destination.end(of: CollectionHandle(rawValue: 1))
    expect(.tooManyAttributes) { extra in
      operation(.insert([NewItem(), NewItem(attributes: attributes.dropLast(1 - extra))], destination))
    }
    expect(.tooManyRepresentations) { extra in
      operation(.insert([NewItem(representations: representations.dropLast(1 - extra))], destination))
    }
    expect(.tooManyAttributes) { extra in
      operation(.update(.none, attributes: attributes.dropLast(1 - extra), representations: []))
    }
    expect(.tooManyRepresentations) { extra in
      operation(.update(.none, attributes: [], representations: representations.dropLast(1 - extra)))
    }
  }

  @Test func `a text beyond its limit is refused with the limit's error`() throws {
    func update(_ attribute: Attribute) -> ClientMessage {
      operation(.update(.none, attributes: [attribute], representations: []))
    }
    expect(.textTooLong) { update(Attribute(text(WireLimits.attributeNameBytesMax + $0), 1)) }
    expect(.textTooLong) { update(Attribute("a", text(WireLimits.attributeTextBytesMax + $0))) }
    expect(.textTooLong) { extra in
      let representation = Representation(contentType: text(WireLimits.contentTypeBytesMax + extra), data: [])
      return operation(.update(.none, attributes: [], representations: [representation]))
    }
    expect(.textTooLong) {
      operation(.perform(action: text(WireLimits.actionBytesMax + $0), items: ItemList(), nil))
    }
    expect(.tableTooLong) { .hello(Hello(table: text(WireLimits.tableBytesMax + $0))) }
    expect(.textTooLong) { .hello(Hello(table: "t", tableType: text(WireLimits.tableTypeBytesMax + $0))) }
    expect(.nameTooLong) { .hello(Hello(table: "t", name: text(WireLimits.nameBytesMax + $0))) }
    expect(.textTooLong) { .hello(Hello(table: "t", invite: text(WireLimits.inviteBytesMax + $0))) }
    expect(.textTooLong) {
      .hello(Hello(table: "t", resumeToken: [UInt8](repeating: 1, count: WireLimits.resumeTokenBytesMax + $0)))
    }
    expect(.textTooLong) { .snapshotRequest(why: text(WireLimits.detailBytesMax + $0)) }
    expect(.textTooLong) { .goodbye(Goodbye(GoodbyeReason(rawValue: text(WireLimits.reasonBytesMax + $0)))) }
    expect(.textTooLong) { .goodbye(Goodbye(.leaving, detail: text(WireLimits.detailBytesMax + $0))) }
    expect(.textTooLong) { .goodbye(Goodbye(.leaving, redirect: text(WireLimits.redirectBytesMax + $0))) }
  }

  @Test func `a formation is a short text`() throws {
    func drag(_ length: Int) -> [UInt8] {
      WireTree.delimited(3, WireTree.delimited(5, [UInt8](repeating: 0x61, count: length)))
    }
    #expect(try ClientMessage(decoding: drag(WireLimits.formationBytesMax)) == .drag(Drag(phase: .began)))
    #expect(throws: DecodeError.textTooLong) { try ClientMessage(decoding: drag(WireLimits.formationBytesMax + 1)) }
  }

  @Test func `messages of the daemon are limited by their frames only`() throws {
    let face = Face(
      attributes: (0..<100).map { Attribute("a\($0)", text(20_000)) },
      representations: (0..<20).map { Representation(contentType: text(200 + $0), data: []) })
    let part = SnapshotPart(
      epoch: Epoch(rawValue: 1), revision: .zero,
      items: [Item(id: ItemID(rawValue: 1), collection: CollectionHandle(rawValue: 1), face: face)])
    #expect(try ServerMessage(decoding: ServerMessage.snapshot(part).encoded()) == .snapshot(part))
    let goodbye = ServerMessage.goodbye(Goodbye(.slow, detail: text(5_000)))
    #expect(try ServerMessage(decoding: goodbye.encoded()) == goodbye)
  }

  @Test func `every error has a reason for the peer`() {
    for error in DecodeError.allCases {
      let expected: GoodbyeReason =
        switch error {
        case .frameTooLarge: .frameTooLarge
        case .tableTooLong: .badTableID
        case .nameTooLong: .badName
        default: .malformed
        }
      #expect(error.goodbyeReason == expected)
      #expect(!error.description.isEmpty)
    }
  }

  private func text(_ length: Int) -> String { String(repeating: "x", count: length) }

  private func operation(_ kind: TableOperation.Kind) -> ClientMessage {
    .operation(TableOperation(sequence: .zero, base: .zero, epoch: Epoch(rawValue: 0), kind: kind))
  }

  /// `message(0)` is within the limit, `message(1)` beyond it.
  private func expect(_ error: DecodeError, _ message: (Int) -> ClientMessage) {
    #expect((try? ClientMessage(decoding: message(0).encoded())) == message(0))
    #expect(throws: error) { try ClientMessage(decoding: message(1).encoded()) }
  }
}
