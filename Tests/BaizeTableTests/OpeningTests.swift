import TestSupport
import Testing

@testable import BaizeTable

/// Collections that items open: columns that people make.
@Suite struct OpeningTests {
  // MARK: Opening

  @Test func `I4: an inserted item opens a collection in the same diff, under a handle of its own`() {
    var board = Board()
    #expect(board.add("A", "B").summary == "accepted")
    #expect(board.column("A").rawValue == 4 && board.column("B").rawValue == 5)
    #expect(board.bench.state.rules(of: board.column("B")).id == "column/5")
    #expect(board.bench.state.rules(of: board.column("B")).attributes == [Attribute("name", "B")])
    #expect(board.insert(["a", "b"], in: "B").summary == "accepted")
    #expect(board.text("B") == "ab" && board.text("A").isEmpty)
    #expect(board.move(["b"], to: "A").summary == "accepted" && board.text("A") == "b")
  }

  @Test func `I4: a column and its first card are sent together`() {
    var board = Board()
    let columns = board.bench.handle("columns")
    board.bench.judge(.insert([Board.named("A")], .end(of: columns)))
    let container = ItemID.provisional(operation: SequenceNumber(rawValue: 1), number: 0)
    let first = TableOperation.Kind.insert([Board.named("a")], Destination(openedBy: container, position: .end))
    #expect(board.bench.judge(first, base: 0, unanswered: 1).summary == "accepted")
    #expect(board.text("A") == "a")
    // A column that was refused has no cards.
    board.bench.judge(.insert([], .end(of: columns)))
    let none = ItemID.provisional(operation: SequenceNumber(rawValue: 3), number: 0)
    let second = TableOperation.Kind.insert([Board.named("b")], Destination(openedBy: none, position: .end))
    #expect(board.bench.judge(second, unanswered: 1).summary == "refused:DEPENDS_ON_REFUSED")
  }

  @Test func `I5: a destination names a collection, or an item that opens one`() {
    var board = Board()
    board.add("A")
    board.insert(["a"], in: "tray")
    let item = board.bench.id("a")
    let onCard = TableOperation.Kind.move([item], to: Destination(openedBy: item, position: .end))
    #expect(board.bench.judge(onCard).summary == "refused:UNKNOWN_COLLECTION")
    let nowhere = TableOperation.Kind.move([item], to: Destination(openedBy: ItemID(rawValue: 99), position: .end))
    #expect(board.bench.judge(nowhere).summary == "refused:COLLECTION_GONE")
    let unknown = TableOperation.Kind.move([item], to: .end(of: CollectionHandle(rawValue: 99)))
    #expect(board.bench.judge(unknown).summary == "refused:COLLECTION_GONE")
    let none = TableOperation.Kind.move([item], to: .end(of: .none))
    #expect(board.bench.judge(none).summary == "refused:UNKNOWN_COLLECTION")
  }

  @Test func `I5: columns move only among columns, and cards only among cards`() {
    var board = Board()
    board.add("A", "B", "C")
    board.insert(["a"], in: "A")
    #expect(board.move(["C"], to: "columns", before: "A").summary == "accepted")
    #expect(board.bench.text("columns") == "CAB" && board.text("A") == "a")
    #expect(board.move(["A"], to: "tray").summary == "refused:FOREIGN_ITEM")
    #expect(board.move(["A"], to: "B").summary == "refused:FOREIGN_ITEM")
    #expect(board.move(["A"], to: "A").summary == "refused:FOREIGN_ITEM")
    #expect(board.move(["a"], to: "columns").summary == "refused:FOREIGN_ITEM")
  }

  // MARK: Limits

  @Test func `I5: each column has its own limit, read when something arrives`() {
    var board = Board()
    board.add("A", limit: 2)
    board.add("B")
    board.insert(["a", "b", "c"], in: "B")
    #expect(board.move(["a", "b", "c"], to: "A").summary == "refused:CAPACITY_EXCEEDED")
    #expect(board.move(["a", "b"], to: "A").summary == "accepted")
    #expect(board.update("A", limit: 1).summary == "accepted")
    // The cards stay, may be reordered and leave; none arrives.
    #expect(board.move(["b"], to: "A", before: "a").summary == "accepted" && board.text("A") == "ba")
    #expect(board.move(["c"], to: "A").summary == "refused:CAPACITY_EXCEEDED")
    #expect(board.move(["a", "b"], to: "B").summary == "accepted")
    #expect(board.move(["a"], to: "A").summary == "accepted")
    #expect(board.update("A", limit: nil).summary == "accepted")
    #expect(board.move(["b", "c"], to: "A").summary == "accepted")
  }

