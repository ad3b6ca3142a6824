import Testing

@testable import BaizeTable

/// The reasons for which an undo is refused (G13).
@Suite struct UndoTests {
  private static func number(_ number: UInt64) -> TableOperation.Kind { .undo(SequenceNumber(rawValue: number)) }

  @Test("I5: an author's own operation of every kind can be undone")
  func kinds() {
    var bench = Bench(Types.playground())
    let list = Destination.end(of: bench.handle("list"))
    let items = bench.state.itemIDs(in: bench.handle("list"))
    let kinds: [TableOperation.Kind] = [
      .move([items[4], items[1], items[2]], to: list, suggested: .move),
      .move([items[0], items[3]], to: list, suggested: .copy),
      .move([items[1], items[2]], to: .end(of: bench.handle("bin"))),
      .insert([NewItem(attributes: [Attribute("name", "new")]), NewItem()], list), .remove([items[6], items[0]]),
      .update(items[5], attributes: [Attribute("name", "other")], representations: []),
      .perform(action: "pin", items: [items[0], items[2]], nil),
      .perform(action: "hide", items: [bench.state.itemIDs(in: bench.handle("pile"))[4]], nil),
    ]
    for kind in kinds {
      let before = bench.state.picture
      #expect(bench.judge(kind).summary == "accepted")
      #expect(bench.state.picture != before)
      #expect(bench.undo().summary == "accepted")
      #expect(bench.state.picture == before, "\(kind)")
    }
  }

  @Test("I6: an operation that revealed or hid a face cannot be undone")
  func shown() {
    var bench = Bench(Types.playground())
    let (pile, down) = (bench.handle("pile"), bench.handle("down"))
    let top = bench.state.itemIDs(in: pile)[4]
    let hidden = bench.state.itemIDs(in: down)
    let kinds: [TableOperation.Kind] = [
      // Exposes a card; turns up the item or its copy; hides it; gives all items new ids; reveals one.
      .move([top], to: .end(of: bench.handle("list"))),
      .move([hidden[0]], to: .end(of: bench.handle("list")), suggested: .move),
      .move([hidden[1]], to: .end(of: bench.handle("list")), suggested: .copy),
      .move([top], to: .end(of: down)),
      .perform(action: "shuffle", items: [], nil),
      .perform(action: "turn", items: [bench.state.itemIDs(in: pile)[0]], nil),
    ]
    for kind in kinds {
      #expect(bench.judge(kind).summary == "accepted")
      #expect(bench.undo().summary == "refused:UNDO_TOO_LATE", "\(kind)")
    }
  }

  @Test("I3: an undo of a refused, unchanged, foreign, undone or unknown operation changes nothing")
  func nothingToUndo() {
    var bench = Bench(Types.lists(["abc", "xyz"]))
    bench.move(["a"], to: "list/1", by: 2)
    #expect(bench.move(["q"], to: "list/1").summary == "refused:UNKNOWN_ITEM")
    #expect(bench.judge(Self.number(1)).summary == "refused:UNDO_TOO_LATE")
    #expect(bench.move(["c"], to: "list/0").summary == "unchanged")
    #expect(bench.judge(Self.number(3)).summary == "refused:UNDO_TOO_LATE")
    for number: UInt64 in [0, 6, 7, .max] {
      #expect(bench.judge(Self.number(number)).summary == "refused:UNDO_TOO_LATE")
    }
    #expect(bench.judge(Self.number(1), by: 2).summary == "accepted")
    #expect(bench.judge(Self.number(1), by: 2).summary == "refused:UNDO_TOO_LATE")
    #expect(bench.text("list/0") == "abc")
  }

  @Test("I3: an undo of a refused pending operation changes nothing")
  func behindRefused() {
    var bench = Bench(Types.lists(["abc", "xyz"]))
    bench.move(["a"], to: "list/1")
    #expect(bench.move(["q"], to: "list/1", base: 1).summary == "refused:UNKNOWN_ITEM")
    #expect(bench.judge(Self.number(2), base: 1, unanswered: 1).summary == "refused:DEPENDS_ON_REFUSED")
    // An undo of that undo changes nothing either.
    #expect(bench.judge(Self.number(3), base: 1, unanswered: 2).summary == "refused:DEPENDS_ON_REFUSED")
    #expect(bench.text("list/1") == "xyza")
  }

