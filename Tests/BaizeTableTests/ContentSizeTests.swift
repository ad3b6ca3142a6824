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
    "hide": [{ _, a, b in .move([a, b], to: .end(of: down)) }],
    "deal": [
      { _, a, _ in .move([a], to: .end(of: down)) }, { _, _, b in .move([b], to: .end(of: down)) },
      { _, _, _ in .perform(action: "draw", items: [], nil) },
    ],
    "shuffle": [{ _, _, _ in .perform(action: "shuffle", items: [], nil) }],
    // One is turned up, and the item on top of the other leaves.
    "expose": [
      { _, a, _ in .move([a], to: .end(of: down)) },
      { state, _, _ in .move([state.lastItem(in: down) ?? .none], to: .end(of: pile)) },
      { state, _, _ in .move([state.firstItem(in: list) ?? .none], to: .end(of: pile)) },
      { _, _, b in .move([b], to: .end(of: down)) },
      { state, _, _ in .move([down, pile].compactMap { state.lastItem(in: $0) }, to: .end(of: list)) },
    ],
  ]

  @Test(arguments: showing.keys.sorted()) func `an operation shows so many bytes and no more`(name: String) throws {
    // A few small items may be shown besides.
    for (bytes, last) in [
      (Self.bytesMax / 2 - 4_096, "accepted"), (Self.bytesMax / 2 + 1, "refused:TOO_MANY_ITEMS"),
    ] {
      var bench = Bench(Types.playground())
      for _ in 1...2 { bench.judge(.insert([Self.item(bytes)], .end(of: Self.list))) }
      let items = bench.state.itemIDs(in: Self.list).suffix(2)
      let (a, b) = (try #require(items.first), try #require(items.last))
      let summaries = Self.showing[name, default: []].map { step in
        bench.judge(step(bench.state, a, b)).summary
      }
      #expect(summaries == summaries.dropLast().map { _ in "accepted" } + [last])
    }
  }

  @Test func `an operation makes so many bytes and no more`() {
    for (extra, expected) in [(0, "accepted"), (1, "refused:TOO_MANY_ITEMS")] {
      for count in [1, 2, TableLimits.itemsPerOperationMax] {
        var bench = Bench(Types.playground())
        let items = (0..<count).map { Self.item(Self.bytesMax / count + ($0 == 0 ? Self.bytesMax % count + extra : 0)) }
        #expect(bench.judge(.insert(items, .end(of: Self.list))).summary == expected)
      }
      var bench = Bench(Types.playground())
      let item = bench.state.itemIDs(in: Self.list)[0]
      let attributes = (bench.state.face(of: item)?.attributes ?? []).map { Attribute(name: $0.name, value: nil) }
      let face = Self.item(Self.bytesMax + extra).face
      let update = TableOperation.Kind.update(item, attributes: attributes, representations: face.representations)
      #expect(bench.judge(update).summary == expected)
    }
  }

  @Test func `an operation moves items of any size, and removes so many bytes and no more`() {
    var bench = Bench(Types.playground())
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
