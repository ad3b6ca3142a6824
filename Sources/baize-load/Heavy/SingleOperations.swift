import BaizeHarness
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
    let kind = operation.kind(state, last: sequences[0], before: anchor)
    let frame = frame(of: kind, base: operation == .behind ? base : state.revision, by: 0)
    let start = MonotonicClock.now()
    shard.receive(frame, on: shard.connections[0])
    let accepted = shard.machine.countsSoFar.accepted
    shard.endTurn()
    let time = Double(MonotonicClock.now() - start) / 1e3
    guard accepted == 1 else { throw RunFailure("the operation was not accepted: \(operation.rawValue)") }
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
        { "kind": "column", "family": { "from": 0, "to": 999 } }
      ],
      "actions": {
        "pin": { "items": "subject", "cases": [{ "steps": [{ "pin": true }] }] },
        "unpin": { "items": "subject", "cases": [{ "steps": [{ "pin": false }] }] },
        "draw": { "cases": [{ "steps": [{ "deal": { "from": "list", "to": "deck", "count": 1000 } }] }] },
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
    case reorder = "reorder 1,000 items from all over the list"
    case behind = "the same on a base 1,023 diffs behind"
    case gather = "reorder 1,000 items from as many collections"
    case ruled = "drop 1,000 items on a collection with rules"
    case chute = "drop 1,000 items that a step deals on"
    case copy = "copy 1,000 items"
    case copyFaces = "copy 3 MB in 3 items"
    case insert = "insert 1,000 items"
    case insertFaces = "insert 1 MB in 1,000 items"
    case insertFace = "insert 1 MB in one item"
    case update = "update an item with 1 MB"
    case remove = "remove 1,000 items"
    case pin = "pin 1,000 items"
    case draw = "deal 1,000 items"
    case shuffle = "shuffle 1,000 items"
    case undoReorder = "undo the reorder of 1,000 items"
    case undoRemove = "undo the removal of 1,000 items"
    case undoCopy = "undo the copy of 1,000 items"

    static let list = CollectionHandle(rawValue: 1)
    static let deck = CollectionHandle(rawValue: 2)
    static let ruledCollection = CollectionHandle(rawValue: 3)
    static let chuteCollection = CollectionHandle(rawValue: 4)
    static let columns = (0..<1_000).map { CollectionHandle(rawValue: 5 + $0) }

    /// The operations that come before.
    func preparation(_ state: TableState) -> [TableOperation.Kind] {
      switch self {
      case .undoReorder: [Operation.reorder.kind(state)]
      case .undoRemove: [Operation.remove.kind(state)]
      case .undoCopy: [Operation.copy.kind(state)]
      case .shuffle: [Operation.draw.kind(state)]
      case .copyFaces: Array(repeating: Operation.insertFace.kind(state), count: 3)
      case .reorder, .behind, .gather, .ruled, .chute, .copy, .insert, .insertFaces, .insertFace, .update, .remove,
        .pin, .draw:
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
      case .copyFaces: copy(Operation.last(3, state))
      case .insert: .insert((0..<SingleOperations.most).map { Self.item($0, bytes: 0) }, .end(of: Self.list))
      case .insertFaces: .insert((0..<SingleOperations.most).map { Self.item($0, bytes: 1_000) }, .end(of: Self.list))
      case .insertFace: .insert([Self.item(0, bytes: 1_000_000)], .end(of: Self.list))
      case .update:
        .update(
          Operation.last(1, state)[0], attributes: [],
          representations: Self.item(0, bytes: 1_000_000).face.representations)
      case .remove: .remove(spread(state))
      case .pin: .perform(action: "pin", items: spread(state), nil)
      case .draw: .perform(action: "draw", items: [], nil)
      case .shuffle: .perform(action: "shuffle", items: [], nil)
      case .undoReorder, .undoRemove, .undoCopy: .undo(SequenceNumber(rawValue: last))
      }
    }

    /// The operations that bring the table back to its size and order of magnitude.
    func restoration(_ state: TableState) -> [TableOperation.Kind] {
      switch self {
      case .reorder, .behind, .undoReorder, .undoRemove, .undoCopy: []
      case .gather: zip(Operation.last(1_000, state), Self.columns).map { Self.move([$0], to: $1) }
      case .ruled: [Self.move(ItemList(state.itemIDs(in: Self.ruledCollection)), to: Self.list)]
      case .chute, .draw, .shuffle: [.perform(action: "return", items: [], nil)]
      case .copy, .insert, .insertFaces: [.remove(Operation.last(SingleOperations.most, state))]
      case .copyFaces: [.remove(Operation.last(6, state))]
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

    private static func item(_ number: Int, bytes: Int) -> NewItem {
      NewItem(
        attributes: [Attribute("number", Int64(number))],
        representations: bytes == 0
          ? [] : [Representation(contentType: "text/plain", data: [UInt8](repeating: 65, count: bytes))])
    }
  }
}