  @Test("I5: a table type can forbid undo, and a restored table has no undo history")
  func forgotten() {
    var bench = Bench(Types.lists(["abc"]))
    bench.move(["a"], to: "list/0")
    bench.table = Table(restoring: bench.state, random: RandomSource(seed: 1))
    bench.replica = Table(replicaOf: Bench.snapshot(of: bench.state))
    #expect(bench.undo().summary == "refused:UNDO_TOO_LATE")
    let kind = CollectionKind(name: "list", lift: LiftRule(offers: [.move]), accept: AcceptRule(operations: [.move]))
    bench = Bench(
      TableType(
        name: "final", seatsMax: 2, allowsUndo: false, collections: [CollectionRules(id: "list", kind: 0)],
        kinds: [kind],
        setUp: SetUp(decks: [Deck(contents: .items(Types.named(["a", "b"])), deals: [Deck.Deal(to: Types.handle(0))])]))
    )
    #expect(bench.move(["a"], to: "list").summary == "accepted")
    #expect(bench.undo().summary == "refused:OPERATION_NOT_SUPPORTED")
  }

  @Test(
    "I5: an undo is refused after a later change of the item, its gap or the items on it",
    arguments: [
      ("an item", ["b"], "list/1", nil as String?, "UNDO_TOO_LATE"),
      ("what followed it", ["c"], "list/1", nil, "UNDO_TOO_LATE"),
      ("what stood before it", ["a"], "list/1", nil, "UNDO_TOO_LATE"),
      ("put into its place", ["y"], "list/0", "c", "UNDO_TOO_LATE"), ("elsewhere", ["x"], "list/0", nil, ""),
      ("further off", ["d"], "list/1", "x", ""), ("before what stood before it", ["z"], "list/0", "a", ""),
    ])
  func touched(_ case: (String, [String], String, String?, String)) {
    var bench = Bench(Types.lists(["abcd", "xyz"]))
    bench.move(["b"], to: "list/1", before: "y")
    bench.move(`case`.1, to: `case`.2, before: `case`.3, by: 2)
    let summary = bench.undo(of: 1, by: 1).summary
    #expect(summary == (`case`.4.isEmpty ? "accepted" : "refused:\(`case`.4)"), "\(`case`.0)")
    // Once the other author has undone its operation, the undo is accepted.
    guard !`case`.4.isEmpty else { return }
    #expect(bench.undo(of: 1, by: 2).summary == "accepted")
    #expect(bench.undo(of: 1, by: 1).summary == "accepted")
    #expect(bench.text("list/0") == "abcd" && bench.text("list/1") == "xyz")
  }

  @Test("I5: an undo is refused under other authors' items or into a full collection")
  func pilesAndRoom() {
    var bench = Bench(Self.piles)
    bench.move(["b"], to: "run/1")
    bench.move(["z"], to: "run/1", by: 2)
    #expect(bench.undo(of: 1, by: 1).summary == "refused:UNDO_TOO_LATE")
    bench.undo(of: 1, by: 2)
    #expect(bench.undo(of: 1, by: 1).summary == "accepted")
    bench.move(["p"], to: "run/1")
    bench.move(["z"], to: "limited", before: "q", by: 2)
    // A later item in the gap itself makes it too late; one at the other end only fills the collection.
    #expect(bench.undo(by: 1).summary == "refused:UNDO_TOO_LATE")
    bench.undo(by: 2)
    bench.move(["z"], to: "limited", by: 2)
    #expect(bench.undo(of: 4, by: 1).summary == "refused:CAPACITY_EXCEEDED")
  }

  @Test("I5: an action is undone as a whole, even beyond the limit of items per operation")
  func moreThanMayBeNamed() {
    let lists = Types.lists(["abc", "xyz"])
    let sweep = Action(
      name: "sweep", cases: [Action.Case(steps: [.deal(from: Types.handle(0), to: Types.handle(1), count: nil)])],
      otherwise: Refusal(.unknownAction))
    var bench = Bench(
      TableType(
        name: "swept", seatsMax: 8, contention: .last, collections: lists.collections, kinds: lists.kinds,
        actions: [sweep], setUp: lists.setUp))
    bench.table.itemsPerOperationMax = 2
    let before = bench.state.picture
    #expect(bench.move(["a", "b", "c"], to: "list/1").summary == "refused:TOO_MANY_ITEMS")
    #expect(bench.judge(.perform(action: "sweep", items: [], nil)).summary == "accepted")
    #expect(bench.text("list/0").isEmpty && bench.undo().summary == "accepted")
    #expect(bench.state.picture == before)
  }

