import BaizeTable

extension SimulatedTypes {
  /// Columns that people make, with limits and cards that go along when a column is removed, and rows in which a lane must be
  /// empty to be removed.
  static let columns: TableType = {
    let lift = LiftRule(offers: [.move, .delete])
    let takes = AcceptRule(inserts: true)
    return TableType(
      name: "columns", document: "columns", seatsMax: 8, contention: .last, allowsPartialMoves: true,
      collections: ["columns", "tray", "lanes"].enumerated().map { CollectionRules(id: $1, kind: $0) },
      kinds: [
        CollectionKind(
          name: "columns", lift: lift, accept: takes, allowsUpdate: true, opens: Opening(3, removesItems: true)),
        CollectionKind(name: "tray", lift: lift, accept: takes, allowsUpdate: true),
        CollectionKind(name: "lanes", lift: lift, accept: takes, allowsUpdate: true, opens: Opening(4)),
        CollectionKind(
          name: "column", lift: LiftRule(offers: [.move, .copy, .delete]),
          accept: AcceptRule(
            operations: [.move, .copy], inserts: true, capacity: Capacity(attribute: "number", acceptsPart: true)),
          allowsUpdate: true),
        CollectionKind(
          name: "lane", lift: lift, accept: takes, allowsUpdate: true, opens: Opening(3, removesItems: true)),
      ],
      setUp: SetUp(decks: [
        Deck(contents: .numbered(count: 3, attribute: "number"), deals: [.init(to: handle(1))]),
        Deck(contents: .numbered(count: 9, attribute: "number"), deals: [.init(to: handle(2))]),
        Deck(contents: .numbered(count: 2, attribute: "number"), deals: [.init(to: handle(3))]),
      ]))
  }()
}
