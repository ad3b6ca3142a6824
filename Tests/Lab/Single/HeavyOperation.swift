import BaizeTable

/// One of the heaviest operations that the limits allow, or one just beyond them.
struct HeavyOperation {
  typealias Kind = TableOperation.Kind

  let name: String
  /// Whether the limits refuse it.
  var isRefused = false
  /// Whether its base is the revision before the preparation, or the one that this says.
  var isBehind = false
  let kind: (HeavyTable) -> Kind
  /// Prepares the table.
  var before: (inout HeavyTable) throws -> Void = { _ in }
  /// Brings the table back to its size and order of magnitude.
  var after: (inout HeavyTable) throws -> Void = { _ in }

  static var all: [HeavyOperation] { moves + contents + actions + undos + refusals }

  private static var moves: [HeavyOperation] {
    [
      Self(name: "reorder 500 items from all over the list", kind: reorder),
      Self(
        name: "the same on a base 1,023 diffs behind", isBehind: true,
        kind: { table in
          table.anchor.map { .move(table.spread, to: .before($0, in: HeavyTable.list), suggested: .move) } ?? .unknown
        },
        before: { try $0.moveAnchor() }),
      Self(
        name: "drop into a gap with 500 positions inside one another's runs", isBehind: true,
        kind: { table in
          .move(table.last(1), to: table.anchor.map { .before($0, in: HeavyTable.list) } ?? .end(of: HeavyTable.list))
        },
        before: { try $0.nestRuns() }, after: { try $0.removeRuns() }),
      Self(
        name: "reorder 500 items from as many collections",
        kind: { table in move(ItemList(HeavyTable.columns.flatMap { table.state.itemIDs(in: $0) })) },
        after: { table in
          for (item, column) in zip(table.last(500), HeavyTable.columns) { try table.perform(move([item], to: column)) }
        }),
      Self(
        name: "drop 500 items on a collection with rules", kind: { move($0.spread, to: HeavyTable.ruled) },
        after: { try $0.perform(move(ItemList($0.state.itemIDs(in: HeavyTable.ruled)))) }),
      Self(
        name: "drop 500 items that a step deals on", kind: { move($0.spread, to: HeavyTable.chute) }, after: returnDeck),
    ]
  }

  private static var contents: [HeavyOperation] {
    let (most, bytesMax) = (HeavyTable.most, HeavyTable.bytesMax)
    func removeLast(_ count: Int) -> (inout HeavyTable) throws -> Void {
      { try $0.perform(.remove($0.last(count))) }
    }
    return [
      Self(name: "copy 500 items", kind: copy, after: removeLast(most)),
      Self(
        name: "copy 500 items with 256 KiB", kind: { copy($0.last(most)) },
        before: { try $0.perform(insert(most, bytes: bytesMax)) }, after: removeLast(most)),
      Self(
        name: "copy an item with 256 KiB", kind: { copy($0.last(1)) },
        before: { try $0.perform(insert(1, bytes: bytesMax)) },
        after: removeLast(2)),
      Self(name: "insert 500 items", kind: { _ in insert(most) }, after: removeLast(most)),
      Self(
        name: "insert 500 items with 256 KiB", kind: { _ in insert(most, bytes: bytesMax) }, after: removeLast(most)),
      Self(name: "insert an item with 256 KiB", kind: { _ in insert(1, bytes: bytesMax) }, after: removeLast(1)),
      Self(
        name: "update an item with 256 KiB",
        kind: { update($0, HeavyTable.items(1, bytes: bytesMax)[0].face.representations) },
        after: { try $0.perform(update($0, [Representation(contentType: "text/plain", data: [1])])) }),
      Self(name: "remove 500 items", kind: remove, after: { try $0.perform(insert(most)) }),
      Self(
        name: "remove 15 items with 256 KiB each", kind: { .remove($0.last(15)) },
        before: { table in for _ in 0..<15 { try table.perform(insert(1, bytes: bytesMax)) } }),
    ]
  }

  private static var actions: [HeavyOperation] {
    func perform(_ action: String) -> (HeavyTable) -> Kind { { _ in .perform(action: action, items: [], nil) } }
    return [
      Self(
        name: "pin 500 items", kind: { .perform(action: "pin", items: $0.spread, nil) },
        after: { try $0.perform(.perform(action: "unpin", items: $0.spread, nil)) }),
      Self(name: "deal 500 items", kind: perform("draw"), after: returnDeck),
      Self(
        name: "shuffle 500 items", kind: perform("shuffle"), before: { try $0.perform(perform("draw")($0)) },
        after: returnDeck),
    ]
  }

  private static var undos: [HeavyOperation] {
    func undo(_ table: HeavyTable) -> Kind { .undo(table.lastSequence) }
    return [
      Self(name: "undo the reorder of 500 items", kind: undo, before: { try $0.perform(reorder($0)) }),
      Self(
        name: "the same when others have moved 3,900 items since", kind: undo,
        before: { table in
          try table.perform(reorder(table))
          try table.moveOthers()
        }),
      Self(name: "undo the removal of 500 items", kind: undo, before: { try $0.perform(remove($0)) }),
      Self(name: "undo the copy of 500 items", kind: undo, before: { try $0.perform(copy($0)) }),
    ]
  }

  private static var refusals: [HeavyOperation] {
    [
      Self(
        name: "name 500 unknown items, with a full history", isRefused: true, isBehind: true,
        kind: { _ in .remove(ItemList((0..<UInt64(HeavyTable.most)).map { ItemID(rawValue: 1 << 40 + $0) })) },
        before: { table in
          // Two orders of the same items, so that each time all of them move.
          let items = table.spread
          for number in 0..<TableLimits.historyTakeOutsMax / HeavyTable.most {
            try table.perform(move(number.isMultiple(of: 2) ? items : ItemList(items.reversed())))
          }
        }),
      Self(
        name: "name 262,000 items", isRefused: true,
        kind: { _ in .remove(ItemList(Array(repeating: ItemID(rawValue: 1), count: HeavyTable.bytesMax - 100))) }),
      Self(
        name: "insert 131,000 items", isRefused: true,
        kind: { _ in
          .insert(Array(repeating: NewItem(), count: HeavyTable.bytesMax / 2 - 50), .end(of: HeavyTable.list))
        }),
    ]
  }

  // MARK: Kinds

  private static func move(_ items: ItemList, to collection: CollectionHandle = HeavyTable.list) -> Kind {
    .move(items, to: .end(of: collection), suggested: .move)
  }

  private static func copy(_ items: ItemList) -> Kind {
    .move(items, to: .end(of: HeavyTable.list), suggested: .copy)
  }

  private static func insert(_ count: Int, bytes: Int = 0) -> Kind {
    .insert(HeavyTable.items(count, bytes: bytes), .end(of: HeavyTable.list))
  }

  private static func update(_ table: HeavyTable, _ representations: [Representation]) -> Kind {
    .update(table.last(1)[0], attributes: [], representations: representations)
  }

  private static func reorder(_ table: HeavyTable) -> Kind { move(table.spread) }
  private static func copy(_ table: HeavyTable) -> Kind { copy(table.spread) }
  private static func remove(_ table: HeavyTable) -> Kind { .remove(table.spread) }

  private static func returnDeck(_ table: inout HeavyTable) throws {
    try table.perform(.perform(action: "return", items: [], nil))
  }
}
