import BaizeTable

extension SimulatedTypes {
  /// Collections that people make, and that hide what is in them. Players act at any time, in their own zones and in shared
  /// ones.
  ///
  /// | handle | | visible |
  /// |---|---|---|
  /// | 1–3 | `hand/1` … | items and faces: the owner; others count |
  /// | 4 | `boxes` | all; each item opens a `box`: all; the items go along with it |
  /// | 5 | `drawers` | all; each item opens a `drawer`: items: all; faces: nobody |
  /// | 6 | `crates` | all; each item opens a `crate`: items: all; faces: if face up; the items go along with it |
  /// | 7 | `row` | items: all; faces: if face up |
  /// | 8 | `stock` | items: all; faces: nobody |
  static let cabinets: TableType = {
    let (row, stock) = (handle(7), handle(8))
    let any = LiftRule(by: .anyone, offers: everything)
    let takes = AcceptRule(operations: [.move, .copy], by: .anyone, inserts: true)
    // Few moves show a face: most pairs are compared to the end.
    var shows = takes
    (shows.from, shows.fromKinds) = ([], [4, 6])
    func opener(_ name: String, _ opens: Opening) -> Group {
      Group(
        CollectionKind(
          name: name, lift: LiftRule(by: .anyone, offers: [.move, .delete]),
          accept: AcceptRule(by: .anyone, inserts: true), allowsUpdate: true, opens: opens))
    }
    return make(
      "cabinets", seats: 3, turns: .zones,
      [
        Group(
          CollectionKind(
            name: "hand", faces: .owner, isPrivate: true, lift: LiftRule(offers: everything), accept: takes,
            allowsUpdate: true), ofSeats: 3),
        opener("boxes", Opening(6, removesItems: true)),
        opener("drawers", Opening(7)),
        opener("crates", Opening(8, removesItems: true)),
        Group(CollectionKind(name: "row", faces: .each, lift: any, accept: takes, turnsExposed: true)),
        Group(CollectionKind(name: "stock", faces: .down, lift: LiftRule(shape: .top, by: .anyone), accept: takes)),
      ],
      opened: [
        CollectionKind(name: "box", lift: any, accept: shows, allowsUpdate: true),
        CollectionKind(name: "drawer", faces: .down, lift: any, accept: takes),
        CollectionKind(name: "crate", faces: .each, lift: any, accept: takes, turnsExposed: true),
      ],
      actions: (1...3).flatMap { seat in
        [
          action("draw/\(seat)", .deal(from: stock, to: handle(seat), count: one)),
          action("return/\(seat)", .deal(from: handle(seat), to: stock, count: one)),
        ]
      },
      decks: [
        numbered(
          40, isShuffled: true,
          [deal(5, to: 1), deal(5, to: 2), deal(5, to: 3), deal(3, to: 7, up: .last), deal(to: 8)]),
        numbered(2, [deal(to: 4)]), numbered(2, [deal(to: 5)]), numbered(2, [deal(to: 6)]),
      ])
  }()
}
