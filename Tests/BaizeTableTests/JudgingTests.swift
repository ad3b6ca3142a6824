import TestSupport
import Testing

@testable import BaizeTable

/// The order of the judge's checks and its reasons (I5), and operations of hostile clients (I8), without a game.
@Suite struct JudgingTests {
  private func expect(
    _ judgement: Judgement, _ reason: String, _ rule: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(judgement.summary == "refused:\(reason)", sourceLocation: sourceLocation)
    if let rule { #expect(judgement.refusal?.rule == rule, sourceLocation: sourceLocation) }
  }

  private func enable(_ collection: String, _ isEnabled: Bool, at bench: inout Bench) {
    bench.table.state.setEnabled(bench.handle(collection).index, isEnabled)
    bench.replica = Table(replicaOf: Bench.snapshot(of: bench.state))
  }

  // MARK: Shape, standing

  @Test func `I5: permissions are checked before contention`() {
    var bench = Bench(Types.lists(["abc", "xyz"], contention: .first))
    #expect(bench.judge(.remove(bench.ids("c")), by: 2).summary == "accepted")
    let gone = Bench(Types.lists(["abc", "xyz"], contention: .first)).id("c")
    let move = TableOperation.Kind.move([gone], to: bench.destination("list/0"))
    expect(bench.judge(move, base: 0, seat: 0), "PERMISSION_DENIED")
    expect(bench.judge(move, base: 0), "CONTENDED")
    // An unknown collection and a duplicate: the shape is checked first.
    let nowhere = TableOperation.Kind.move([gone], to: .end(of: CollectionHandle(rawValue: 9)))
    expect(bench.judge(nowhere, base: 0), "UNKNOWN_COLLECTION")
    expect(bench.judge(.remove([gone, bench.id("a"), bench.id("a")]), base: 0), "DUPLICATE_SOURCE")
    expect(bench.judge(.remove([gone, ItemID(rawValue: 555)]), base: 0), "UNKNOWN_ITEM")
    // The author has seen the removal, so that the item is unknown rather than contended.
    expect(bench.judge(move), "UNKNOWN_ITEM")
  }

  @Test func `I5: a disabled collection is no destination by redirection either`() {
    let lists = Types.lists(["a", ""])
    let inbox = CollectionKind(name: "inbox", accept: AcceptRule(redirect: Types.handle(1)))
    var bench = Bench(
      TableType(
        name: "inbox", seatsMax: 8, collections: lists.collections + [CollectionRules(id: "inbox", kind: 1)],
        kinds: lists.kinds + [inbox], setUp: lists.setUp))
    enable("list/1", false, at: &bench)
    expect(bench.move(["a"], to: "inbox"), "CONTAINER_DISABLED")
  }

  @Test func `I5: lifting is checked before dropping, and dropping before contention`() {
    // Two reasons apply: x cannot be lifted from the pile, and the stock accepts nothing.
    var game = Bench(Types.klondike(piles: ["9c 5h", "6s"], stock: "2h"))
    expect(game.move(["9c"], to: "stock"), "FACE_DOWN")
    // Two reasons apply: another author has moved it since the base, and the rule refuses.
    #expect(game.move(["5h"], to: "pile/1", by: 2).summary == "accepted")
    expect(game.move(["5h"], to: "stock", base: 0), "DESTINATION_CLOSED")
    expect(game.move(["5h"], to: "pile/1", base: 0), "CONTENDED")
    // Where it is, it is the other's; then it is the author's.
    #expect(game.move(["5h"], to: "pile/1").summary == "accepted")
    #expect(game.move(["5h"], to: "pile/1").summary == "unchanged")
  }

  // MARK: Room

  @Test func `I5: a drop beyond a column's capacity is refused as a whole`() {
    var bench = Bench(Types.board(todo: "abcd", doing: "x"))
    expect(bench.move(["a", "b"], to: "doing"), "CAPACITY_EXCEEDED", "doing.wip")
    #expect(bench.move(["a"], to: "doing").summary == "accepted")
    expect(bench.move(["b"], to: "doing"), "CAPACITY_EXCEEDED")
    // Items that are already there need no room.
    #expect(bench.move(["a"], to: "doing", before: "x").summary == "accepted")
    #expect(bench.text("doing") == "ax")
  }

  @Test func `I4, I5: a partly accepted block moves its first items, and the rest stays`() throws {
    var bench = Bench(Types.board(todo: "abcd", review: "xy"))
    let configuration = bench.state.dropConfiguration(
      for: ReorderDifference(sources: bench.ids("c", "a"), destination: bench.destination("review", before: "y")),
      by: SeatNumber(rawValue: 1))
    #expect(configuration == DropConfiguration(operation: .move, acceptedItemCount: 1))
    #expect(bench.move(["c", "a"], to: "review", before: "y").summary == "accepted")
    #expect(bench.text("review") == "xcy")
    #expect(bench.text("todo") == "abd")
    expect(bench.move(["a"], to: "review"), "CAPACITY_EXCEEDED", "review.wip")
    // New items and copies, too; the author receives the number of accepted ones.
    #expect(bench.move(["x"], to: "todo").summary == "accepted")
    let diff = try #require(bench.judge(.insert(Types.named(["n", "m"]), bench.destination("review"))).diff)
    #expect(diff.minted == [bench.id("n"), .none])
    #expect(bench.text("review") == "cyn")
  }

  @Test func `I5: a partial move reaches its position though one of its sources stays`() {
    var bench = Bench(Types.board(todo: "abcd"))
    #expect(bench.move(["a", "b"], to: "tail").summary == "accepted")
    // `b` is the last item and a source, so that the position is the end; it is left out, and the block lands there.
    #expect(bench.move(["c", "d", "b"], to: "tail", before: "b").summary == "accepted")
    #expect(bench.text("tail") == "abc")
    expect(bench.move(["a"], to: "tail", before: "b"), "POSITION_NOT_ALLOWED", "tail")
  }

  // MARK: Undo

  @Test func `I5: of several reasons against an undo, the first of G13 is given`() {
    var bench = Bench(Self.columns)
    let first = SequenceNumber(rawValue: 1)
    // The item before the gap has left, and another heads the column, pinned; the column is full and disabled, and the item
    // itself was moved.
    bench.move(["b"], to: "list/0")
    bench.move(["a"], to: "list/0", by: 2)
    bench.judge(.insert(Types.named(["x", "y"]), bench.destination("column")), by: 2)
    bench.judge(.perform(action: "pin", items: bench.ids("c"), nil), by: 2)
    bench.move(["b"], to: "list/0", by: 2)
    enable("column", false, at: &bench)
    expect(bench.judge(.undo(SequenceNumber(rawValue: 99)), seat: 0), "PERMISSION_DENIED")
    expect(bench.judge(.undo(first)), "UNDO_TOO_LATE")
    #expect(bench.judge(.undo(bench.last[SessionID(rawValue: 2)] ?? .zero), by: 2).summary == "accepted")
    expect(bench.judge(.undo(first)), "POSITION_NOT_ALLOWED")
    enable("column", true, at: &bench)
    bench.judge(.perform(action: "unpin", items: bench.ids("c"), nil), by: 2)
    enable("column", false, at: &bench)
    expect(bench.judge(.undo(first)), "CONTAINER_DISABLED")
    enable("column", true, at: &bench)
    expect(bench.judge(.undo(first)), "CAPACITY_EXCEEDED")
    bench.judge(.remove(bench.ids("x")), by: 2)
    #expect(bench.judge(.undo(first)).summary == "accepted")
  }

  /// A column for three items, which can be pinned, and a list.
  private static var columns: TableType {
    let list = Types.lists([]).kinds[0]
    let column = CollectionKind(
      name: "column", lift: list.lift,
      accept: AcceptRule(operations: [.move], inserts: true, capacity: Capacity(itemsMax: 3)))
    let deck = Deck(contents: .items(Types.named(["a", "b", "c"])), deals: [Deck.Deal(to: Types.handle(0))])
    let actions = [true, false].map { isPinned in
      Action(
        name: isPinned ? "pin" : "unpin", items: .subject, cases: [Action.Case(steps: [.pin(isPinned)])],
        otherwise: Refusal(.unknownAction))
    }
    return TableType(
      name: "columns", seatsMax: 8,
      collections: [CollectionRules(id: "column", kind: 1), CollectionRules(id: "list/0", kind: 0)],
      kinds: [list, column], actions: actions, setUp: SetUp(decks: [deck]))
  }

  // MARK: Operations

  @Test func `I5: copies and new items keep only the accepted content types`() throws {
    let kinds = [
      CollectionKind(name: "any", lift: LiftRule(offers: .copy), accept: AcceptRule(inserts: true)),
      CollectionKind(name: "picky", accept: AcceptRule(operations: [.copy], inserts: true, contentTypes: ["a/one"])),
    ]
    let collections = kinds.enumerated().map { CollectionRules(id: $1.name, kind: $0) }
    var bench = Bench(TableType(name: "types", collections: collections, kinds: kinds))
    let both = NewItem(representations: ["a/one", "a/two"].map { Representation(contentType: $0, data: [1]) })
    let source = try #require(bench.judge(.insert([both], bench.destination("any"))).diff?.minted.first)
    let picky = bench.destination("picky")
    for kind: TableOperation.Kind in [.insert([both], picky), .move([source], to: picky, suggested: .copy)] {
      let made = try #require(bench.judge(kind).diff?.minted.first)
      #expect(bench.state.face(of: made)?.representations.map(\.contentType) == ["a/one"])
    }
  }

  @Test func `I5: a move or copy that always goes to the start goes behind a pinned head`() {
    var bench = Bench(Types.playground())
    let (archive, items) = (bench.handle("archive"), bench.state.itemIDs(in: bench.handle("list")))
    let head = bench.state.itemIDs(in: archive)[0]
    bench.judge(.perform(action: "pin", items: [head], nil))
    #expect(bench.judge(.move([items[0]], to: .end(of: archive), suggested: .move)).summary == "accepted")
    #expect(bench.judge(.move([items[1]], to: .end(of: archive), suggested: .copy)).diff?.operation == .copy)
    let order = bench.state.itemIDs(in: archive)
    #expect(order[0] == head && order[2] == items[0])
    #expect(bench.state.name(of: order[1]) == bench.state.name(of: items[1]))
  }

  @Test func `I5: an update merges attributes, deletes those without a value and replaces representations`() throws {
    var bench = Bench(Types.lists(["abc"]))
    let item = bench.id("a")
    let text = Representation(contentType: "text/plain", data: [1])
    let diff = try #require(
      bench.judge(.update(item, attributes: [Attribute("size", 3)], representations: [text])).diff)
    #expect(diff.changes.count == 1)
    #expect(bench.state.face(of: item)?.attributes == [Attribute("name", "a"), Attribute("size", 3)])
    #expect(
      bench.judge(.update(item, attributes: [Attribute("size", 3)], representations: [])).summary == "unchanged")
    bench.judge(.update(item, attributes: [Attribute(name: "name", value: nil)], representations: []))
    #expect(bench.state.face(of: item) == Face(attributes: [Attribute("size", 3)], representations: [text]))
  }

  @Test func `I8: an item's number of attributes is bounded, for insertions and updates`() {
    var bench = Bench(Types.lists(["abc"]))
    func attributes(_ count: Int) -> [Attribute] { (0..<count).map { Attribute("n\($0)", 1) } }
    let item = bench.id("a")
    expect(bench.judge(.update(item, attributes: attributes(65), representations: [])), "TABLE_SIZE")
    expect(bench.judge(.update(item, attributes: attributes(64), representations: [])), "TABLE_SIZE")
    #expect(bench.judge(.update(item, attributes: attributes(63), representations: [])).summary == "accepted")
    let end = bench.destination("list/0")
    expect(bench.judge(.insert([NewItem(attributes: attributes(65))], end)), "TABLE_SIZE")
    #expect(bench.judge(.insert([NewItem(attributes: attributes(64))], end)).summary == "accepted")
  }

  // MARK: Hovering

  @Test func `I5: hovering considers who may act, consequences and claims, as a drop does`() {
    let deal = Action.Step.deal(from: Types.handle(0), to: Types.handle(2), count: nil)
    let kinds = [CollectionKind(name: "list"), CollectionKind(name: "trigger", accept: AcceptRule(then: [deal]))]
    let type = TableType(
      name: "hover", seatsMax: 2, claims: true,
      collections: [0, 1, 0].enumerated().map { CollectionRules(id: "list/\($0)", kind: $1) }, kinds: kinds,
      endings: [Ending(when: .all([]), status: "over")],
      setUp: SetUp(
        decks: [Deck(contents: .items(Types.named(["a", "b"])), deals: [Deck.Deal(to: Types.handle(0))])]))
    var bench = Bench(type)
    let drop = ReorderDifference(sources: bench.ids("a"), destination: bench.destination("list/1"))
    func reason(by seat: UInt32 = 1, _ claims: [ItemID: Claim]? = nil) -> Reason? {
      bench.state.dropConfiguration(for: drop, by: SeatNumber(rawValue: seat), claims: claims).refusal?.reason
    }
    #expect(reason() == nil)
    #expect(reason(by: 0) == .permissionDenied)
    #expect(reason([bench.id("a"): Claim(session: SessionID(rawValue: 2), since: bench.state.revision)]) == .claimed)
    #expect(reason([bench.id("b"): Claim(session: SessionID(rawValue: 2), since: bench.state.revision)]) == nil)
    let (one, others) = (SeatNumber(rawValue: 1), Claim(session: SessionID(rawValue: 2), since: bench.state.revision))
    #expect(bench.state.liftSet(startingAt: bench.id("a"), by: one) == [bench.id("a")])
    #expect(bench.state.liftSet(startingAt: bench.id("a"), by: one, claims: [bench.id("a"): others]).isEmpty)
    #expect(bench.state.liftSet(startingAt: bench.id("a"), by: one, claims: [bench.id("b"): others]).count == 1)
    enable("list/2", false, at: &bench)
    #expect(reason() == .containerDisabled)
    let verdicts = bench.state.dropConfigurations(for: drop.sources, by: SeatNumber(rawValue: 1))
    #expect(verdicts.map(\.configuration.refusal?.reason) == [nil, .containerDisabled, .containerDisabled])
    #expect(bench.move(["a"], to: "list/0").summary == "accepted")
    #expect(reason() == .gameOver)
    #expect(bench.state.refusalToLift(drop.sources, by: SeatNumber(rawValue: 1))?.reason == .gameOver)
  }

  // MARK: Hostile input

  @Test func `I8: arithmetic that overflows 64 bits has no value and does not trap`() {
    let extremes: [Int64] = [.min, .max, -1, 0, 1]
    for left in extremes {
      for right in extremes {
        let state = TableState(type: Types.lists(["", ""]))
        let context = RuleContext(seat: SeatNumber(rawValue: 1))
        let (l, r) = (Term.constant(.number(left)), Term.constant(.number(right)))
        let sum = left.addingReportingOverflow(right)
        #expect(state.value(.sum([l, r]), context) == (sum.overflow ? nil : .number(sum.partialValue)))
        let difference = left.subtractingReportingOverflow(right)
        #expect(
          state.value(.difference(l, r), context) == (difference.overflow ? nil : .number(difference.partialValue)))
        // A missing value equals nothing.
        if sum.overflow {
          for comparison in [.equal, .unequal, .less, .atMost] as [Predicate.Comparison] {
            #expect(!state.holds(.compare(.sum([l, r]), comparison, l), context))
          }
        }
      }
    }
  }

  @Test func `I8: attributes at the limits of 64 bits do not trap in a game's rules`() {
    for rank in [Int64.min, .max] {
      var bench = Bench(Types.klondike(piles: ["6s", "5h"], stock: ""))
      let face = Face(attributes: [Attribute("rank", rank), Attribute("suit", "hearts")])
      bench.table.state.setFace(bench.state.index.slot(of: bench.id("5h")), face)
      let item = bench.state.item(at: 0, in: bench.handle("pile/1")) ?? .none
      for target in ["pile/0", "foundation/h"] {
        let difference = ReorderDifference(sources: [item], destination: bench.destination(target))
        let configuration = bench.state.dropConfiguration(for: difference, by: SeatNumber(rawValue: 1))
        #expect(configuration.refusal?.reason.rawValue == "RANK_MISMATCH")
      }
    }
  }

  @Test(arguments: 0..<LongForm.count(15, long: 30) as Range<UInt64>)
  func `I8: random invalid operations are all answered`(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var bench = Bench(Types.playground(), seed: seed)
    let words: [UInt64] = [
      0, 1, 2, 5, 24, 25, 1 << 31, 1 << 32, 1 << 51, 1 << 52, 1 << 52 | 4_096, 1 << 53, 1 << 63, .max, .max - 1,
    ]
    func id(_ random: inout SplitMix64) -> ItemID {
      random.below(2) == 0
        ? ItemID(rawValue: words[random.below(words.count)]) : ItemID(rawValue: UInt64(random.below(30)))
    }
    func handle(_ random: inout SplitMix64) -> CollectionHandle {
      CollectionHandle(
        rawValue: random.below(4) == 0 ? [0, 7, .max, 1 << 31][random.below(4)] : UInt32(random.below(6)) + 1)
    }
    for _ in 0..<150 {
      let destination = Destination(
        collection: handle(&random), position: random.below(3) == 0 ? .end : .before(id(&random)))
      let items = ItemList((0..<random.below(5)).map { _ in id(&random) })
      let kind: TableOperation.Kind =
        switch random.below(7) {
        case 0: .insert([NewItem()], destination)
        case 1: .remove(items)
        case 2: .update(id(&random), attributes: [Attribute("", .min)], representations: [])
        case 3: .perform(action: ["", "draw", "turn", "pin"][random.below(4)], items: items, destination)
        case 4: .undo(SequenceNumber(rawValue: .max))
        default:
          .move(
            items, to: destination,
            suggested: DropOperation.Set(rawValue: random.below(3) == 0 ? .max : UInt32(random.below(32))))
        }
      let operation = TableOperation(
        sequence: SequenceNumber(rawValue: words[random.below(words.count)]),
        base: random.below(3) == 0 ? Revision(rawValue: words[random.below(words.count)]) : bench.state.revision,
        epoch: Epoch(rawValue: .max), unanswered: [0, 1, 5, .max][random.below(4)], kind: kind)
      _ = bench.judge(operation, by: SessionID(rawValue: UInt64(random.below(3))), seat: [0, 1, .max][random.below(3)])
    }
  }

  // MARK: Memory and history

  @Test func `I8: an author's memory is bounded, and shrinks when its answers are acknowledged`() {
    var memory = AuthorMemory()
    let items = (1...1_000 as ClosedRange<UInt64>).map(ItemID.init(rawValue:))
    for number in 1...500 as ClosedRange<UInt64> {
      memory.make(ItemList(items), by: SequenceNumber(rawValue: number))
      memory.refuse(SequenceNumber(rawValue: number))
    }
    let last = SequenceNumber(rawValue: 500)
    #expect(memory.resolve(.provisional(operation: last, number: 999)) == ItemID(rawValue: 1_000))
    #expect(memory.resolve(.provisional(operation: last, number: 1_000)) == nil)
    #expect(memory.resolve(.provisional(operation: SequenceNumber(rawValue: 1), number: 0)) == nil)
    #expect(memory.isRefused(SequenceNumber(rawValue: 7)))
    memory.advance(to: SequenceNumber(rawValue: 502), unanswered: 0)
    #expect(!memory.isRefused(SequenceNumber(rawValue: 7)))
    #expect(memory.remembersNothing)
  }

  @Test func `O10: a provisional id holds for as long as its answer is remembered, and is unknown after that`() throws {
    var memory = AuthorMemory(answersMax: 10)
    func sequence(_ number: UInt64) -> SequenceNumber { SequenceNumber(rawValue: number) }
    for number in 1...1_000 as ClosedRange<UInt64> where number != 995 {
      memory.make(.one(ItemID(rawValue: number)), by: sequence(number))
      memory.advance(to: sequence(number + 1), unanswered: 0)
    }
    for number in 991...1_000 as ClosedRange<UInt64> {
      let made = try memory.resolve(.provisional(operation: sequence(number), number: 0), in: sequence(1_001))
      #expect(made == (number == 995 ? nil : ItemID(rawValue: number)))
    }
    for number in [1, 500, 990, 1_001, 1_002] as [UInt64] {
      let refusal = #expect(throws: Refusal.self, "operation \(number)") {
        try memory.resolve(.provisional(operation: sequence(number), number: 0), in: sequence(1_001))
      }
      #expect(refusal?.reason == .unknownItem)
    }
    for number in 1_001...70_000 as ClosedRange<UInt64> {
      memory.make(.one(ItemID(rawValue: number)), by: sequence(number))
    }
    #expect(memory.madeOperations <= 66)
  }

  private static func takeOut(_ revision: UInt64, _ item: ItemID) -> History.TakeOut {
    History.TakeOut(
      revision: Revision(rawValue: revision), item: item, author: SessionID(rawValue: 1), placed: .zero,
      placedBy: .daemon, previous: History.none, run: .none, collection: 0)
  }

  @Test func `I8: the history window is bounded in revisions and in records`() {
    var history = History(at: .zero, revisionsMax: 10)
    for revision in 1...500 as ClosedRange<UInt64> {
      _ = history.append(Self.takeOut(revision, ItemID(rawValue: revision)))
      history.trim(at: Revision(rawValue: revision))
      let oldest = revision < 10 ? 0 : revision - 10
      #expect(history.oldestBase.rawValue == oldest)
      #expect(history.takeOuts(since: history.oldestBase).map(\.revision.rawValue) == Array((oldest + 1)...revision))
    }
    #expect(history.takeOuts(since: Revision(rawValue: 497)).map(\.revision.rawValue) == [498, 499, 500])
    #expect(history.takeOuts(since: Revision(rawValue: 500)).isEmpty)
    history.rollBack(to: Revision(rawValue: 498))
    #expect(history.takeOuts(since: Revision(rawValue: 495)).map(\.revision.rawValue) == [496, 497, 498])
  }

  @Test func `I5: a table that continues from another table's state knows nothing of that table's history`() {
    var bench = Bench(Types.numbered(6))
    let list = Types.handle(0)
    let ids = bench.state.itemIDs(in: list)
    for id in ids.dropLast() {
      bench.judge(.move([id], to: .end(of: list)), by: 2)
    }
    for table in [Table(restoring: bench.state, random: RandomSource(seed: 2)), Table(replicaOf: bench.state)] {
      var continued = table
      let base = continued.state.revision
      var author = TestAuthor()
      for id in ids {
        author.ask(.move([id], to: .end(of: list)), of: &continued, base: base)
        #expect(continued.brokenChain() == nil)
      }
    }
  }

  @Test func `I10: a prediction that exceeded the window is undone, and later diffs apply`() throws {
    var history = History(at: .zero)
    let many = TableLimits.historyTakeOutsMax + 1
    for revision in 1...3 as ClosedRange<UInt64> {
      for number in 0..<(revision == 3 ? many : 1) {
        _ = history.append(Self.takeOut(revision, ItemID(rawValue: UInt64(number) + 1)))
      }
      history.trim(at: Revision(rawValue: revision))
    }
    #expect(history.oldestBase.rawValue == 3)
    history.rollBack(to: .zero)
    history.trim(at: Revision(rawValue: 1))
    #expect(history.oldestBase == .zero)
  }
}