  @Test func `I8: open collections are limited, and so are the handles ever given`() {
    let board = Board()
    let columns = board.bench.handle("columns")
    let many = (0..<500).map { Board.named("\($0)") }
    var table = board.bench.table
    var author = TestAuthor()
    func judge(_ kind: TableOperation.Kind) -> String { author.ask(kind, of: &table).summary }
    var open = 0
    while open + many.count <= TableLimits.openedCollectionsMax {
      #expect(judge(.insert(many, .end(of: columns))) == "accepted")
      open += many.count
    }
    #expect(judge(.insert(many, .end(of: columns))) == "refused:TABLE_SIZE")
    #expect(table.state.openedCount == open)
    while open > 0 {
      let first = table.state.items(in: columns, from: 0, limit: 500).map(\.id)
      #expect(judge(.remove(ItemList(first))) == "accepted")
      open -= first.count
    }
    #expect(table.state.openedCount == 0)
    // What is gone is charged, and its handles are not given again.
    #expect(table.state.contentBytes >= 16_000 * TableLimits.collectionContentBytes)
    table.state.reserve(table.state.type.collections.count + TableLimits.openedHandlesMax - 1)
    #expect(judge(.insert(Array(many.prefix(2)), .end(of: columns))) == "refused:TABLE_SIZE")
    #expect(judge(.insert(Array(many.prefix(1)), .end(of: columns))) == "accepted")
    #expect(judge(.insert(Array(many.prefix(1)), .end(of: columns))) == "refused:TABLE_SIZE")
    #expect(judge(.undo(SequenceNumber(rawValue: author.last.rawValue - 1))) == "accepted")
    #expect(judge(.undo(author.last)) == "accepted", "an undo needs no new handle")
  }

  // MARK: Removal

