import TestSupport
import Testing

@testable import BaizeTable

/// Positions and rebase (N1–N6, R1–R14): I9, and the tables of `Protocol/positions.md` by the vectors that they cite.
@Suite(.dedicatedThreads) struct RebaseTests {
  @Test func `the vector file has cases with unique ids`() {
    let ids = RebaseVectors.file.cases.map(\.id)
    #expect(ids.count >= 60, "\(RebaseVectors.file.description)")
    #expect(Set(ids).count == ids.count)
  }

  @Test(arguments: RebaseVectors.file.cases)
  func `I1, I4, I9: every case of the rebase table has its expected result`(_ vector: RebaseVectors.Case) {
    var run = RebaseVectors.Run(vector)
    for operation in vector.operations {
      run.judge(operation, by: operation.author ?? 0, on: Revision(rawValue: operation.base ?? 0))
    }
    for (collection, expected) in vector.final.sorted(by: { $0.key < $1.key }) {
      #expect(run.names(in: collection) == expected, "\(collection)")
    }
    #expect(vector.final.count == vector.collections.count)
  }
}

/// I9 as a property, with a real author: a replica that predicts and sends its base.
@Suite(.dedicatedThreads) struct IntentionTests {
  @Test func `I9: an uncontended drop lands between the neighbours it was dropped between`() {
    let checked = (0..<400 as Range<UInt64>).reduce(0) { $0 + checkedDrops(seed: $1) }
    #expect(checked > 400, "at least one drop per seed on average")
  }

  /// - Returns: The number of uncontended drops, each of which was checked.
  private func checkedDrops(seed: UInt64) -> Int {
    var checked = 0
    var random = SplitMix64(state: seed)
    var bench = Bench(Types.lists(["abcdefgh", "uvwxyz"]), seed: seed)
    // The author's view: the base, with its own pending operations on top.
    var client = bench.replica
    client.beginPrediction()
    var author = TestAuthor()
    var touchedByOthers = Set<ItemID>()
    var touchedByAuthor = Set<ItemID>()
    let own = random.below(4)
    for number in 1...own + 1 {
      // Operations of others come first, without the author's knowledge.
      for _ in 0..<random.below(3) {
        let kind = Self.otherOperation(on: bench.state, &random)
        if let diff = bench.judge(kind, by: 2, base: bench.state.revision.rawValue).diff {
          touchedByOthers.formUnion(Self.takenOut(diff))
        }
      }
      let drop = Self.drop(on: client.state, &random)
      let gap = Self.neighbours(of: drop, on: client.state)
      let kind = TableOperation.Kind.reorder(drop, suggested: .move)
      author.ask(kind, of: &client, base: .zero, unanswered: UInt32(number - 1))
      touchedByAuthor.formUnion(drop.sources)

      let before = bench.state
      let judgement = bench.judge(kind, base: 0, unanswered: UInt32(number - 1))
      let involved = Set(drop.sources).union([gap.before, gap.after]).subtracting([.none])
      guard involved.isDisjoint(with: touchedByOthers), involved.allSatisfy(before.contains) else { continue }
      guard Self.areNeighbours(gap, without: drop, on: before) else { continue }
      let order = bench.state.itemIDs(in: drop.destination.collection)
      let expected = ([gap.before] + Array(drop.sources) + [gap.after]).filter { $0 != .none }
      let comment: Comment = "seed \(seed), operation \(number): \(judgement.summary)"
      #expect(judgement.refusal == nil, comment)
      let start = order.firstIndex(of: expected[0]) ?? 0
      #expect(Array(order[start...].prefix(expected.count)) == expected, comment)
      if gap.before == .none { #expect(order.first == expected.first, comment) }
      if gap.after == .none { #expect(order.last == expected.last, comment) }
      checked += 1
    }
    return checked
  }

  private typealias Gap = (before: ItemID, after: ItemID)

  /// Returns a drop as a person makes it on `state`.
  private static func drop(
    on state: TableState, _ random: inout SplitMix64
  ) -> ReorderDifference {
    let from = random.pick(state.handles.filter { state.count(in: $0) > 0 }) ?? state.handles[0]
    let to = state.handles[random.below(2)]
    let sources = random.sample(state.itemIDs(in: from), 1 + random.below(3))
    let order = state.itemIDs(in: to)
    let index = random.below(order.count + 1)
    guard index < order.count else { return ReorderDifference(sources: sources, destination: .end(of: to)) }
    return ReorderDifference(sources: sources, destination: .before(order[index], in: to))
  }

  /// Returns the items between which the block is inserted.
  private static func neighbours(of drop: ReorderDifference, on state: TableState) -> Gap {
    let order = state.itemIDs(in: drop.destination.collection)
    let index = order.firstIndex(of: drop.destination.position.anchor) ?? order.count
    return (
      order[..<index].last { !drop.sources.contains($0) } ?? .none,
      order[index...].first { !drop.sources.contains($0) } ?? .none
    )
  }

  private static func areNeighbours(_ gap: Gap, without drop: ReorderDifference, on state: TableState) -> Bool {
    let order = state.itemIDs(in: drop.destination.collection).filter { !drop.sources.contains($0) }
    guard let after = order.firstIndex(of: gap.after) else {
      return gap.after == .none && order.last ?? .none == gap.before
    }
    return after == 0 ? gap.before == .none : order[after - 1] == gap.before
  }

  private static func takenOut(_ diff: Diff) -> Set<ItemID> {
    diff.changes.reduce(into: []) { items, change in
      switch change {
      case .moved(let moved, _): items.formUnion(moved)
      case .removed(let removed): items.formUnion(removed)
      case .inserted, .faced, .status, .enabled, .counted, .variables, .seats: break
      }
    }
  }

  private static func otherOperation(on state: TableState, _ random: inout SplitMix64) -> TableOperation.Kind {
    let to = state.handles[random.below(2)]
    let items = ItemList(random.sample(state.itemIDs(in: state.handles[random.below(2)]), 1 + random.below(2)))
    let destination = Destination(
      collection: to, position: Position(anchor: random.pick(state.itemIDs(in: to)) ?? .none))
    switch random.below(5) {
    case 0: return .insert([NewItem(attributes: [Attribute("name", "new")])], destination)
    case 1: return .remove(items)
    default: return .move(items, to: destination, suggested: .move)
    }
  }
}
