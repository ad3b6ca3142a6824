import BaizeTable

/// Tables with different views.
///
/// | handle | | visible |
/// |---|---|---|
/// | 1–3 | `hand/1` … | items and faces: the owner; others count |
/// | 4–6 | `tray/1` … | items: all; faces: the owner |
/// | 7 | `bag` | only the count |
/// | 8 | `row` | items: all; faces: if face up; exposed items turn up |
/// | 9 | `stock` | items: all; faces: nobody |
/// | 10 | `discard` | all |
/// | 11 | `ladder` | all; accepts what is higher than its last, so that rules read faces |
extension SimulatedTypes {
  /// Players act at any time, in their own zones and in shared ones.
  static let hands = cards("hands", turns: .zones, faceBytes: 17 << 10)

  /// The player whose turn it is acts; a card on the discard pile passes the turn.
  static let rounds = cards("rounds", turns: .turns)

  private static let seats = 1...3 as ClosedRange<UInt32>

  private static func hand(_ seat: UInt32) -> CollectionHandle { handle(seat) }
  private static func tray(_ seat: UInt32) -> CollectionHandle { handle(3 + seat) }
  private static let (theBag, row, stock, discard) = (handle(7), handle(8), handle(9), handle(10))

  private static func cards(_ name: String, turns: TurnPolicy, faceBytes: Int? = nil) -> TableType {
    make(
      name, seats: 3, turns: turns, groups(passesTurn: turns == .turns), actions: actions,
      decks: [
        numbered(
          40, isShuffled: true,
          seats.map { deal(4, to: $0) } + seats.map { deal(2, to: 3 + $0) } + [
            deal(3, to: 7), deal(4, to: 8, up: .last), deal(4, to: 10), deal(1, to: 11), deal(to: 9),
          ])
      ], faceBytes: faceBytes)
  }

  private static func groups(passesTurn: Bool) -> [Group] {
    let any = LiftRule(offers: everything)
    let fromAnyone = AcceptRule(operations: [.move, .copy], by: .anyone, inserts: true)
    var discards = anything
    discards.passesTurn = passesTurn
    let higher = Condition(
      .compare(.attribute(.below, "number"), .less, .attribute(.item, "number")), else: Reason(rawValue: "TOO_LOW"))
    return [
      Group(
        CollectionKind(
          name: "hand", faces: .owner, isPrivate: true, lift: any, accept: fromAnyone, allowsUpdate: true), ofSeats: 3),
      Group(
        CollectionKind(
          name: "tray", faces: .owner, lift: LiftRule(by: .anyone, offers: everything), accept: fromAnyone,
          allowsUpdate: true), ofSeats: 3),
      Group(CollectionKind(name: "bag", faces: .down, isPrivate: true, lift: any, accept: anything)),
      Group(
        CollectionKind(name: "row", faces: .each, lift: any, accept: AcceptRule(landing: .end), turnsExposed: true)),
      Group(CollectionKind(name: "stock", faces: .down, lift: any)),
      Group(CollectionKind(name: "discard", lift: any, accept: discards, allowsUpdate: true)),
      Group(
        CollectionKind(
          name: "ladder", lift: LiftRule(shape: .top),
          accept: AcceptRule(passesTurn: passesTurn, landing: .end, onItem: [higher]))),
    ]
  }

  private static let actions: [Action] =
    seats.flatMap { seat in
      [
        action("draw/\(seat)", .deal(from: stock, to: hand(seat), count: one)),
        action("show/\(seat)", .deal(from: stock, to: tray(seat), count: one)),
        action("shuffle/\(seat)", .shuffle(hand(seat))),
        action("lay/\(seat)", .deal(from: hand(seat), to: row, count: one)),
        action("sweep/\(seat)", .deal(from: hand(seat), to: stock, count: nil), .shuffle(stock)),
      ]
    } + [
      action("shuffle", .shuffle(stock)),
      action("stow", .deal(from: discard, to: theBag, count: one)),
      action("spill", .deal(from: theBag, to: row, count: nil)),
      action("pass", .passTurn),
      action("up", onItems: .turn(up: true)),
      action("down", onItems: .turn(up: false)),
      action("pin", onItems: .pin(true), isOutOfTurn: true),
      action("unpin", onItems: .pin(false)),
    ]
}
