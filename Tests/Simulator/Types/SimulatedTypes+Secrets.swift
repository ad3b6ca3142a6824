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
  static let hands = cards("hands", turns: .zones)

  /// The player whose turn it is acts; a card on the discard pile passes the turn.
  static let rounds = cards("rounds", turns: .turns)

  private static let seats = 1...3 as ClosedRange<UInt32>

  private static func hand(_ seat: UInt32) -> CollectionHandle { handle(seat) }
  private static func tray(_ seat: UInt32) -> CollectionHandle { handle(3 + seat) }
  private static let (theBag, row, stock, discard, ladder) = (handle(7), handle(8), handle(9), handle(10), handle(11))

  private static func cards(_ name: String, turns: TurnPolicy) -> TableType {
    let owned = ["hand", "tray"].enumerated().flatMap { kind, name in
      seats.map { CollectionRules(id: "\(name)/\($0)", kind: kind, owner: SeatNumber(rawValue: $0)) }
    }
    let shared = ["bag", "row", "stock", "discard", "ladder"].enumerated().map { CollectionRules(id: $1, kind: 2 + $0) }
    return TableType(
      name: name, document: name, seatsMax: seats.count, contention: .first, turns: turns,
      collections: owned + shared, kinds: kinds(passesTurn: turns == .turns),
      variables: turns == .turns ? [Attribute(TableState.turnVariable, 1)] : [], actions: actions,
      setUp: SetUp(decks: [
        Deck(
          contents: .numbered(count: 40, attribute: "number"), isShuffled: true,
          deals: seats.map { .init(to: hand($0), count: 4) } + seats.map { .init(to: tray($0), count: 2) } + [
            .init(to: theBag, count: 3), .init(to: row, count: 4, up: .last), .init(to: discard, count: 4),
            .init(to: ladder, count: 1), .init(to: stock),
          ])
      ]))
  }

  private static func kinds(passesTurn: Bool) -> [CollectionKind] {
    let any = LiftRule(offers: everything)
    let higher = Condition(
      .compare(.attribute(.below, "number"), .less, .attribute(.item, "number")), else: Reason(rawValue: "TOO_LOW"))
    return [
      CollectionKind(
        name: "hand", faces: .owner, isPrivate: true, lift: any,
        accept: AcceptRule(operations: [.move, .copy], by: .anyone, inserts: true), allowsUpdate: true),
      CollectionKind(
        name: "tray", faces: .owner, lift: LiftRule(by: .anyone, offers: everything),
        accept: AcceptRule(operations: [.move, .copy], by: .anyone, inserts: true), allowsUpdate: true),
      CollectionKind(
        name: "bag", faces: .down, isPrivate: true, lift: any,
        accept: AcceptRule(operations: [.move, .copy], inserts: true)),
      CollectionKind(
        name: "row", faces: .each, lift: any, accept: AcceptRule(landing: .end), turnsExposed: true),
      CollectionKind(name: "stock", faces: .down, lift: any, accept: AcceptRule()),
      CollectionKind(
        name: "discard", lift: any,
        accept: AcceptRule(operations: [.move, .copy], passesTurn: passesTurn, inserts: true), allowsUpdate: true),
      CollectionKind(
        name: "ladder", lift: LiftRule(shape: .top),
        accept: AcceptRule(passesTurn: passesTurn, landing: .end, onItem: [higher])),
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
      Action(name: "up", items: .subject, cases: [.init(steps: [.turn(up: true)])], otherwise: never),
      Action(name: "down", items: .subject, cases: [.init(steps: [.turn(up: false)])], otherwise: never),
      Action(
        name: "pin", items: .subject, isOutOfTurn: true, cases: [.init(steps: [.pin(true)])], otherwise: never),
      Action(name: "unpin", items: .subject, cases: [.init(steps: [.pin(false)])], otherwise: never),
    ]

  static let one = Term.constant(.number(1))
  static let never = Refusal(Reason(rawValue: "NEVER"))

  static func action(_ name: String, _ steps: Action.Step...) -> Action {
    Action(name: name, cases: [.init(steps: steps)], otherwise: never)
  }
}
