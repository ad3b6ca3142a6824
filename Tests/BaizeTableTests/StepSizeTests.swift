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

  /// A pile and a row that everyone sees, a bag that hides faces, and a chute that everyone sees and that deals one item to the
  /// bag.
  private static func hiding() -> TableType {
    let (pile, row, bag, chute) = (Types.handle(0), Types.handle(1), Types.handle(2), Types.handle(3))
    let open = CollectionKind(name: "open", accept: AcceptRule(inserts: true))
    let kinds = [
      open, CollectionKind(name: "bag", faces: .down),
      CollectionKind(name: "chute", accept: AcceptRule(then: [.deal(from: chute, to: bag, count: number(1))])),
    ]
    func action(_ name: String, _ steps: [Action.Step]) -> Action {
      Action(name: name, cases: [.init(steps: steps)], otherwise: Refusal(.forbidden))
    }
    return TableType(
      name: "hiding",
      collections: [("pile", 0), ("row", 0), ("bag", 1), ("chute", 2)].map { CollectionRules(id: $0, kind: $1) },
      kinds: kinds,
      actions: [
        action("one", [.deal(from: pile, to: bag, count: number(1))]),
        action("all", [.deal(from: pile, to: bag, count: nil)]),
        action("open", [.deal(from: pile, to: row, count: nil)]),
        action("through", [.deal(from: pile, to: row, count: number(1)), .deal(from: row, to: bag, count: number(1))]),
      ])
  }

  /// L3, G11: a step that deals is no way around the bound of hidden faces.
  @Test(arguments: [0, 1])
  func `an operation whose steps would hide a face that is too large is refused`(excess: Int) {
    let isTooLarge = excess > 0
    let bytes = TableLimits.hiddenFaceBytesMax - "text".utf8.count - TableLimits.partContentBytes + excess
    let large = NewItem(
      representations: [Representation(contentType: "text", data: [UInt8](repeating: 1, count: bytes))])
    let small = NewItem(attributes: [Attribute("number", 1)])
    let (pile, bag, chute) = (Types.handle(0), Types.handle(2), Types.handle(3))
    func bench(_ items: [NewItem]) -> Bench {
      var bench = Bench(Self.hiding())
      for item in items { #expect(bench.judge(.insert([item], .end(of: pile))).summary == "accepted") }
      return bench
    }
    func isRefused(_ action: String, _ items: [NewItem]) -> Bool {
      var bench = bench(items)
      let revision = bench.state.revision
      let isTooMany = bench.judge(.perform(action: action, items: [], nil)).isTooMany
      #expect(isTooMany == (bench.state.revision == revision))
      return isTooMany
    }
    #expect(isRefused("one", [small, large]) == isTooLarge)
    #expect(!isRefused("one", [large, small]), "it stays")
    #expect(isRefused("all", [large, small]) == isTooLarge)
    #expect(!isRefused("open", [large, small]))
    #expect(isRefused("through", [small, large]) == isTooLarge)
    #expect(!isRefused("through", [large, small]))
    var dropped = bench([large, small])
    let items = dropped.state.itemIDs(in: pile)
    func drop(_ item: ItemID) -> TableOperation.Kind { .move([item], to: .end(of: chute)) }
    #expect(dropped.judge(drop(items[0])).isTooMany == isTooLarge)
    #expect(dropped.judge(drop(items[1])).summary == "accepted")
    #expect(dropped.state.count(in: bag) == (isTooLarge ? 1 : 2))
    #expect(dropped.state.brokenInvariant() == nil)
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
