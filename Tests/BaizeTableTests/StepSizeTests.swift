import Testing

@testable import BaizeTable

/// The bounds on the work of one operation's steps and rules (I8, I11).
@Suite struct StepSizeTests {
  private static let (list, deck, chute) = (Types.handle(0), Types.handle(1), Types.handle(2))

  /// A list of `count` items, a deck, and a chute that deals what it receives to the deck.
  private static func type(_ count: Int, _ actions: [String: [Action.Step]]) -> TableType {
    let kinds = [
      CollectionKind(name: "plain"),
      CollectionKind(name: "chute", accept: AcceptRule(then: [.deal(from: chute, to: deck, count: nil)])),
    ]
    return TableType(
      name: "steps",
      collections: [("list", 0), ("deck", 0), ("chute", 1)].map { CollectionRules(id: $0, kind: $1) }, kinds: kinds,
      actions: actions.map { Action(name: $0, cases: [.init(steps: $1)], otherwise: Refusal(.forbidden)) },
      setUp: SetUp(
        decks: [Deck(contents: .numbered(count: count, attribute: "number"), deals: [Deck.Deal(to: list)])]))
  }

  private static func deal(_ count: Term?) -> Action.Step { .deal(from: list, to: deck, count: count) }
  private static func number(_ number: Int) -> Term { .constant(.number(Int64(number))) }

  private static let most = TableLimits.stepItemsMax

  /// Actions, and the largest list on which each is allowed; `nil` for a list of any length.
  private static let actions: [(name: String, steps: [Action.Step], fits: Int?)] = [
    ("deal all", [deal(nil)], most), ("deal as many", [deal(number(most))], nil),
    ("deal one more", [deal(number(most + 1))], most), ("shuffle", [.shuffle(list)], most),
    ("deal, then shuffle", [deal(nil), .shuffle(deck)], most / 2),
    ("deal to and fro", [deal(nil), .deal(from: deck, to: list, count: nil)], most / 2),
    ("deal two parts", [deal(number(most / 2)), deal(number(most / 2))], nil),
  ]

  @Test(arguments: actions.indices)
  func `an action's steps move so many items together and no more`(index: Int) {
    let (name, steps, fits) = Self.actions[index]
    for count in [fits ?? Self.most, (fits ?? 3 * Self.most) + 1] {
      var bench = Bench(Self.type(count, ["act": steps]))
      let isTooMany = bench.judge(.perform(action: "act", items: [], nil)).isTooMany
      #expect(isTooMany == (count > fits ?? .max), "\(name) of \(count)")
    }
  }

  @Test func `the steps after a move count what has moved`() {
    for (count, isAllowed) in [(Self.most, true), (Self.most + 1, false)] {
      var bench = Bench(
        Self.type(2 * Self.most, ["fill": [.deal(from: Self.list, to: Self.chute, count: Self.number(count - 2))]]))
      #expect(!bench.judge(.perform(action: "fill", items: [], nil)).isTooMany)
      let items = ItemList(bench.state.itemIDs(in: Self.list).prefix(2))
      let drop = ReorderDifference(sources: items, destination: .end(of: Self.chute))
      #expect(bench.judge(.reorder(drop, suggested: [])).isTooMany == !isAllowed)
    }
  }

  /// A pile that everyone sees and that stamps a text, and a bag that hides faces.
  private static func hiding() -> TableType {
    let stamp = AcceptRule.Stamp(name: "stamp", value: .constant(.text("0123456789")))
    let kinds = [
      CollectionKind(
        name: "pile", lift: LiftRule(offers: [.move, .copy]), accept: AcceptRule(inserts: true, stamps: [stamp]),
        allowsUpdate: true),
      CollectionKind(
        name: "bag", faces: .down, lift: LiftRule(offers: [.move]), accept: AcceptRule(inserts: true)),
    ]
    return TableType(
      name: "hiding", collections: [("pile", 0), ("bag", 1)].map { CollectionRules(id: $0, kind: $1) }, kinds: kinds,
      faceBytes: 100)
  }

  private static func item(_ faceBytes: Int) -> NewItem {
    let count = faceBytes - Attribute("text", "").contentBytes
    return NewItem(attributes: [Attribute("text", String(repeating: "t", count: count))])
  }

  /// L6: being visible or not changes no count.
  @Test func `where faces may be hidden each counts the same, and none is larger, wherever it lies`() {
    let (pile, bag) = (Types.handle(0), Types.handle(1))
    var bench = Bench(Self.hiding())
    for (index, collection) in [pile, bag, pile, bag].enumerated() {
      let size = index < 2 ? 30 : 100
      #expect(bench.judge(.insert([Self.item(size)], .end(of: collection))).summary == "accepted")
      #expect(bench.state.contentBytes == (index + 1) * (TableLimits.itemContentBytes + 100))
      #expect(bench.judge(.insert([Self.item(101)], .end(of: collection))).summary == "refused:TEXT_TOO_LONG")
    }
    let bytes = bench.state.contentBytes
    let large = Self.item(101).face.attributes
    let update = TableOperation.Kind.update(bench.state.itemIDs(in: pile)[0], attributes: large, representations: [])
    #expect(bench.judge(update).summary == "refused:TEXT_TOO_LONG")
    // A stamp that does not fit is left out: a refusal would tell the size of a hidden face.
    let hidden = bench.state.itemIDs(in: bag)
    #expect(bench.judge(.move(ItemList(hidden), to: .end(of: pile))).summary == "accepted")
    let faces = bench.state.items(in: pile, from: 2, limit: 2).map(\.face)
    #expect(faces.map { $0["stamp"] != nil } == [true, false] && bench.state.contentBytes == bytes)
  }

  @Test func `the cost of rules counts every term, for each seat and each collection that is read`() {
    let two = Predicate.compare(.attribute(.item, "a"), .less, .constant(.number(1)))
    let handles = [Self.list, Self.deck, Self.chute]
    let sum = Predicate.compare(
      .count(.collections(handles)), .less, .sum([.variable("many"), .attribute(.below, "a")]))
    func condition(_ predicate: Predicate) -> Condition { Condition(predicate, else: .forbidden) }
    let cost = RuleCost(
      kinds: [
        CollectionKind(name: "a", lift: LiftRule(each: [condition(two)]), accept: AcceptRule(pairs: [condition(sum)])),
        CollectionKind(name: "b", accept: AcceptRule(conditions: [condition(.everySeat(.not(two)))])),
      ],
      actions: [Action(name: "c", each: [condition(.all([two, two]))], cases: [], otherwise: Refusal(.forbidden))],
      endings: [Ending(when: .any([sum, two]), status: "won")], seatsMax: 5, itemsMax: [])
    #expect(cost.perItem == 2 + 6 && cost.perOperation == 5 * 2 + 6 + 2)
    let none = RuleCost(kinds: [CollectionKind(name: "plain")], actions: [], endings: [], seatsMax: 5, itemsMax: [])
    #expect(none.perItem == 0 && none.perOperation == 0)
  }
}

extension Judgement {
  fileprivate var isTooMany: Bool {
    if case .refused(let refusal) = self { refusal.reason == .tooManyItems } else { false }
  }
}
