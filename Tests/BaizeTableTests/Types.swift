@testable import BaizeTable

/// Table types built in code, so that the judge is tested without the document compiler.
enum Types {
  static func named(_ names: [String]) -> [NewItem] { names.map { NewItem(attributes: [Attribute("name", $0)]) } }

  static func letters(_ text: String) -> [String] { text.map(String.init) }

  static func handle(_ index: Int) -> CollectionHandle { CollectionHandle(index: index) }

  /// Lists without rules: every move is allowed.
  static func lists(_ contents: [String], contention: Contention = .last) -> TableType {
    let kind = CollectionKind(
      name: "list", lift: LiftRule(offers: [.move, .copy, .delete], path: "list.lift"),
      accept: AcceptRule(operations: [.move, .copy, .delete], inserts: true, path: "list.accept"),
      allowsUpdate: true, path: "list")
    return TableType(
      name: "lists", seatsMax: 8, contention: contention,
      collections: contents.indices.map { CollectionRules(id: "list/\($0)", kind: 0) }, kinds: [kind],
      setUp: SetUp(
        decks: contents.enumerated().map { index, text in
          Deck(contents: .items(named(letters(text))), deals: [Deck.Deal(to: handle(index))])
        }))
  }

  /// One list of `count` numbered items.
  static func numbered(_ count: Int) -> TableType {
    let kind = CollectionKind(
      name: "list", lift: LiftRule(offers: [.move, .copy, .delete]),
      accept: AcceptRule(operations: [.move, .copy, .delete], inserts: true))
    return TableType(
      name: "numbered", seatsMax: 8, contention: .last, collections: [CollectionRules(id: "list", kind: 0)],
      kinds: [kind],
      setUp: SetUp(
        decks: [Deck(contents: .numbered(count: count, attribute: "name"), deals: [Deck.Deal(to: handle(0))])]))
  }

  /// A type with every kind of change, for scripts: a list, a face-down pile, a pile that keeps faces as they are and turns
  /// exposed cards, an archive that copies, a bin, a column with a capacity. If it is open, all faces are up.
  static func playground(isOpen: Bool = false) -> TableType {
    let any = LiftRule(offers: [.move, .copy, .delete])
    let kinds = [
      CollectionKind(
        name: "list", lift: any, accept: AcceptRule(operations: [.move, .copy], inserts: true), allowsUpdate: true),
      CollectionKind(
        name: "down", faces: isOpen ? .up : .down, lift: any, accept: AcceptRule(operations: [.move], inserts: true)),
      CollectionKind(
        name: "pile", faces: isOpen ? .up : .each, lift: any, accept: AcceptRule(operations: [.move], landing: .end),
        turnsExposed: true),
      CollectionKind(name: "archive", lift: any, accept: AcceptRule(operations: [.copy, .move], landing: .start)),
      CollectionKind(name: "bin", accept: AcceptRule(operations: [.delete])),
      CollectionKind(
        name: "column", lift: any,
        accept: AcceptRule(
          operations: [.move, .copy], inserts: true, capacity: Capacity(itemsMax: 3, acceptsPart: true))),
    ]
    let names = ["list", "down", "pile", "archive", "bin", "column"]
    let collections = names.enumerated().map { CollectionRules(id: $1, kind: $0) }
    let never = Refusal(.unknownAction)
    let actions = [
      Action(
        name: "draw",
        cases: [
          Action.Case(
            when: .compare(.constant(.number(0)), .less, .count(.collections([handle(1)]))),
            steps: [.deal(from: handle(1), to: handle(0), count: .constant(.number(2)))]),
          Action.Case(
            steps: [
              .deal(from: handle(0), to: handle(1), count: nil),
              .set(variable: "rounds", .sum([.variable("rounds"), .constant(.number(1))])),
            ]),
        ], otherwise: never),
      Action(
        name: "shuffle", cases: [Action.Case(steps: [.shuffle(handle(1)), .shuffle(handle(0))])], otherwise: never),
      Action(
        name: "turn", items: .subject, cases: [Action.Case(steps: [.turn(up: true)])], otherwise: never),
      Action(name: "hide", items: .subject, cases: [Action.Case(steps: [.turn(up: false)])], otherwise: never),
      Action(name: "pin", items: .subject, cases: [Action.Case(steps: [.pin(true)])], otherwise: never),
      Action(name: "unpin", items: .subject, cases: [Action.Case(steps: [.pin(false)])], otherwise: never),
    ]
    let deck = Deck(
      contents: .numbered(count: 24, attribute: "name"), isShuffled: true,
      deals: [
        Deck.Deal(to: handle(0), count: 6), Deck.Deal(to: handle(1), count: 5),
        Deck.Deal(to: handle(2), count: 5, up: .last), Deck.Deal(to: handle(3), count: 4),
        Deck.Deal(to: handle(5), count: 2),
        Deck.Deal(to: handle(0), count: 2),
      ])
    let endings = [
      Ending(
        when: .compare(.count(.collections([handle(3)])), .equal, .constant(.number(0))), status: "empty",
        isFinal: false)
    ]
    return TableType(
      name: "playground", seatsMax: 4, contention: .last, allowsPartialMoves: true, collections: collections,
      kinds: kinds, variables: [Attribute("rounds", 0)], actions: actions, endings: endings,
      setUp: SetUp(decks: [deck]))
  }

  /// Returns a random operation on the table's items, sometimes an invalid one.
  static func anyOperation(on state: TableState, _ random: inout SplitMix64) -> TableOperation.Kind {
    let all = state.handles.flatMap(state.itemIDs)
    let handle = state.handles[random.below(state.handles.count)]
    let here = random.below(4) == 0 ? all : state.itemIDs(in: state.handles[random.below(state.handles.count)])
    let items = ItemList(random.sample(here, 1 + random.below(4)))
    let anchor = random.below(3) == 0 ? nil : random.pick(state.itemIDs(in: handle))
    let destination = Destination(
      collection: handle, position: Position(anchor: anchor ?? .none))
    let names = ["draw", "shuffle", "turn", "hide", "pin", "unpin"]
    switch random.below(12) {
    case 0: return .insert([NewItem(attributes: [Attribute("name", "new")]), NewItem()], destination)
    case 1: return .remove(items)
    case 2:
      return .update(
        items.first ?? .none, attributes: [Attribute("name", "u\(random.below(3))"), Attribute("size", 1)],
        representations: random.below(2) == 0 ? [] : [Representation(contentType: "text/plain", data: [1])])
    case 3, 4:
      let action = names[random.below(names.count)]
      return .perform(action: action, items: action == "draw" || action == "shuffle" ? [] : items, nil)
    case 5: return .move(items, to: destination, suggested: .copy)
    default: return .move(items, to: destination)
    }
  }
}
