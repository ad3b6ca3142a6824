import BaizeTable

/// One of the heaviest operations that the limits allow, or one just beyond them.
struct HeavyOperation {
  typealias Kind = TableOperation.Kind

  let name: String
  /// Whether the limits refuse it.
  let isRefused: Bool
  /// Whether its base is the revision before the preparation.
  let isBehind: Bool
  let kind: (HeavyTable) -> Kind
  /// Prepares the table.
  let before: (inout HeavyTable) throws -> Void
  /// Brings the table back to its size and order of magnitude.
  let after: (inout HeavyTable) throws -> Void

  init(
    _ name: String, isRefused: Bool = false, isBehind: Bool = false, _ kind: @escaping (HeavyTable) -> Kind,
    before: @escaping (inout HeavyTable) throws -> Void = { _ in },
    after: @escaping (inout HeavyTable) throws -> Void = { _ in }
  ) {
    (self.name, self.isRefused, self.isBehind, self.kind) = (name, isRefused, isBehind, kind)
    (self.before, self.after) = (before, after)
  }

  static var all: [HeavyOperation] { moves + contents + actions + undos + refusals }

  private static var moves: [HeavyOperation] {
    [
      HeavyOperation("reorder 500 items from all over the list", reorder),
      HeavyOperation(
        "the same on a base 1,023 diffs behind", isBehind: true,
        { table in table.anchor.map { .move(table.spread, to: .before($0, in: HeavyTable.list)) } ?? .unknown },
        before: { try $0.moveAnchor() }),
      HeavyOperation(
        "reorder 500 items from as many collections",
        { table in move(ItemList(HeavyTable.columns.flatMap { table.state.itemIDs(in: $0) })) },
        after: { table in
          for (item, column) in zip(table.last(500), HeavyTable.columns) { try table.perform(move([item], to: column)) }
        }),
      HeavyOperation(
        "drop 500 items on a collection with rules", { move($0.spread, to: HeavyTable.ruled) },
        after: { try $0.perform(move(ItemList($0.state.itemIDs(in: HeavyTable.ruled)))) }),
      HeavyOperation(
        "drop 500 items that a step deals on", { move($0.spread, to: HeavyTable.chute) }, after: returnDeck),
    ]
  }

  private static var contents: [HeavyOperation] {
    let (most, bytesMax) = (HeavyTable.most, HeavyTable.bytesMax)
    func removeLast(_ count: Int) -> (inout HeavyTable) throws -> Void {
      { try $0.perform(.remove($0.last(count))) }
    }
    return [
      HeavyOperation("copy 500 items", copy, after: removeLast(most)),
      HeavyOperation(
        "copy 500 items with 256 KiB", { copy($0.last(most)) },
        before: { try $0.perform(insert(most, bytes: bytesMax)) }, after: removeLast(most)),
      HeavyOperation(
        "copy an item with 256 KiB", { copy($0.last(1)) }, before: { try $0.perform(insert(1, bytes: bytesMax)) },
        after: removeLast(2)),
      HeavyOperation("insert 500 items", { _ in insert(most) }, after: removeLast(most)),
      HeavyOperation("insert 500 items with 256 KiB", { _ in insert(most, bytes: bytesMax) }, after: removeLast(most)),
      HeavyOperation("insert an item with 256 KiB", { _ in insert(1, bytes: bytesMax) }, after: removeLast(1)),
      HeavyOperation(
        "update an item with 256 KiB",
        { update($0, HeavyTable.items(1, bytes: bytesMax)[0].face.representations) },
        after: { try $0.perform(update($0, [Representation(contentType: "text/plain", data: [1])])) }),
      HeavyOperation("remove 500 items", remove, after: { try $0.perform(insert(most)) }),
      HeavyOperation(
        "remove 15 items with 256 KiB each", { .remove($0.last(15)) },
        before: { table in for _ in 0..<15 { try table.perform(insert(1, bytes: bytesMax)) } }),
    ]
  }

  private static var actions: [HeavyOperation] {
    func perform(_ action: String) -> (HeavyTable) -> Kind { { _ in .perform(action: action, items: [], nil) } }
    return [
      HeavyOperation(
        "pin 500 items", { .perform(action: "pin", items: $0.spread, nil) },
        after: { try $0.perform(.perform(action: "unpin", items: $0.spread, nil)) }),
      HeavyOperation("deal 500 items", perform("draw"), after: returnDeck),
      HeavyOperation(
        "shuffle 500 items", perform("shuffle"), before: { try $0.perform(perform("draw")($0)) }, after: returnDeck),
    ]
  }

  private static var undos: [HeavyOperation] {
    func undo(_ table: HeavyTable) -> Kind { .undo(table.lastSequence) }
    return [
      HeavyOperation("undo the reorder of 500 items", undo, before: { try $0.perform(reorder($0)) }),
      HeavyOperation(
        "the same when others have moved 3,900 items since", undo,
        before: { table in
          try table.perform(reorder(table))
          try table.moveOthers()
        }),
      HeavyOperation("undo the removal of 500 items", undo, before: { try $0.perform(remove($0)) }),
      HeavyOperation("undo the copy of 500 items", undo, before: { try $0.perform(copy($0)) }),
    ]
  }

  private static var refusals: [HeavyOperation] {
    [
      HeavyOperation(
        "name 500 unknown items, with a full history", isRefused: true, isBehind: true,
        { _ in .remove(ItemList((0..<UInt64(HeavyTable.most)).map { ItemID(rawValue: 1 << 40 + $0) })) },
        before: { table in
          // Two orders of the same items, so that each time all of them move.
          let items = table.spread
          for number in 0..<TableLimits.historyTakeOutsMax / HeavyTable.most {
            try table.perform(move(number.isMultiple(of: 2) ? items : ItemList(items.reversed())))
          }
        }),
      HeavyOperation(
        "name 262,000 items", isRefused: true,
        { _ in .remove(ItemList(Array(repeating: ItemID(rawValue: 1), count: HeavyTable.bytesMax - 100))) }),
      HeavyOperation(
        "insert 131,000 items", isRefused: true,
        { _ in
          .insert(Array(repeating: NewItem(), count: HeavyTable.bytesMax / 2 - 50), .end(of: HeavyTable.list))
        }),
    ]
  }

  // MARK: Kinds

  private static func move(_ items: ItemList, to collection: CollectionHandle = HeavyTable.list) -> Kind {
    .move(items, to: .end(of: collection))
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
