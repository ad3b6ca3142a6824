import BaizeDriver
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import BaizeWire
import Foundation

/// Measures the heaviest legal operations one by one (I11): the time of a turn of a shard without sockets that receives
/// nothing else, from the frame to the frames that it sends.
struct SingleOperations {
  private let items: Int
  private let runs: Int
  private let report: (String) -> Void
  private var shard: CoreShard
  private var sequences: [UInt64] = [0, 0]

  /// The maximum time of one operation, in microseconds.
  static let microsecondsMax = 1_000.0
  private static let most = TableLimits.itemsPerOperationMax
  private static let bytesMax = TableLimits.operationFaceBytesMax

  init(items: Int, runs: Int, report: @escaping (String) -> Void) throws {
    (self.items, self.runs, self.report) = (items, runs, report)
    let library = TableTypeLibrary().adding(try TableTypeDocument(parsing: Self.document))
    shard = CoreShard(
      tableType: "heavy?items=\(items)", tables: 1, players: 2, durability: .memory, types: CachedTableTypes(library))
  }

  mutating func perform() throws -> (isSound: Bool, json: [String: Any]) {
    report("microseconds of one operation on a table of \(items) items, medians of \(runs) runs (least … most)")
    var medians: [String: Any] = [:]
    var isSound = true
    for operation in Operation.allCases {
      let times = try (0...runs).map { _ in try measure(operation) }
      let spread = Spread(values: Array(times.dropFirst()))
      isSound = isSound && spread.median <= Self.microsecondsMax
      medians[operation.rawValue] = spread.json
      report("\(operation.rawValue.padding(toLength: 56, withPad: " ", startingAt: 0))\(spread.text())")
    }
    return (isSound, medians)
  }

  private mutating func measure(_ operation: Operation) throws -> Double {
    let base = shard.state(ofTable: 0).revision
    for kind in operation.preparation(state) { try submit(kind, "preparing \(operation.rawValue)") }
    let anchor = operation == .behind ? try moveAnchor() : nil
    let target = sequences[0]
    if operation.isLate { try moveOthers() }
    let kind = operation.kind(state, last: target, before: anchor)
    let frame = frame(of: kind, base: operation.isBehind ? base : state.revision, by: 0)
    let start = MonotonicClock.now()
    shard.receive(frame, on: shard.connections[0])
    let accepted = shard.machine.countsSoFar.accepted
    shard.endTurn()
    let time = Double(MonotonicClock.now() - start) / 1e3
    guard (accepted == 1) != operation.isRefused else {
      throw RunFailure("the verdict is not the expected one: \(operation.rawValue)")
    }
    for kind in operation.restoration(state) { try submit(kind, "after \(operation.rawValue)") }
    return time
  }

  private var state: TableState { shard.state(ofTable: 0) }

  private mutating func submit(_ kind: TableOperation.Kind, _ name: String, by author: Int = 0) throws {
    shard.receive(frame(of: kind, base: state.revision, by: author), on: shard.connections[author])
    let accepted = shard.machine.countsSoFar.accepted
    shard.endTurn()
    guard accepted == 1 else { throw RunFailure("an operation was not accepted: \(name)") }
  }

  private mutating func frame(of kind: TableOperation.Kind, base: Revision, by author: Int) -> [UInt8] {
    sequences[author] += 1
    let operation = TableOperation(
      sequence: SequenceNumber(rawValue: sequences[author]), base: base, epoch: Epoch(rawValue: 1), kind: kind)
    return ClientMessage.operation(operation).framed()
  }

  /// Moves an item as often as an author may have missed.
  ///
  /// - Returns: The item.
  private mutating func moveAnchor() throws -> ItemID {
    let first = state.items(in: Operation.list, from: 0, limit: 5).map(\.id)
    for number in 1..<TableLimits.historyRevisionsMax {
      let position = Position.before(first[number.isMultiple(of: 2) ? 4 : 2])
      try submit(Operation.move([first[0]], to: Operation.list, position), "a move of another's", by: 1)
    }
    return first[0]
  }

