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
      endings: [Ending(when: .any([sum, two]), status: "won")], seatsMax: 5)
    #expect(cost.perItem == 2 + 6 && cost.perOperation == 5 * 2 + 6 + 2)
    let none = RuleCost(kinds: [CollectionKind(name: "plain")], actions: [], endings: [], seatsMax: 5)
    #expect(none.perItem == 0 && none.perOperation == 0)
  }
}

extension Judgement {
  fileprivate var isTooMany: Bool {
    if case .refused(let refusal) = self { refusal.reason == .tooManyItems } else { false }
  }
}
