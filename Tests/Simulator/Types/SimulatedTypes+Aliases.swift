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
    let stamps = [AcceptRule.Stamp(name: "stage", value: .constant(.number(7)))]
    return make(
      "shortcuts", seats: 3, contention: .last, partialMoves: true,
      [
        Group(
          CollectionKind(
            name: "list", lift: any, accept: AcceptRule(operations: takes, inserts: true), allowsUpdate: true),
          ["left", "right"]),
        Group(
          CollectionKind(
            name: "done", lift: any, accept: AcceptRule(operations: takes, stamps: stamps), allowsUpdate: true)),
        Group(CollectionKind(name: "row", faces: .each, lift: hidden, accept: AcceptRule(operations: [.move, .copy]))),
        Group(CollectionKind(name: "bag", faces: .down, lift: hidden, accept: AcceptRule(operations: [.move, .copy]))),
        Group(
          CollectionKind(
            name: "hand", faces: .owner, isPrivate: true, lift: hidden, accept: anything, allowsUpdate: true),
          ofSeats: 3),
      ],
      actions: [
        action("stow", .deal(from: handle(1), to: handle(5), count: one)),
        action("take/1", .deal(from: handle(2), to: handle(6), count: one)),
        action("show", .deal(from: handle(5), to: handle(1), count: one)),
        action("shuffle", .shuffle(handle(1))),
        action("pin", onItems: .pin(true)),
        action("unpin", onItems: .pin(false)),
      ],
      decks: [
        numbered(
          18, isShuffled: true,
          [
            deal(6, to: 1), deal(5, to: 2), deal(2, to: 5), deal(2, to: 6), deal(2, to: 7), deal(1, to: 8), deal(to: 4),
          ])
      ])
  }()
}
