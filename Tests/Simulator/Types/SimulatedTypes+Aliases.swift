import BaizeTable

extension SimulatedTypes {
  /// Lists with items that stand for others, and collections in which aliases cannot be.
  ///
  /// | handle | | faces |
  /// |---|---|---|
  /// | 1, 2 | `left`, `right`: aliases | visible |
  /// | 3 | `done`: aliases; stamps what is moved here | visible |
  /// | 4 | `row` | visible if face up |
  /// | 5 | `bag` | hidden |
  /// | 6–8 | `hand/1` … | items and faces: the owner |
  static let shortcuts: TableType = {
    let any = LiftRule(offers: [.move, .copy, .alias, .delete])
    let hidden = LiftRule(offers: everything)
    let takes: [DropOperation] = [.move, .copy, .alias]
    let hands = (1...3 as ClosedRange<UInt32>).map {
      CollectionRules(id: "hand/\($0)", kind: 4, owner: SeatNumber(rawValue: $0))
    }
    let shared = zip(["left", "right", "done", "row", "bag"], [0, 0, 1, 2, 3]).map { CollectionRules(id: $0, kind: $1) }
    return TableType(
      name: "shortcuts", document: "shortcuts", seatsMax: 3, contention: .last, allowsPartialMoves: true,
      collections: shared + hands,
      kinds: [
        CollectionKind(
          name: "list", lift: any, accept: AcceptRule(operations: takes, inserts: true), allowsUpdate: true),
        CollectionKind(
          name: "done", lift: any,
          accept: AcceptRule(
            operations: takes, stamps: [AcceptRule.Stamp(name: "stage", value: .constant(.number(7)))]),
          allowsUpdate: true),
        CollectionKind(name: "row", faces: .each, lift: hidden, accept: AcceptRule(operations: [.move, .copy])),
        CollectionKind(name: "bag", faces: .down, lift: hidden, accept: AcceptRule(operations: [.move, .copy])),
        CollectionKind(
          name: "hand", faces: .owner, isPrivate: true, lift: hidden,
          accept: AcceptRule(operations: [.move, .copy], inserts: true), allowsUpdate: true),
      ],
      actions: [
        action("stow", .deal(from: handle(1), to: handle(5), count: one)),
        action("take/1", .deal(from: handle(2), to: handle(6), count: one)),
        action("show", .deal(from: handle(5), to: handle(1), count: one)),
        action("shuffle", .shuffle(handle(1))),
        Action(name: "pin", items: .subject, cases: [.init(steps: [.pin(true)])], otherwise: never),
        Action(name: "unpin", items: .subject, cases: [.init(steps: [.pin(false)])], otherwise: never),
      ],
      setUp: SetUp(decks: [
        Deck(
          contents: .numbered(count: 18, attribute: "number"), isShuffled: true,
          deals: [
            .init(to: handle(1), count: 6), .init(to: handle(2), count: 5), .init(to: handle(5), count: 2),
            .init(to: handle(6), count: 2), .init(to: handle(7), count: 2), .init(to: handle(8), count: 1),
            .init(to: handle(4)),
          ])
      ]))
  }()
}