  /// Two piles and a column with room for two.
  private static let piles: TableType = {
    let run = CollectionKind(
      name: "run", lift: LiftRule(shape: .run, offers: [.move]), accept: AcceptRule(landing: .endOnly))
    let limited = CollectionKind(
      name: "limited", lift: LiftRule(offers: [.move]), accept: AcceptRule(capacity: Capacity(itemsMax: 2)))
    let contents = ["ab", "", "pq", "z"]
    return TableType(
      name: "piles", seatsMax: 8,
      collections: [("run/0", 0), ("run/1", 0), ("limited", 1), ("stack", 0)].map { CollectionRules(id: $0, kind: $1) },
      kinds: [run, limited],
      setUp: SetUp(
        decks: contents.enumerated().map { index, text in
          Deck(contents: .items(Types.named(Types.letters(text))), deals: [Deck.Deal(to: Types.handle(index))])
        }))
  }()

  @Test("I8: the memory of former faces is bounded, and an undo without them is too late")
  func bounds() {
    var window = UndoWindow(isKept: true)
    let (item, author) = (ItemID(rawValue: 1), SessionID(rawValue: 1))
    let data = [UInt8](repeating: 1, count: TableLimits.undoBytesMax / 8)
    let face = Face(attributes: [], representations: [Representation(contentType: "text/plain", data: data)])
    let appearance = UndoWindow.Appearance(
      face: face, isFaceUp: true, isFaceKnown: true, isPinned: false, lastTakeOut: History.none)
    var remembered: [Int] = []
    for number in 1...40 as ClosedRange<UInt64> {
      let (revision, sequence) = (Revision(rawValue: number), SequenceNumber(rawValue: number))
      window.note(.changed(item, appearance), at: revision)
      window.append(UndoWindow.Operation(revision: revision, author: author, sequence: sequence, undoes: .zero))
      window.trim(to: .zero)
      let operations = (1...number).compactMap { window.operation(SequenceNumber(rawValue: $0), of: author) }
      // The remembered operations, the latest ones, can be undone.
      for operation in operations {
        let base = Revision(rawValue: operation.revision.rawValue - 1)
        #expect(window.notes(since: base, through: operation.revision).count == 1)
      }
      #expect(operations.last?.sequence == sequence)
      remembered.append(operations.count)
    }
    #expect((remembered.max() ?? 0) <= 8 && remembered.last ?? 0 > 1)
  }
}

extension Bench {
  /// Undoes an operation of `author`, by default its last one.
  @discardableResult
  mutating func undo(
    of sequence: UInt64? = nil, by author: UInt64 = 1, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Judgement {
    let target = sequence.map(SequenceNumber.init(rawValue:)) ?? last[SessionID(rawValue: author), default: .zero]
    // A replica's prediction equals the result.
    var client = replica
    client.beginPrediction()
    var memory = memories[SessionID(rawValue: author), default: AuthorMemory()]
    let predicted = client.judge(
      TableOperation(
        sequence: last[SessionID(rawValue: author), default: .zero].next, base: state.revision,
        epoch: Epoch(rawValue: 1), kind: .undo(target)),
      by: Author(session: SessionID(rawValue: author), seat: SeatNumber(rawValue: UInt32(author))), memory: &memory)
    let judgement = judge(.undo(target), by: author, sourceLocation: sourceLocation)
    if predicted.refusal != Refusal.unpredictable {
      #expect(predicted.summary == judgement.summary, sourceLocation: sourceLocation)
      let visible = judgement.diff?.view(for: SeatNumber(rawValue: UInt32(author)))
      #expect(
        predicted.diff?.view(for: SeatNumber(rawValue: UInt32(author))) == visible, sourceLocation: sourceLocation)
    }
    client.takeBackPrediction(to: state.revision)
    return judgement
  }
}

extension TableState {
  /// Everything about a state, visible or hidden, except for the revisions at which it was changed.
  var picture: Fingerprint {
    var picture = fingerprint
    picture.revision = .zero
    picture.records = handles.map { itemIDs(in: $0).map { "\(isFaceUp($0))" } }
    return picture
  }
}