  @Test func `I5: a column with cards is not removed, whoever came first`() {
    var board = Board()
    board.add("A", "B")
    board.insert(["a"], in: "B")
    #expect(board.remove(["B"]).summary == "refused:NOT_EMPTY")
    // A drop comes before a removal whose author has not seen it.
    let base = board.revision
    board.move(["a"], to: "A", by: 2)
    #expect(board.remove(["A"], base: base).summary == "refused:NOT_EMPTY")
    #expect(board.remove(["B"], base: base).summary == "accepted")
    // A removal comes before a drop whose author has not seen it.
    let b = CollectionHandle(rawValue: 5)
    #expect(
      board.bench.judge(.move([board.bench.id("a")], to: .end(of: b)), by: 2, base: base).summary
        == "refused:COLLECTION_GONE")
  }

  @Test func `I5: where cards go along, no card goes unseen`() {
    var board = Board(removesItems: true)
    board.add("A", "B")
    board.insert(["a", "b"], in: "A")
    board.insert(["c"], in: "tray")
    let base = board.revision
    board.move(["c"], to: "A", by: 2)
    #expect(board.remove(["A"], base: base).summary == "refused:CONTENDED")
    #expect(board.remove(["A"]).summary == "accepted")
    #expect(board.bench.state.itemCount == 1)
    // A card that left in time stays.
    board.insert(["d"], in: "B")
    let later = board.revision
    board.move(["d"], to: "tray", by: 2)
    #expect(board.remove(["B"], base: later).summary == "accepted" && board.bench.text("tray") == "d")
  }

  @Test func `I5: what goes along passes the rules and the claims, and counts`() {
    var board = Board(removesItems: true)
    board.add("A")
    board.insert(["a", "b"], in: "A")
    board.bench.table.itemsPerOperationMax = 2
    #expect(board.remove(["A"]).summary == "refused:TOO_MANY_ITEMS")
    board.bench.table.itemsPerOperationMax = 3
    #expect(board.bench.judge(.perform(action: "pin", items: board.bench.ids("a"), nil)).summary == "accepted")
    #expect(board.remove(["A"]).summary == "refused:NOT_REORDERABLE")
    #expect(board.bench.judge(.perform(action: "unpin", items: board.bench.ids("a"), nil)).summary == "accepted")
    var table = board.bench.table
    table.state.setEnabled(table.state.index(of: board.column("A")), false)
    var author = TestAuthor(3)
    #expect(author.ask(.remove(board.bench.ids("A")), of: &table).summary == "refused:CONTAINER_DISABLED")
    // Named with its column, a card leaves once.
    #expect(board.remove(["b", "A"]).summary == "accepted" && board.bench.state.itemCount == 0)
  }

  @Test func `I5: an item that is dropped on a bin is removed by the same rules`() {
    var board = Board()
    board.add("A", "B")
    board.insert(["a"], in: "A")
    #expect(board.move(["A"], to: "bin").summary == "refused:NOT_EMPTY")
    #expect(board.move(["B"], to: "bin").summary == "accepted" && board.bench.text("columns") == "A")
  }

  // MARK: Handles and undo

  @Test func `I4: a handle is never another item's, and an undo of a removal restores it`() {
    var board = Board()
    board.add("A", "B")
    let a = board.column("A")
    board.remove(["A"])
    board.add("C")
    #expect(board.column("C").rawValue == 6 && !board.bench.state.isKnown(a))
    #expect(board.bench.judge(.undo(SequenceNumber(rawValue: 2))).summary == "accepted")
    #expect(board.column("A") == a && board.bench.text("columns") == "ABC")
    #expect(board.insert(["a"], in: "A").summary == "accepted")
  }

  @Test func `I4: an undo of a removal restores the cards, too`() {
    var board = Board(removesItems: true)
    board.add("A", "B")
    board.insert(["a", "b", "c"], in: "A")
    let before = board.picture
    board.remove(["A"])
    #expect(board.bench.undo().summary == "accepted" && board.picture == before)
    // And the undo of that removes them again, as long as nothing else is there.
    #expect(board.bench.undo().summary == "accepted" && board.bench.state.itemCount == 1)
    #expect(board.bench.undo().summary == "accepted" && board.picture == before)
    board.insert(["d"], in: "A", by: 2)
    #expect(board.bench.undo().summary == "refused:UNDO_TOO_LATE")
  }

  @Test func `I4: a column is touched by what others put into it`() {
    var board = Board()
    board.add("A")
    board.insert(["a"], in: "A", by: 2)
    #expect(board.bench.undo().summary == "refused:UNDO_TOO_LATE")
    board.move(["a"], to: "tray", by: 2)
    #expect(board.bench.undo().summary == "refused:UNDO_TOO_LATE")
    // What its author put there and took back does not count.
    board.add("B")
    board.insert(["b"], in: "B")
    #expect(board.bench.judge(.undo(SequenceNumber(rawValue: 5))).summary == "accepted")
    #expect(board.bench.judge(.undo(SequenceNumber(rawValue: 4))).summary == "accepted")
    #expect(board.bench.text("columns") == "A")
  }

  @Test func `I4: what came from a removed column does not return`() {
    var board = Board()
    board.add("A", "B")
    board.insert(["a"], in: "A")
    board.move(["a"], to: "B")
    board.remove(["A"], by: 2)
    #expect(board.bench.judge(.undo(SequenceNumber(rawValue: 3))).summary == "refused:UNDO_TOO_LATE")
    board.bench.judge(.undo(SequenceNumber(rawValue: 1)), by: 2)
    #expect(board.bench.judge(.undo(SequenceNumber(rawValue: 3))).summary == "accepted" && board.text("A") == "a")
  }

  // MARK: Everything at once

  @Test(arguments: 1...LongForm.count(20, long: 40) as ClosedRange<UInt64>)
  func `I1: random operations on lanes, columns and cards leave every replica equal`(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var board = Board(removesItems: seed.isMultiple(of: 2), hasLanes: true)
    for step in 0..<120 {
      let kind = board.randomKind(&random)
      let age = UInt64(random.below(6))
      let author = UInt64(random.below(3)) + 1
      let base = board.revision - min(age, board.revision)
      board.bench.judge(kind, by: author, base: base)
      guard step.isMultiple(of: 10) else { continue }
      var loaded = Bench.snapshot(of: board.bench.state)
      var state = board.bench.state
      #expect(loaded.viewHash() == state.viewHash(), "seed \(seed), step \(step)")
      #expect(loaded.brokenInvariant() == nil, "seed \(seed), step \(step)")
    }
    #expect(board.bench.state.openedHandlesCount > 3, "seed \(seed)")
  }

  @Test(arguments: 1...LongForm.count(10, long: 20) as ClosedRange<UInt64>)
  func `I10: a prediction that is rolled back leaves no trace`(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var board = Board(removesItems: true, hasLanes: true)
    for _ in 0..<60 {
      var replica = Table(replicaOf: Bench.snapshot(of: board.bench.state))
      let before = replica.state.fingerprint
      let revision = replica.state.revision
      var author = TestAuthor()
      replica.beginPrediction()
      for number in 0..<5 as Range<UInt32> {
        author.ask(
          Board.randomKind(at: replica.state, &random), of: &replica, base: revision, unanswered: number)
        #expect(replica.state.brokenInvariant() == nil, "seed \(seed)")
      }
      replica.rollBackPrediction(to: revision)
      #expect(replica.state.fingerprint == before, "seed \(seed)")
      #expect(replica.state.brokenInvariant() == nil, "seed \(seed)")
      board.bench.judge(board.randomKind(&random))
    }
  }

  @Test func `I2: a diff that opens what it must not is a mismatch`() throws {
    var board = Board()
    board.add("A")
    let columns = board.bench.handle("columns")
    for opens in [0, 1, 3, 4, 2_000_000, UInt32.max] {
      var replica = board.bench.replica
      let item = Item(id: ItemID(rawValue: 50), collection: columns, opens: CollectionHandle(rawValue: opens))
      let diff = Diff(
        revision: Revision(rawValue: 2), author: .daemon, sequence: .zero,
        changes: [.inserted([item], .end(of: columns))])
      #expect(throws: DiffMismatch.self) { try replica.apply(diff) }
      #expect(replica.state.brokenInvariant(isJudged: false) == nil)
    }
    var replica = board.bench.replica
    let card = Item(id: ItemID(rawValue: 50), collection: board.column("A"))
    try replica.apply(
      Diff(
        revision: Revision(rawValue: 2), author: .daemon, sequence: .zero,
        changes: [.inserted([card], .end(of: board.column("A")))]))
    #expect(throws: DiffMismatch.self) {
      try replica.apply(
        Diff(
          revision: Revision(rawValue: 3), author: .daemon, sequence: .zero,
          changes: [.removed([board.bench.id("A")])]))
    }
    // It stays visible until the snapshot comes.
    #expect(replica.state.brokenInvariant(isJudged: false) == nil)
    #expect(replica.state.itemIDs(in: columns) == [board.bench.id("A")])
    try replica.apply(
      Diff(
        revision: Revision(rawValue: 3), author: .daemon, sequence: .zero,
        changes: [.removed([board.bench.id("A"), card.id])]))
    #expect(replica.state.brokenInvariant() == nil)
    #expect(replica.state.itemCount == 0)
  }
}

