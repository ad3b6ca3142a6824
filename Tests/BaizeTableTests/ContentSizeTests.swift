import Testing

@testable import BaizeTable

/// The bound on the size of the items that one operation makes or shows (I8, I11).
@Suite struct ContentSizeTests {
  private static let bytesMax = TableLimits.operationFaceBytesMax
  private static let (list, down, pile) = (Types.handle(0), Types.handle(1), Types.handle(2))

  private typealias Step = @Sendable (_ state: TableState, _ a: ItemID, _ b: ItemID) -> TableOperation.Kind

  /// Operations that show two items `a` and `b`, which are at the end of the list: each after those that prepare it.
  private static let showing: [String: [Step]] = [
    "copy": [{ _, a, b in .move([a, b], to: .end(of: list), suggested: .copy) }],
    "pin": [{ _, a, b in .perform(action: "pin", items: [a, b], nil) }],
    "undo": [{ _, a, b in .remove([a, b]) }, { _, _, _ in .undo(SequenceNumber(rawValue: 3)) }],
    "shuffle": [{ _, _, _ in .perform(action: "shuffle", items: [], nil) }],
  ]

  /// A text of 16 bytes has a block of some 64 bytes of its own.
  @Test func `I8: short texts that have a block of their own are charged for it`() throws {
    var bench = Bench(Types.playground(isOpen: true))
    let before = (content: bench.state.contentBytes, memory: bench.state.memoryBytes)
    let attributes = (10..<74).map { Attribute("name-of-an-att\($0)", String(repeating: "t", count: 16)) }
    bench.judge(.insert([NewItem(attributes: attributes)], .end(of: Self.list)))
    #expect(bench.state.contentBytes - before.content == TableLimits.itemContentBytes + 64 * (24 + 32))
    #expect(bench.state.memoryBytes - before.memory >= 64 * (40 + 2 * 64) * 2 / 3)
    let item = try #require(bench.state.itemIDs(in: Self.list).last)
    let changed = bench.state.changedBytes
    bench.judge(.remove([item]))
    #expect(bench.state.contentBytes == before.content && bench.state.changedBytes >= changed + 64 * 2 * (24 + 32))
    #expect(bench.state.brokenInvariant() == nil)
  }

  @Test(arguments: showing.keys.sorted()) func `an operation shows so many bytes and no more`(name: String) throws {
    // A few small items may be shown besides.
    for (bytes, last) in [
      (Self.bytesMax / 2 - 8_192, "accepted"), (Self.bytesMax / 2 + 1, "refused:TOO_MANY_ITEMS"),
    ] {
      var bench = Bench(Types.playground(isOpen: true))
      for _ in 1...2 { bench.judge(.insert([Self.item(bytes)], .end(of: Self.list))) }
      let items = bench.state.itemIDs(in: Self.list).suffix(2)
      let (a, b) = (try #require(items.first), try #require(items.last))
      let summaries = Self.showing[name, default: []].map { step in
        bench.judge(step(bench.state, a, b)).summary
      }
      #expect(summaries == summaries.dropLast().map { _ in "accepted" } + [last])
    }
  }

  /// L6: whatever their faces are, since a refusal must not tell the size of a hidden one.
  @Test(arguments: [nil, 17 << 10]) func `where faces may be hidden an operation shows so many items and no more`(
    faceBytes: Int?
  ) {
    let (list, most) = (Self.list, faceBytes == nil ? TableLimits.itemsPerOperationMax : 178)
    for (name, fits) in ["shuffle": most, "deal": most, "copy": most, "move": faceBytes == nil ? most : 89] {
      for count in [fits, fits + 1] {
        let any = LiftRule(offers: [.move, .copy, .delete])
        let type = TableType(
          name: "stock",
          collections: [CollectionRules(id: "list", kind: 1), CollectionRules(id: "stock", kind: 0)],
          kinds: [
            CollectionKind(name: "stock", faces: .down, lift: any, accept: AcceptRule()),
            CollectionKind(name: "list", lift: any, accept: AcceptRule(operations: [.move, .copy])),
          ],
          actions: [
            Action(name: "shuffle", cases: [.init(steps: [.shuffle(list)])], otherwise: Refusal(.forbidden)),
            Action(
              name: "deal", cases: [.init(steps: [.deal(from: list, to: Self.down, count: nil)])],
              otherwise: Refusal(.forbidden)),
          ],
          setUp: SetUp(decks: [Deck(contents: .numbered(count: count, attribute: "number"), deals: [.init(to: list)])]),
          faceBytes: faceBytes)
        var bench = Bench(type)
        let items = bench.state.itemIDs(in: list)
        let operation: TableOperation.Kind =
          switch name {
          case "move": .move(items, to: .end(of: Self.down))
          case "copy": .move(items, to: .end(of: list), suggested: .copy)
          case _: .perform(action: name, items: [], nil)
          }
        let expected = count == fits ? "accepted" : "refused:TOO_MANY_ITEMS"
        #expect(bench.judge(operation).summary == expected, "\(name) of \(count)")
      }
    }
  }

  @Test func `an operation makes so many bytes and no more`() {
    for (extra, expected) in [(0, "accepted"), (1, "refused:TOO_MANY_ITEMS")] {
      for count in [1, 2, TableLimits.itemsPerOperationMax] {
        var bench = Bench(Types.playground(isOpen: true))
        let items = (0..<count).map { Self.item(Self.bytesMax / count + ($0 == 0 ? Self.bytesMax % count + extra : 0)) }
        #expect(bench.judge(.insert(items, .end(of: Self.list))).summary == expected)
      }
      var bench = Bench(Types.playground(isOpen: true))
      let item = bench.state.itemIDs(in: Self.list)[0]
      let attributes = (bench.state.face(of: item)?.attributes ?? []).map { Attribute(name: $0.name, value: nil) }
      let face = Self.item(Self.bytesMax + extra).face
      let update = TableOperation.Kind.update(item, attributes: attributes, representations: face.representations)
      #expect(bench.judge(update).summary == expected)
    }
  }

  @Test func `an operation moves items of any size, and removes so many bytes and no more`() {
    var bench = Bench(Types.playground(isOpen: true))
    let count = TableLimits.removedFaceBytesMax / Self.bytesMax
    for _ in 0...count { bench.judge(.insert([Self.item(Self.bytesMax)], .end(of: Self.list))) }
    let items = bench.state.itemIDs(in: Self.list).suffix(count + 1)
    let first = bench.state.itemIDs(in: Self.list)[0]
    #expect(bench.judge(.move(items, to: .before(first, in: Self.list))).summary == "accepted")
    #expect(bench.judge(.remove(ItemList(items))).summary == "refused:TOO_MANY_ITEMS")
    #expect(bench.judge(.move(items, to: .end(of: Types.handle(4)))).summary == "refused:TOO_MANY_ITEMS")
    #expect(bench.judge(.remove(ItemList(items.dropLast()))).summary == "accepted")
  }

  /// Returns an item that counts as `bytes` bytes.
  private static func item(_ bytes: Int) -> NewItem {
    let count = bytes - TableLimits.itemContentBytes - TableLimits.partContentBytes
    return NewItem(representations: [Representation(contentType: "", data: [UInt8](repeating: 7, count: count))])
  }
}
