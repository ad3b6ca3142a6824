import BaizeTable

/// A game by the clock.
///
/// | handle | | visible |
/// |---|---|---|
/// | 1 | `row` | all |
/// | 2–3 | `hand/1`, `hand/2` | items and faces: the owner; others count |
/// | 4 | `done` | all |
extension SimulatedTypes {
  /// The time of a turn, and of the table, in seconds.
  static let (turnSeconds, tableSeconds) = (3, 20)

  /// The player whose turn it is lays a card on `done`, which passes the turn. When the time of the turn is up, the player
  /// gets the first card of the row; when it is empty, or the hand full, the turn passes. When the time of the table is up,
  /// the last card of `done` returns to the row.
  static let timed = makeTimed("timed")

  static func makeTimed(
    _ name: String, turnSeconds: Int = turnSeconds, tableSeconds: Int? = tableSeconds, endings: [Ending] = []
  ) -> TableType {
    let hands = [handle(2), handle(3)]
    let two = Predicate.compare(.count(.seats), .equal, .constant(.number(2)))
    return make(
      name, seats: 2, turns: .turns, claims: true,
      [
        Group(CollectionKind(name: "row")),
        Group(
          CollectionKind(
            name: "hand", faces: .owner, isPrivate: true,
            accept: AcceptRule(capacity: Capacity(itemsMax: 6, acceptsPart: false))), ofSeats: 2),
        Group(CollectionKind(name: "done", accept: AcceptRule(passesTurn: true))),
      ],
      actions: [action("pass", .passTurn)], endings: endings,
      timeLimits: TimeLimits(
        turn: TimeLimit(
          seconds: turnSeconds,
          attempts: [
            TimeLimit.Attempt(.move(hands.map { TimeLimit.Route(from: handle(1), to: $0) })),
            TimeLimit.Attempt(.perform("pass")),
          ]),
        table: tableSeconds.map {
          TimeLimit(
            seconds: $0, when: two,
            attempts: [TimeLimit.Attempt(.steps([.deal(from: handle(4), to: handle(1), count: one)]))])
        }),
      decks: [numbered(12, isShuffled: true, [deal(5, to: 1), deal(3, to: 2), deal(to: 3)])])
  }
}
