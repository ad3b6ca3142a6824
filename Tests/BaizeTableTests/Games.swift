@testable import BaizeTable

extension Types {
  /// A card by a short name: `7h` is the seven of hearts; A, J, Q, K as usual, T for ten.
  static func card(_ name: String) -> NewItem {
    let ranks = "A23456789TJQK"
    let rank = ranks.firstIndex(of: name.first ?? "A").map { ranks.distance(from: ranks.startIndex, to: $0) + 1 } ?? 0
    let suits = ["c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"]
    return NewItem(attributes: [
      Attribute("name", name), Attribute("rank", Int64(rank)), Attribute("suit", suits[String(name.suffix(1))] ?? "?"),
    ])
  }

  static func cards(_ names: String) -> [NewItem] { names.split(separator: " ").map { card(String($0)) } }

  /// Klondike with two or more piles, a stock, a waste and two foundations. The last card of each pile is face up.
  static func klondike(piles: [String], stock: String, redeals: Int64 = 1) -> TableType {
    let colour = ValueGroup(
      name: "colour",
      groupOfValue: [
        .text("clubs"): "black", .text("spades"): "black", .text("hearts"): "red", .text("diamonds"): "red",
      ])
    let otherColour = Condition(
      .compare(
        .group(colour, .attribute(.item, "suit")), .unequal, .group(colour, .attribute(.below, "suit"))),
      else: Reason(rawValue: "COLOR_MISMATCH"), path: "pile.colour")
    let oneLess = Condition(
      .compare(
        .sum([.attribute(.item, "rank"), .constant(.number(1))]), .equal, .attribute(.below, "rank")),
      else: Reason(rawValue: "RANK_MISMATCH"), path: "pile.rank")
    let pile = CollectionKind(
      name: "pile", faces: .each,
      lift: LiftRule(
        shape: .run, each: [Condition(.faceUp(.item), else: .faceDown, path: "pile.up")],
        pairs: [otherColour, oneLess],
        path: "pile.lift"),
      accept: AcceptRule(
        landing: .end,
        onEmpty: [
          Condition(
            .compare(.attribute(.item, "rank"), .equal, .constant(.number(13))),
            else: Reason(rawValue: "KING_REQUIRED"), path: "pile.king")
        ],
        onItem: [otherColour, oneLess], path: "pile.accept"),
      turnsExposed: true)
    let stockKind = CollectionKind(
      name: "stock", faces: .down, lift: LiftRule(shape: .none, path: "stock.lift"),
      accept: AcceptRule(operations: [], path: "stock.accept"))
    let waste = CollectionKind(
      name: "waste", lift: LiftRule(shape: .top, path: "waste.lift"),
      accept: AcceptRule(operations: [], path: "waste.accept"))
    let foundation = CollectionKind(
      name: "foundation", lift: LiftRule(shape: .top, path: "foundation.lift"),
      accept: AcceptRule(
        landing: .end,
        conditions: [
          Condition(.compare(.count(.sources), .equal, .constant(.number(1))), else: .tooManyItems, path: "one"),
          Condition(
            .compare(.attribute(.item, "suit"), .equal, .collection(.destination, "suit")),
            else: Reason(rawValue: "WRONG_SUIT"), path: "foundation.suit"),
        ],
        onEmpty: [
          Condition(
            .compare(.attribute(.item, "rank"), .equal, .constant(.number(1))),
            else: Reason(rawValue: "RANK_MISMATCH"), path: "foundation.ace")
        ],
        onItem: [
          Condition(
            .compare(
              .difference(.attribute(.item, "rank"), .constant(.number(1))), .equal, .attribute(.below, "rank")),
            else: Reason(rawValue: "RANK_MISMATCH"), path: "foundation.rank")
        ], path: "foundation.accept"))
    let count = piles.count
    let collections =
      piles.indices.map { CollectionRules(id: "pile/\($0)", kind: 0) } + [
        CollectionRules(id: "stock", kind: 1), CollectionRules(id: "waste", kind: 2),
        CollectionRules(id: "foundation/h", kind: 3, attributes: [Attribute("suit", "hearts")]),
        CollectionRules(id: "foundation/s", kind: 3, attributes: [Attribute("suit", "spades")]),
      ]
    let (stockHandle, wasteHandle) = (handle(count), handle(count + 1))
    let draw = Action(
      name: "draw",
      cases: [
        Action.Case(
          when: .compare(.constant(.number(0)), .less, .count(.collections([stockHandle]))),
          steps: [.deal(from: stockHandle, to: wasteHandle, count: .constant(.number(1)))]),
        Action.Case(
          when: .compare(.constant(.number(0)), .less, .count(.collections([wasteHandle]))),
          require: [
            Condition(
              .compare(.constant(.number(0)), .less, .variable("redeals")), else: Reason(rawValue: "NO_REDEAL"),
              path: "draw.redeal")
          ],
          steps: [
            .deal(from: wasteHandle, to: stockHandle, count: nil),
            .set(variable: "redeals", .difference(.variable("redeals"), .constant(.number(1)))),
          ]),
      ], otherwise: Refusal(Reason(rawValue: "STOCK_EMPTY"), rule: "draw"))
    let contents = piles + [stock, "", "", ""]
    let total = contents.reduce(0) { $0 + cards($1).count }
    let win = Ending(
      when: .compare(
        .count(.collections([handle(count + 2), handle(count + 3)])), .equal, .constant(.number(Int64(total)))),
      status: "won")
    return TableType(
      name: "klondike", seatsMax: 4, contention: .first, allowsMixedSources: false, collections: collections,
      kinds: [pile, stockKind, waste, foundation], variables: [Attribute("redeals", redeals)], actions: [draw],
      endings: [win],
      setUp: SetUp(
        decks: contents.enumerated().map { index, names in
          Deck(contents: .items(cards(names)), deals: [Deck.Deal(to: handle(index), up: .last)])
        }))
  }

  /// Columns with a capacity: `doing` accepts two items or nothing, `review` three and as many of a block as fit.
  static func board(todo: String, doing: String = "", review: String = "") -> TableType {
    func column(_ name: String, _ accept: AcceptRule) -> CollectionKind {
      CollectionKind(
        name: name, lift: LiftRule(offers: [.move, .copy], path: "\(name).lift"), accept: accept, path: name)
    }
    let kinds = [
      column("todo", AcceptRule(inserts: true, path: "todo")),
      column("doing", AcceptRule(capacity: Capacity(itemsMax: 2, path: "doing.wip"), path: "doing")),
      column(
        "review",
        AcceptRule(
          operations: [.move, .copy], inserts: true,
          capacity: Capacity(itemsMax: 3, acceptsPart: true, path: "review.wip"),
          path: "review")),
      column(
        "tail",
        AcceptRule(
          landing: .endOnly, capacity: Capacity(itemsMax: 3, acceptsPart: true, path: "tail.wip"), path: "tail")),
    ]
    return TableType(
      name: "board", seatsMax: 4, contention: .last,
      collections: kinds.enumerated().map { CollectionRules(id: $1.name, kind: $0) }, kinds: kinds,
      setUp: SetUp(
        decks: [todo, doing, review].enumerated().map { index, text in
          Deck(contents: .items(named(letters(text))), deals: [Deck.Deal(to: handle(index))])
        }))
  }
}
