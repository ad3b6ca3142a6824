import BaizeSync
import BaizeTable
import BaizeWorkload
import Testing

/// I3 and I7, as the load harness checks them for a daemon that is killed. Each fault must be found.
@Suite struct OperationLedgerTests {
  private let first = Mark(player: 0, number: 1)
  private let second = Mark(player: 0, number: 2)
  private let list = Destination.end(of: CollectionHandle(rawValue: 1))

  private func insertion(of mark: Mark) -> TableOperation.Kind { .insert([mark.newItem], list) }
  private func removal(_ item: UInt64) -> TableOperation.Kind { .remove(ItemList(ItemID(rawValue: item))) }
  private func update(_ value: Int) -> TableOperation.Kind {
    .update(ItemID(rawValue: 7), attributes: [Mark.value(value)], representations: [])
  }

  private typealias Operation = (kind: TableOperation.Kind, player: Int, verdict: OperationLedger.Verdict)

  /// A ledger with one insertion and its verdict, and operations on the item.
  private func ledger(_ verdict: OperationLedger.Verdict?, _ later: Operation...) -> OperationLedger {
    var ledger = OperationLedger()
    ledger.submitted(insertion(of: first), mark: nil, by: 0)
    if let verdict { ledger.answered(insertion(of: first), verdict, to: 0) }
    for operation in later {
      ledger.submitted(operation.kind, mark: first, by: operation.player)
      ledger.answered(operation.kind, operation.verdict, to: operation.player)
    }
    return ledger
  }

  private func faults(_ ledger: OperationLedger, _ items: [MarkedItem]) -> [Fault: Int] {
    var ledger = ledger
    ledger.compare(with: items)
    return ledger.faults.counts
  }

  private func item(_ mark: Mark, _ value: Int? = nil) -> MarkedItem { MarkedItem(mark: mark, value: value) }

  @Test func `an accepted insertion exists once, a refused one does not`() {
    #expect(faults(ledger(.accepted), [item(first)]) == [:])
    #expect(faults(ledger(.accepted), []) == [.lost: 1])
    #expect(faults(ledger(.accepted), [item(first), item(first)]) == [.duplicated: 1])
    #expect(faults(ledger(.refused), []) == [:])
    #expect(faults(ledger(.refused), [item(first)]) == [.unexpected: 1])
    #expect(faults(ledger(.unchanged), [item(first)]) == [.unexpected: 1])
  }

  @Test func `an item that no operation made is found`() {
    #expect(faults(ledger(.accepted), [item(first), item(second)]) == [.unexpected: 1])
  }

  @Test func `an operation without an answer is found, with or without its effect`() {
    #expect(faults(ledger(nil), []) == [.unresolved: 1])
    #expect(faults(ledger(nil), [item(first)]) == [.unresolved: 1])
    #expect(faults(ledger(.unknown), []) == [.unresolved: 1])
    #expect(faults(ledger(.unknown), [item(first)]) == [.unresolved: 1])
    #expect(faults(ledger(nil), [item(first), item(first)]) == [.unresolved: 1, .duplicated: 1])
  }

  @Test func `a second answer and an answer without an operation are found`() {
    var twice = ledger(.accepted)
    twice.answered(insertion(of: first), .accepted, to: 0)
    #expect(faults(twice, [item(first)]) == [.duplicated: 1])
    var another = ledger(.accepted)
    another.answered(insertion(of: first), .accepted, to: 1)
    #expect(faults(another, [item(first)]) == [.duplicated: 1])
  }

  @Test func `a removed item is absent, and a refused removal keeps its item`() {
    let removed = ledger(.accepted, (removal(7), 1, .accepted))
    #expect(faults(removed, []) == [:])
    #expect(faults(removed, [item(first)]) == [.lost: 1])
    let kept = ledger(.accepted, (removal(7), 1, .refused))
    #expect(faults(kept, [item(first)]) == [:])
    #expect(faults(kept, []) == [.lost: 1])
  }

