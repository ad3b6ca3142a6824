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
    let any = LiftRule(by: .anyone, offers: everything)
    let takes = AcceptRule(operations: [.move, .copy], by: .anyone, inserts: true)
    var stamps = takes
    stamps.stamps = [
      AcceptRule.Stamp(name: "stage", value: .constant(.number(7))), AcceptRule.Stamp(name: "wild", value: nil),
    ]
    let (stock, pile) = (handle(seats + 1), handle(seats + 2))
    // Few moves show a face: most pairs are compared to the end.
    var keeps = takes
    (keeps.from, keeps.fromKinds) = ([pile], [])
    // Only some cards have what the stamp removes, and of some that is long.
    let cards = (1...30 as ClosedRange<Int64>).map { number in
      var attributes = [Attribute("number", number)]
      if number % 2 == 0 { attributes.append(Attribute("wild", String(repeating: "w", count: Int(number) * 5 % 37))) }
      return NewItem(attributes: attributes)
    }
    return make(
      name, seats: 3, turns: .zones,
      [
        Group(
          CollectionKind(
            name: "hand", faces: .owner, isPrivate: true, lift: LiftRule(offers: everything), accept: takes,
            allowsUpdate: true), ofSeats: seats),
        Group(CollectionKind(name: "stock", faces: .down, lift: any, accept: takes)),
        Group(CollectionKind(name: "pile", lift: any, accept: stamps)),
        Group(CollectionKind(name: "discard", lift: any, accept: keeps, allowsUpdate: true)),
      ],
      actions: (0..<seats).map { seat in
        action("draw/\(seat + 1)", .deal(from: stock, to: handle(seat + 1), count: one))
      } + [action("shuffle", .shuffle(stock))],
      decks: [
        Deck(
          contents: .items(cards), isShuffled: true,
          deals: (0..<seats).map { deal(5, to: $0 + 1) } + [deal(4, to: seats + 3), deal(to: seats + 1)])
      ])
  }
}