/// A table with columns that people make, by the names of the items.
struct Board {
  var bench: Bench

  init(removesItems: Bool = false, hasLanes: Bool = false) {
    bench = Bench(Self.type(removesItems: removesItems, hasLanes: hasLanes))
  }

  static func type(removesItems: Bool, hasLanes: Bool) -> TableType {
    let lift = LiftRule(offers: [.move, .delete], path: "lift")
    let takes = AcceptRule(inserts: true, path: "accept")
    let limited = AcceptRule(inserts: true, capacity: Capacity(attribute: "limit", path: "capacity"), path: "accept")
    let kinds = [
      CollectionKind(
        name: "columns", lift: lift, accept: takes, allowsUpdate: true,
        opens: Opening(hasLanes ? 4 : 3, removesItems: removesItems), path: "columns"),
      CollectionKind(name: "tray", lift: lift, accept: takes, allowsUpdate: true, path: "tray"),
      CollectionKind(name: "bin", accept: AcceptRule(operations: [.delete]), path: "bin"),
      CollectionKind(name: "column", lift: lift, accept: limited, allowsUpdate: true, path: "column"),
      CollectionKind(
        name: "lane", lift: lift, accept: takes, allowsUpdate: true, opens: Opening(3, removesItems: removesItems),
        path: "lane"),
    ]
    let never = Refusal(.unknownAction)
    return TableType(
      name: "board", seatsMax: 8, contention: .last,
      collections: ["columns", "tray", "bin"].enumerated().map { CollectionRules(id: $1, kind: $0) }, kinds: kinds,
      actions: [
        Action(name: "pin", items: .subject, cases: [Action.Case(steps: [.pin(true)])], otherwise: never),
        Action(name: "unpin", items: .subject, cases: [Action.Case(steps: [.pin(false)])], otherwise: never),
      ])
  }