  @Test func `of two removals of one item one may be refused`() {
    let ledger = ledger(.accepted, (removal(7), 1, .accepted), (removal(7), 2, .refused))
    #expect(faults(ledger, []) == [:])
    #expect(faults(ledger, [item(first)]) == [.lost: 1])
  }

  @Test func `the last accepted update remains`() {
    let ledger = ledger(
      .accepted, (update(1), 0, .accepted), (update(2), 0, .accepted), (update(3), 0, .refused))
    #expect(faults(ledger, [item(first, 2)]) == [:])
    #expect(faults(ledger, [item(first, 1)]) == [.lost: 1])
    #expect(faults(ledger, [item(first, 3)]) == [.lost: 1])
    #expect(faults(ledger, [item(first)]) == [.lost: 1])
  }

  @Test func `an operation is recognised after it was rewritten`() {
    let provisional = ItemID.provisional(operation: SequenceNumber(rawValue: 3), number: 0)
    var ledger = ledger(.accepted)
    let move = TableOperation.Kind.move([provisional], to: list, suggested: .move)
    ledger.submitted(move, mark: nil, by: 0)
    ledger.answered(
      .move([ItemID(rawValue: 9)], to: .before(ItemID(rawValue: 4), in: list.collection), suggested: .move), .accepted,
      to: 0)
    #expect(ledger.pendingCount == 0 && faults(ledger, [item(first)]) == [:])
    ledger.submitted(move, mark: nil, by: 0)
    ledger.answered(removal(9), .accepted, to: 0)
    #expect(ledger.pendingCount == 1 && ledger.faults.counts == [.duplicated: 1])
  }

  @Test func `a mark is read from the item that has it`() {
    let mark = Mark(player: 1_000, number: 4_000_000_000)
    #expect(Mark(mark.newItem.face) == mark)
    #expect(Mark(NewItem(attributes: [Attribute("number", 5)]).face) == nil)
  }

  @Test func `a move is answered without the items that were removed meanwhile`() {
    func move(_ items: UInt64...) -> TableOperation.Kind { .move(items.map(ItemID.init(rawValue:)), to: list) }
    var ledger = OperationLedger()
    for kind in [move(1, 2), move(1)] { ledger.submitted(kind, by: 0) }
    for kind in [move(1), move(1)] { ledger.answered(kind, .accepted, to: 0) }
    #expect(ledger.faults.isEmpty && ledger.pendingCount == 0)
    ledger.submitted(move(1, 2), by: 0)
    ledger.answered(move(3), .accepted, to: 0)
    #expect(ledger.faults.counts == [.duplicated: 1])
  }

  // MARK: Effects

  @Test func `an accepted operation has one effect in the journal, another has none`() {
    for (verdict, effects, faults) in [
      (.accepted, 1, [:]), (.accepted, 0, [.lost: 1]), (.accepted, 2, [.duplicated: 1]), (.refused, 0, [:]),
      (.refused, 1, [.unexpected: 1]), (.unchanged, 1, [.unexpected: 1]), (nil, 0, [.unresolved: 1]),
    ] as [(OperationLedger.Verdict?, Int, [Fault: Int])] {
      var ledger = ledger(verdict)
      ledger.compare(withEffectsOf: Array(repeating: 0, count: effects))
      #expect(ledger.faults.counts == faults)
      #expect(ledger.faults.first?.fault == faults.keys.first)
    }
  }

  @Test func `accepted effects may be lost where that is said`() {
    var ledger = ledger(.accepted)
    ledger.compare(withEffectsOf: [], mayLose: true)
    #expect(ledger.faults.isEmpty)
  }

  @Test func `an entry gets one answer, which its player may give up`() {
    var ledger = OperationLedger()
    let entries = (0..<2).map { _ in ledger.submitted(removal(3), by: 0) }
    ledger.answered(entries[1], .accepted)
    ledger.answered(entries[0], .unknown, mayBeUnknown: true)
    #expect(ledger.faults.isEmpty && ledger.pendingCount == 0)
    ledger.answered(entries[1], .accepted)
    #expect(ledger.faults.counts == [.duplicated: 1])
  }
}