  /// Moves as many items as may be moved before an operation can no longer be undone.
  private mutating func moveOthers() throws {
    for _ in 0..<TableLimits.undoTakeOutsMax / Self.most {
      let items = ItemList(state.items(in: Operation.list, from: 0, limit: Self.most).reversed().map(\.id))
      try submit(Operation.move(items, to: Operation.list, .before(items[0])), "a move of another's", by: 1)
    }
  }
}

extension SingleOperations {
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

  /// The operations that are measured.
  private enum Operation: String, CaseIterable {
    case reorder = "reorder 500 items from all over the list"
    case behind = "the same on a base 1,023 diffs behind"
    case gather = "reorder 500 items from as many collections"
    case ruled = "drop 500 items on a collection with rules"
    case chute = "drop 500 items that a step deals on"
    case copy = "copy 500 items"
    case copyFaces = "copy 500 items with 256 KiB"
    case copyFace = "copy an item with 256 KiB"
    case insert = "insert 500 items"
    case insertFaces = "insert 500 items with 256 KiB"
    case insertFace = "insert an item with 256 KiB"
    case update = "update an item with 256 KiB"
    case remove = "remove 500 items"
    case removeFaces = "remove 15 items with 256 KiB each"
    case pin = "pin 500 items"
    case draw = "deal 500 items"
    case shuffle = "shuffle 500 items"
    case undoReorder = "undo the reorder of 500 items"
    case undoLate = "the same when others have moved 3,900 items since"
    case undoRemove = "undo the removal of 500 items"
    case undoCopy = "undo the copy of 500 items"
    case unknown = "name 500 unknown items, with a full history"
    case excess = "name 262,000 items"
    case insertExcess = "insert 131,000 items"

    /// Whether the limits refuse it.
    var isRefused: Bool { [.unknown, .excess, .insertExcess].contains(self) }
    /// Whether others move items between the operation that is undone and its undo.
    var isLate: Bool { self == .undoLate }
    /// Whether its base is from before the preparation.
    var isBehind: Bool { self == .behind || self == .unknown }

    static let list = CollectionHandle(rawValue: 1)
    static let deck = CollectionHandle(rawValue: 2)
    static let ruledCollection = CollectionHandle(rawValue: 3)
    static let chuteCollection = CollectionHandle(rawValue: 4)
    static let columns = (0..<500).map { CollectionHandle(rawValue: 5 + $0) }

    /// Returns the operations that come before.
    func preparation(_ state: TableState) -> [TableOperation.Kind] {
      switch self {
      case .undoReorder, .undoLate: [Operation.reorder.kind(state)]
      case .undoRemove: [Operation.remove.kind(state)]
      case .undoCopy: [Operation.copy.kind(state)]
      case .shuffle: [Operation.draw.kind(state)]
      case .copyFaces: [Operation.insertFaces.kind(state)]
      case .copyFace: [Operation.insertFace.kind(state)]
      case .removeFaces: Array(repeating: Operation.insertFace.kind(state), count: 15)
      case .unknown:
        // Two orders of the same items, so that each time all of them move.
        (0..<TableLimits.historyTakeOutsMax / SingleOperations.most).map {
          Self.move($0.isMultiple(of: 2) ? spread(state) : ItemList(spread(state).reversed()), to: Self.list)
        }
      case .reorder, .behind, .gather, .ruled, .chute, .copy, .insert, .insertFaces, .insertFace, .update, .remove,
        .pin, .draw, .excess, .insertExcess:
        []
      }
    }

