import BaizeDriver
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTableTypes

/// A table of a shard without sockets, at which an author and another act.
struct HeavyTable {
  private let shard: PlayedShard
  /// The author's last operation before those of the other.
  private(set) var lastSequence = SequenceNumber.zero
  /// The item that the other has moved, or before which the author drops.
  private(set) var anchor: ItemID?
  /// The base of an operation that has missed only a part of the preparation.
  private(set) var base: Revision?
  /// The items that ``nestRuns()`` has inserted.
  private var nested = ItemList()

  static let most = TableLimits.itemsPerOperationMax
  static let bytesMax = TableLimits.operationFaceBytesMax
  static let list = CollectionHandle(rawValue: 1)
  static let ruled = CollectionHandle(rawValue: 3)
  static let chute = CollectionHandle(rawValue: 4)
  static let columns = (0..<500).map { CollectionHandle(rawValue: 5 + $0) }

  init(items: Int) throws {
    let library = TableTypeLibrary().adding(try TableTypeDocument(parsing: Self.document))
    shard = try .measured(
      tables: 1, players: 3, type: "heavy?items=\(items)", types: CachedTableTypes(library))
  }

  var state: TableState { shard.state(at: 0) }

  // MARK: Operations

  /// Returns the author's next operation.
  func frame(of kind: TableOperation.Kind, base: Revision?) -> [UInt8] {
    shard.frame(of: kind, base: base ?? state.revision, by: 0)
  }

  /// Receives an operation of the author in a turn of its own.
  ///
  /// - Returns: Whether it was accepted.
  func receive(_ frame: [UInt8]) throws -> Bool {
    shard.receive(frame, from: 0)
    let isAccepted = shard.acceptedCount == 1
    try shard.endTurn()
    return isAccepted
  }

  /// Performs an operation that must be accepted.
  mutating func perform(_ kind: TableOperation.Kind, by author: Int = 0) throws {
    shard.submit(kind, by: author)
    guard shard.acceptedCount == 1 else { throw RunFailure("an operation was not accepted: \("\(kind)".prefix(200))") }
    try shard.endTurn()
    if author == 0 { lastSequence = shard.players[0].sequence }
  }

  /// Has the other move an item as often as the author may have missed.
  mutating func moveAnchor() throws {
    let first = state.items(in: Self.list, from: 0, limit: 5).map(\.id)
    for number in 1..<TableLimits.historyRevisionsMax {
      let next = first[number.isMultiple(of: 2) ? 4 : 2]
      try perform(.move([first[0]], to: .before(next, in: Self.list)), by: 1)
    }
    anchor = first[0]
  }

  /// Has the other make a run, and then, unseen by the author, inserts as many items inside it as are looked at in a gap, each
  /// a run of its own: alternately by a third and by the author itself.
  mutating func nestRuns() throws {
    let first = state.items(in: Self.list, from: 0, limit: 1)[0].id
    try perform(.insert(Self.items(2), .before(first, in: Self.list)), by: 1)
    let run = state.items(in: Self.list, from: 0, limit: 2).map(\.id)
    (anchor, base) = (run[1], state.revision)
    for number in 0..<Self.most - 2 {
      try perform(.insert(Self.items(1), .before(run[1], in: Self.list)), by: number.isMultiple(of: 2) ? 0 : 2)
    }
    nested = ItemList(state.items(in: Self.list, from: 0, limit: Self.most).map(\.id))
  }

  mutating func removeRuns() throws {
    try perform(.remove(nested))
    base = nil
  }

  /// Has the other move as many items as may be moved before an operation can no longer be undone.
  mutating func moveOthers() throws {
    for _ in 0..<TableLimits.undoTakeOutsMax / Self.most {
      let items = ItemList(state.items(in: Self.list, from: 0, limit: Self.most).reversed().map(\.id))
      try perform(.move(items, to: .before(items[0], in: Self.list)), by: 1)
    }
  }

  // MARK: Items

  /// As many items as an operation may name, from all over the list.
  var spread: ItemList {
    let count = state.count(in: Self.list)
    let step = max(1, count / Self.most)
    return ItemList(
      (0..<min(Self.most, count)).map { state.items(in: Self.list, from: $0 * step + step / 2, limit: 1)[0].id })
  }

  /// The last items of the list.
  func last(_ count: Int) -> ItemList {
    ItemList(state.items(in: Self.list, from: state.count(in: Self.list) - count, limit: count).map(\.id))
  }

  /// - Parameter bytes: The size of the items' contents together; 0 for items without a representation.
  static func items(_ count: Int, bytes: Int = 0) -> [NewItem] {
    (0..<count).map { number in
      var face = Face(attributes: [Attribute("number", Int64(number))])
      guard bytes > 0 else { return NewItem(face: face) }
      let others = TableLimits.itemContentBytes + TableLimits.partContentBytes + face.contentBytes + 10
      face.representations = [
        Representation(contentType: "text/plain", data: [UInt8](repeating: 65, count: bytes / count - others))
      ]
      return NewItem(face: face)
    }
  }

  /// A list, a deck, and a collection where every item is judged by rules and then dealt on.
  private static let document = """
    {
      "baize": 1, "name": "heavy", "seats": { "max": 4 }, "contention": "last",
      "options": { "items": { "type": "integer", "min": 10000, "max": 1000000, "default": 10000 } },
      "collections": [
        {
          "kind": "list", "updates": true, "lift": { "offers": ["move", "copy", "delete"] },
          "accept": { "operations": ["move", "copy"], "inserts": true }
        },
        { "kind": "deck" },
        {
          "kind": "ruled",
          "accept": {
            "each": [
              { "require": { "less": [-1, { "item": "number" }] }, "else": "NEGATIVE" },
              { "require": { "less": [{ "count": "destination" }, { "sum": [{ "item": "number" }, 1000000] }] }, "else": "LARGE" },
              { "require": { "not": { "equal": [{ "item": "number" }, "none"] } }, "else": "NONE" }
            ],
            "pairs": [{ "require": { "unequal": [{ "item": "number" }, { "below": "number" }] }, "else": "SAME" }]
          }
        },
        { "kind": "chute", "accept": { "then": [{ "deal": { "from": "chute", "to": "deck" } }] } },
        { "kind": "column", "family": { "from": 0, "to": 499 } }
      ],
      "actions": {
        "pin": { "items": "subject", "cases": [{ "steps": [{ "pin": true }] }] },
        "unpin": { "items": "subject", "cases": [{ "steps": [{ "pin": false }] }] },
        "draw": { "cases": [{ "steps": [{ "deal": { "from": "list", "to": "deck", "count": 500 } }] }] },
        "return": { "cases": [{ "steps": [{ "deal": { "from": "deck", "to": "list" } }] }] },
        "shuffle": { "cases": [{ "steps": [{ "shuffle": "deck" }] }] }
      },
      "setUp": [
        { "numbered": { "count": { "option": "items" }, "attribute": "number" }, "deal": [{ "to": "column", "count": 1 }, { "to": "list" }] }
      ]
    }
    """
}