  static func named(_ name: String) -> NewItem { NewItem(attributes: [Attribute("name", name)]) }

  var revision: UInt64 { bench.state.revision.rawValue }

  /// Returns the collection that an item opens, or the one with the name.
  func column(_ name: String) -> CollectionHandle {
    bench.state.collectionOpened(by: bench.id(name)) ?? bench.handle(name)
  }

  func text(_ name: String) -> String { bench.state.itemIDs(in: column(name)).map(bench.state.name).joined() }

  /// The items of all collections by their names, with what they open.
  var picture: [String] {
    bench.state.handles.map { handle in
      "\(handle.rawValue): "
        + bench.state.items(in: handle, from: 0, limit: .max).map { "\($0)" }.joined(separator: " ")
    }
  }

  @discardableResult mutating func add(_ names: String..., limit: Int64? = nil, by author: UInt64 = 1) -> Judgement {
    let items = names.map { name in
      NewItem(attributes: [Attribute("name", name)] + (limit.map { [Attribute("limit", $0)] } ?? []))
    }
    return bench.judge(.insert(items, .end(of: bench.handle("columns"))), by: author)
  }

  @discardableResult mutating func insert(_ names: [String], in column: String, by author: UInt64 = 1) -> Judgement {
    bench.judge(.insert(names.map(Self.named), .end(of: self.column(column))), by: author)
  }

  @discardableResult mutating func move(
    _ names: [String], to column: String, before anchor: String? = nil, by author: UInt64 = 1
  ) -> Judgement {
    let destination = Destination(
      collection: self.column(column), position: Position(anchor: anchor.map(bench.id) ?? .none))
    return bench.judge(.move(names.map(bench.id), to: destination), by: author)
  }

  @discardableResult mutating func remove(_ names: [String], by author: UInt64 = 1, base: UInt64? = nil) -> Judgement {
    bench.judge(.remove(ItemList(names.map(bench.id))), by: author, base: base)
  }

  mutating func update(_ name: String, limit: Int64?) -> Judgement {
    let limit = Attribute(name: "limit", value: limit.map { .number($0) })
    return bench.judge(.update(bench.id(name), attributes: [limit], representations: []))
  }

  func randomKind(_ random: inout SplitMix64) -> TableOperation.Kind { Self.randomKind(at: bench.state, &random) }

  /// Returns an operation on some items and a gap, often a legal one.
  static func randomKind(at state: TableState, _ random: inout SplitMix64) -> TableOperation.Kind {
    let handles = state.handles
    let items = handles.flatMap(state.itemIDs)
    let handle = handles[random.below(handles.count)]
    let inside = state.itemIDs(in: handle)
    let anchor = random.below(3) == 0 ? .none : random.pick(inside) ?? .none
    var destination = Destination(collection: handle, position: Position(anchor: anchor))
    if random.below(2) == 0, state.opener(of: handle) != .none { destination.container = state.opener(of: handle) }
    // Now and then one that is gone, or that never was.
    if random.below(12) == 0 { destination.collection = CollectionHandle(rawValue: UInt32(random.below(40))) }
    switch random.below(9) {
    case 0, 1: return .insert((0...random.below(3)).map { Self.named("\($0)") }, destination)
    case 2: return .remove(ItemList(random.sample(items, 1 + random.below(2))))
    case 3: return .undo(SequenceNumber(rawValue: 1 + UInt64(random.below(40))))
    case 4:
      guard let item = random.pick(items) else { return .remove([ItemID(rawValue: 7)]) }
      let limit = Attribute("limit", Int64(random.below(6)))
      return .update(item, attributes: [limit], representations: [])
    default:
      // Mostly what belongs there: items of a collection of the same kind.
      let kind = state.kind(of: handle).name
      let alike = items.filter { item in
        state.collection(of: item).map { state.kind(of: $0).name == kind || random.below(8) == 0 } ?? false
      }
      return .move(random.sample(alike, 1 + random.below(2)), to: destination)
    }
  }
}
