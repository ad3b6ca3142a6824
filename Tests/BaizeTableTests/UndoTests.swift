import Testing

@testable import BaizeTable

/// The reasons for which an undo is refused (G13).
@Suite struct UndoTests {
  private static func number(_ number: UInt64) -> TableOperation.Kind { .undo(SequenceNumber(rawValue: number)) }

  /// L6: a revision counts the same number of notes, whatever it has.
  @Test(arguments: [0, 1, 9, 1_000])
  func `where views differ undo reaches back for a number of revisions`(notes: Int) {
    var window = UndoWindow(isKept: true, isUniform: true)
    window.limits.undoNotesMax = 4 * TableLimits.changesPerRevision
    for number in 1...6 as ClosedRange<UInt64> {
      let (revision, sequence) = (Revision(rawValue: number), SequenceNumber(rawValue: number))
      for _ in 0..<notes { window.note(.made(ItemID(rawValue: number)), at: revision) }
      window.append(UndoWindow.Operation(revision: revision, author: .daemon, sequence: sequence, undoes: .zero))
      window.trim(to: .zero, at: revision)
    }
    let remembered = (1...6 as ClosedRange<UInt64>).filter {
      window.operation(SequenceNumber(rawValue: $0), of: .daemon) != nil
    }
    #expect(window.forgottenNotes == Revision(rawValue: 2) && remembered == [3, 4, 5, 6])
    #expect(window.notes(since: .zero).count == 4 * notes)
  }

  @Test func `I3: an undo of a refused pending operation changes nothing`() {
    var bench = Bench(Types.lists(["abc", "xyz"]))
    bench.move(["a"], to: "list/1")
    #expect(bench.move(["q"], to: "list/1", base: 1).summary == "refused:UNKNOWN_ITEM")
    #expect(bench.judge(Self.number(2), base: 1, unanswered: 1).summary == "refused:DEPENDS_ON_REFUSED")
    // An undo of that undo changes nothing either.
    #expect(bench.judge(Self.number(3), base: 1, unanswered: 2).summary == "refused:DEPENDS_ON_REFUSED")
    #expect(bench.text("list/1") == "xyza")
  }

  @Test func `I5: a table type can forbid undo, and a restored table has no undo history`() {
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

  @Test func `I5: an action is undone as a whole, even beyond the limit of items per operation`() {
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

  @Test func `I8: the memory of former faces is bounded, and an undo without them is too late`() {
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
      window.trim(to: .zero, at: revision)
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
    client.rollBackPrediction(to: state.revision)
    return judgement
  }
}

extension TableState {
  /// Everything about a state, visible or hidden, except for the revisions at which it was changed.
  var picture: Fingerprint {
    var picture = fingerprint
    picture.revision = .zero
    picture.records = handles.map { handle in
      itemIDs(in: handle).map { .init(placed: .zero, placedBy: .daemon, isFaceUp: isFaceUp($0), isFaceKnown: true) }
    }
    return picture
  }
}
