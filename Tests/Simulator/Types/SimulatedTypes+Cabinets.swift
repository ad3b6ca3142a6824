import BaizeTable

/// Collections that people make, and that hide what is in them.
///
/// | handle | | visible |
/// |---|---|---|
/// | 1–3 | `hand/1` … | items and faces: the owner; others count |
/// | 4 | `boxes` | all; each item opens a `box`: all; the items go along with it |
/// | 5 | `drawers` | all; each item opens a `drawer`: items: all; faces: nobody |
/// | 6 | `crates` | all; each item opens a `crate`: items: all; faces: if face up; the items go along with it |
/// | 7 | `row` | items: all; faces: if face up |
/// | 8 | `stock` | items: all; faces: nobody |
extension SimulatedTypes {
  /// Players act at any time, in their own zones and in shared ones.
  static let cabinets: TableType = {
    let hands = (1...3 as ClosedRange<UInt32>).map {
      CollectionRules(id: "hand/\($0)", kind: 0, owner: SeatNumber(rawValue: $0))
    }
    let shared = ["boxes", "drawers", "crates", "row", "stock"].enumerated().map {
      CollectionRules(id: $1, kind: 1 + $0)
    }
    return TableType(
      name: "cabinets", document: "cabinets", seatsMax: 3, contention: .first, turns: .zones,
      collections: hands + shared, kinds: kinds, actions: actions,
      setUp: SetUp(decks: [
        Deck(
          contents: .numbered(count: 40, attribute: "number"), isShuffled: true,
          deals: (1...3).map { .init(to: handle($0), count: 5) } + [
            .init(to: row, count: 3, up: .last), .init(to: stock),
          ]),
        Deck(contents: .numbered(count: 2, attribute: "number"), deals: [.init(to: handle(4))]),
        Deck(contents: .numbered(count: 2, attribute: "number"), deals: [.init(to: handle(5))]),
        Deck(contents: .numbered(count: 2, attribute: "number"), deals: [.init(to: handle(6))]),
      ]))
  }()

  private static let (row, stock) = (handle(7), handle(8))

  private static let kinds: [CollectionKind] = {
    let any = LiftRule(by: .anyone, offers: everything)
    let opener = LiftRule(by: .anyone, offers: [.move, .delete])
    let opens = AcceptRule(by: .anyone, inserts: true)
    let takes = AcceptRule(operations: [.move, .copy], by: .anyone, inserts: true)
    // Few moves show a face: most pairs are compared to the end.
    var shows = takes
    (shows.from, shows.fromKinds) = ([], [4, 6])
    return [
      CollectionKind(
        name: "hand", faces: .owner, isPrivate: true, lift: LiftRule(offers: everything), accept: takes,
        allowsUpdate: true),
      CollectionKind(
        name: "boxes", lift: opener, accept: opens, allowsUpdate: true, opens: Opening(6, removesItems: true)),
      CollectionKind(name: "drawers", lift: opener, accept: opens, allowsUpdate: true, opens: Opening(7)),
      CollectionKind(
        name: "crates", lift: opener, accept: opens, allowsUpdate: true, opens: Opening(8, removesItems: true)),
      CollectionKind(name: "row", faces: .each, lift: any, accept: takes, turnsExposed: true),
      CollectionKind(name: "stock", faces: .down, lift: LiftRule(shape: .top, by: .anyone), accept: takes),
      CollectionKind(name: "box", lift: any, accept: shows, allowsUpdate: true),
      CollectionKind(name: "drawer", faces: .down, lift: any, accept: takes),
      CollectionKind(name: "crate", faces: .each, lift: any, accept: takes, turnsExposed: true),
    ]
  }()

  private static let actions: [Action] = (1...3).flatMap { seat in
    [
      action("draw/\(seat)", .deal(from: stock, to: handle(UInt32(seat)), count: one)),
      action("return/\(seat)", .deal(from: handle(UInt32(seat)), to: stock, count: one)),
    ]
  }
}
