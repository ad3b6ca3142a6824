import BaizeTable

/// Collections that stamp what enters them, from where not everyone sees it.
///
/// | handle | | visible |
/// |---|---|---|
/// | 1–3 | `hand/1` … | items and faces: the owner; others count (not in `sealed`) |
/// | next | `stock` | items: all; faces: nobody |
/// | next | `pile` | all; stamps `stage`, and removes `wild` |
/// | last | `discard` | all |
extension SimulatedTypes {
  /// Private hands, too.
  static let stamps = stamping("stamps", seats: 3)

  /// Everyone has the same view.
  static let sealed = stamping("sealed", seats: 0)

  private static func stamping(_ name: String, seats: UInt32) -> TableType {
    let owners = 0..<seats
    let hands = owners.map {
      CollectionRules(id: "hand/\($0 + 1)", kind: 0, owner: SeatNumber(rawValue: $0 + 1))
    }
    let shared = ["stock", "pile", "discard"].enumerated().map { CollectionRules(id: $1, kind: 1 + $0) }
    let any = LiftRule(by: .anyone, offers: everything)
    let takes = AcceptRule(operations: [.move, .copy], by: .anyone, inserts: true)
    var stamps = takes
    stamps.stamps = [
      AcceptRule.Stamp(name: "stage", value: .constant(.number(7))), AcceptRule.Stamp(name: "wild", value: nil),
    ]
    let (stock, pile, discard) = (handle(seats + 1), handle(seats + 2), handle(seats + 3))
    // Few moves show a face: most pairs are compared to the end.
    var keeps = takes
    (keeps.from, keeps.fromKinds) = ([pile], [])
    // Only some cards have what the stamp removes, and of some that is long.
    let cards = (1...30 as ClosedRange<Int64>).map { number in
      var attributes = [Attribute("number", number)]
      if number % 2 == 0 { attributes.append(Attribute("wild", String(repeating: "w", count: Int(number) * 5 % 37))) }
      return NewItem(attributes: attributes)
    }
    return TableType(
      name: name, document: name, seatsMax: 3, contention: .first, turns: .zones, collections: hands + shared,
      kinds: [
        CollectionKind(
          name: "hand", faces: .owner, isPrivate: true, lift: LiftRule(offers: everything), accept: takes,
          allowsUpdate: true),
        CollectionKind(name: "stock", faces: .down, lift: any, accept: takes),
        CollectionKind(name: "pile", lift: any, accept: stamps),
        CollectionKind(name: "discard", lift: any, accept: keeps, allowsUpdate: true),
      ],
      actions: owners.map { seat in
        action("draw/\(seat + 1)", .deal(from: stock, to: handle(seat + 1), count: one))
      } + [action("shuffle", .shuffle(stock))],
      setUp: SetUp(decks: [
        Deck(
          contents: .items(cards), isShuffled: true,
          deals: owners.map { .init(to: handle($0 + 1), count: 5) } + [
            .init(to: discard, count: 4), .init(to: stock),
          ])
      ]))
  }
}
