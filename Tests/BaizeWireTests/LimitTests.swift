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
    expectDefect(.attributes) { extra in
      .insert([NewItem(), NewItem(attributes: attributes.dropLast(1 - extra))], destination)
    }
    expectDefect(.representations) { extra in
      .insert([NewItem(representations: representations.dropLast(1 - extra))], destination)
    }
    expectDefect(.attributes) { .update(.none, attributes: attributes.dropLast(1 - $0), representations: []) }
    expectDefect(.representations) {
      .update(.none, attributes: [], representations: representations.dropLast(1 - $0))
    }
  }

  @Test func `I12: a text of an operation beyond its limit is the operation's defect`() throws {
    func update(_ attribute: Attribute) -> TableOperation.Kind {
      .update(.none, attributes: [attribute], representations: [])
    }
    expectDefect(.attributeName) { update(Attribute(text(WireLimits.attributeNameBytesMax + $0), 1)) }
    expectDefect(.attributeText) { update(Attribute("a", text(WireLimits.attributeTextBytesMax + $0))) }
    expectDefect(.contentType) { extra in
      let representation = Representation(contentType: text(WireLimits.contentTypeBytesMax + extra), data: [])
      return .insert([NewItem(representations: [representation])], .end(of: CollectionHandle(rawValue: 1)))
    }
    expectDefect(.action) { .perform(action: text(WireLimits.actionBytesMax + $0), items: ItemList(), nil) }
  }

  @Test func `I12: every defect has a reason and a detail, and what is left of its operation is legal`() throws {
    let name = text(WireLimits.attributeNameBytesMax + 1)
    let kind = TableOperation.Kind.update(
      ItemID(rawValue: 3), attributes: [Attribute("a", 1), Attribute(name, 2), Attribute("b", 3)], representations: [])
    guard case .operation(let read) = try ClientMessage(decoding: operation(kind).encoded()),
      case .invalid(let defect, of: let rest) = read.kind
    else {
      Issue.record("not invalid")
      return
    }
    #expect(defect == kind.defect && rest.defect == nil)
    #expect(
      rest
        == .update(
          ItemID(rawValue: 3), attributes: [Attribute("a", 1), Attribute("", 2), Attribute("b", 3)],
          representations: []))
    for part in OperationDefect.Part.allCases {
      #expect(OperationDefect(part, part.countMax) == nil)
      let refusal = OperationDefect(part, part.countMax + 1)?.refusal
      #expect(refusal?.detail.isEmpty == false, "\(part)")
    }
  }

  @Test func `a text of a hello beyond its limit is an error with the limit's reason`() throws {
    func hello(_ field: Hello.Field, _ length: Int) -> Hello {
      switch field {
      case .table: Hello(table: text(length))
      case .tableType: Hello(table: "t", tableType: text(length))
      case .name: Hello(table: "t", name: text(length))
      case .invite: Hello(table: "t", invite: text(length))
      case .credential: Hello(table: "t", credential: [UInt8](repeating: 1, count: length))
      case .sessionName: Hello(table: "t", sessionName: [UInt8](repeating: 1, count: length))
      case .ticket: Hello(table: "t", ticket: [UInt8](repeating: 1, count: length))
      case .signedToken: Hello(table: "t", signedToken: text(length))
      }
    }
    for field in Hello.Field.allCases {
      expect(field.excess) { .hello(hello(field, field.bytesMax + $0)) }
      #expect(hello(field, field.bytesMax).overlongField == nil)
      #expect(hello(field, field.bytesMax + 1).overlongField == field)
      #expect(!field.reason.isResumable)
    }
  }

  @Test func `texts for people beyond their limits are left out`() throws {
    func read(_ message: ClientMessage) throws -> ClientMessage { try ClientMessage(decoding: message.encoded()) }
    let long = text(WireLimits.detailBytesMax + 1)
    #expect(try read(.snapshotRequest(why: String(long.dropLast()))) == .snapshotRequest(why: String(long.dropLast())))
    #expect(try read(.snapshotRequest(why: long)) == .snapshotRequest(why: ""))
    let goodbye = Goodbye(GoodbyeReason(rawValue: long), detail: long, isResumable: true, redirect: long)
    let short = Goodbye(GoodbyeReason(rawValue: ""), isResumable: true)
    #expect(try read(.goodbye(goodbye)) == .goodbye(short))
    #expect(throws: DecodeError.invalidUTF8) {
      try ClientMessage(
        decoding: WireTree.delimited(5, WireTree.delimited(1, [UInt8](repeating: 0xFF, count: long.utf8.count))))
    }
    let formation = WireTree.delimited(3, WireTree.delimited(5, Array(long.utf8)))
    #expect(try ClientMessage(decoding: formation) == .drag(Drag(phase: .began)))
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
        case .tableTypeTooLong: .unknownType
        case .nameTooLong: .badName
        case .inviteTooLong: .inviteInvalid
        case .credentialTooLong, .sessionNameTooLong, .ticketTooLong: .badCredential
        case .signedTokenTooLong: .tokenRefused
        case .truncated, .varintTooLong, .badFieldNumber, .badWireType, .invalidUTF8, .numberTooLarge, .unknownValue,
          .unknownChange, .answeredInHTTP, .answeredInTLS:
          .malformed
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

  /// `kind(0)` is within the limit, `kind(1)` beyond it: for the author, and for the daemon that reads it.
  private func expectDefect(_ part: OperationDefect.Part, _ kind: (Int) -> TableOperation.Kind) {
    #expect(kind(0).defect == nil && kind(1).defect?.part == part)
    #expect((try? ClientMessage(decoding: operation(kind(0)).encoded())) == operation(kind(0)))
    guard case .operation(let read)? = try? ClientMessage(decoding: operation(kind(1)).encoded()),
      case .invalid(let defect, of: _) = read.kind
    else {
      Issue.record("\(part) is accepted")
      return
    }
    #expect(defect == kind(1).defect)
  }
}