    /// - Parameters:
    ///   - last: The number of the author's last operation.
    ///   - anchor: The item to drop before.
    func kind(_ state: TableState, last: UInt64 = 0, before anchor: ItemID? = nil) -> TableOperation.Kind {
      switch self {
      case .reorder, .behind: Self.move(spread(state), to: Self.list, anchor.map { .before($0) } ?? .end)
      case .gather: Self.move(ItemList(Self.columns.flatMap { state.itemIDs(in: $0) }), to: Self.list)
      case .ruled: Self.move(spread(state), to: Self.ruledCollection)
      case .chute: Self.move(spread(state), to: Self.chuteCollection)
      case .copy: copy(spread(state))
      case .copyFaces: copy(Operation.last(SingleOperations.most, state))
      case .copyFace: copy(Operation.last(1, state))
      case .insert: .insert((0..<SingleOperations.most).map { Self.item($0) }, .end(of: Self.list))
      case .insertFaces:
        .insert(
          (0..<SingleOperations.most).map { Self.item($0, bytes: SingleOperations.bytesMax / SingleOperations.most) },
          .end(of: Self.list))
      case .insertFace: .insert([Self.item(0, bytes: SingleOperations.bytesMax)], .end(of: Self.list))
      case .update:
        .update(
          Operation.last(1, state)[0], attributes: [],
          representations: Self.item(0, bytes: SingleOperations.bytesMax).face.representations)
      case .remove: .remove(spread(state))
      case .removeFaces: .remove(Operation.last(15, state))
      case .pin: .perform(action: "pin", items: spread(state), nil)
      case .draw: .perform(action: "draw", items: [], nil)
      case .shuffle: .perform(action: "shuffle", items: [], nil)
      case .undoReorder, .undoLate, .undoRemove, .undoCopy: .undo(SequenceNumber(rawValue: last))
      case .unknown: .remove(ItemList((0..<UInt64(SingleOperations.most)).map { ItemID(rawValue: 1 << 40 + $0) }))
      case .excess: .remove(ItemList(Array(repeating: ItemID(rawValue: 1), count: SingleOperations.bytesMax - 100)))
      case .insertExcess:
        .insert(Array(repeating: NewItem(), count: SingleOperations.bytesMax / 2 - 50), .end(of: Self.list))
      }
    }

    /// Returns the operations that bring the table back to its size and order of magnitude.
    func restoration(_ state: TableState) -> [TableOperation.Kind] {
      switch self {
      case .reorder, .behind, .undoReorder, .undoLate, .undoRemove, .undoCopy, .removeFaces, .unknown, .excess,
        .insertExcess:
        []
      case .gather: zip(Operation.last(500, state), Self.columns).map { Self.move([$0], to: $1) }
      case .ruled: [Self.move(ItemList(state.itemIDs(in: Self.ruledCollection)), to: Self.list)]
      case .chute, .draw, .shuffle: [.perform(action: "return", items: [], nil)]
      case .copy, .copyFaces, .insert, .insertFaces: [.remove(Operation.last(SingleOperations.most, state))]
      case .copyFace: [.remove(Operation.last(2, state))]
      case .insertFace: [.remove(Operation.last(1, state))]
      case .update: [.update(Operation.last(1, state)[0], attributes: [], representations: [Self.small])]
      case .remove: [Operation.insert.kind(state)]
      case .pin: [.perform(action: "unpin", items: spread(state), nil)]
      }
    }

    // MARK: Items

    private func spread(_ state: TableState) -> ItemList {
      let count = state.count(in: Self.list)
      let step = max(1, count / SingleOperations.most)
      return ItemList(
        (0..<min(SingleOperations.most, count)).map {
          state.items(in: Self.list, from: $0 * step + step / 2, limit: 1)[0].id
        })
    }

    private static func last(_ count: Int, _ state: TableState) -> ItemList {
      ItemList(state.items(in: list, from: state.count(in: list) - count, limit: count).map(\.id))
    }

    static func move(
      _ items: ItemList, to collection: CollectionHandle, _ position: Position = .end
    ) -> TableOperation.Kind {
      .reorder(
        ReorderDifference(sources: items, destination: Destination(collection: collection, position: position)),
        suggested: .move)
    }

    private func copy(_ items: ItemList) -> TableOperation.Kind {
      .reorder(ReorderDifference(sources: items, destination: .end(of: Self.list)), suggested: .copy)
    }

    private static let small = Representation(contentType: "text/plain", data: [1])

    /// - Parameter bytes: The size of the item's contents; 0 for an item without a representation.
    private static func item(_ number: Int, bytes: Int = 0) -> NewItem {
      var face = Face(attributes: [Attribute("number", Int64(number))])
      guard bytes > 0 else { return NewItem(face: face) }
      let others = TableLimits.itemContentBytes + TableLimits.partContentBytes + face.contentBytes + 10
      face.representations = [
        Representation(contentType: "text/plain", data: [UInt8](repeating: 65, count: bytes - others))
      ]
      return NewItem(face: face)
    }
  }
}
