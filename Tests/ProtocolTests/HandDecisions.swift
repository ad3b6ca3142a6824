/// `hand`: B11, and what turns, owners and private collections come to.
enum HandDecisions {
  private typealias Make = DecisionCatalogue

  static let all = turns + drawing + melding + discarding + visibility

  /// Two sit there; seat 1 is to move unless said otherwise, and has drawn where `drawn` is 1.
  private static func entry(
    _ says: String, _ table: [String], _ operation: Decision.Asked, _ expected: String, seat: UInt32? = nil,
    turn: Int64 = 1, drawn: Int64 = 0, seats: [UInt32] = [1, 2], status: String? = nil
  ) -> DecisionCatalogue.Entry {
    Make.entry(
      says, "hand?players=4", ["hand/1: KC", "hand/2: KD", "hand/3: KH", "hand/4: KS"] + table, operation, expected,
      seat: seat, status: status,
      variables: ["turn": .number(turn), "drawn": .number(drawn)], seats: seats)
  }

  private static func play(
    _ says: String, _ table: [String], _ sources: String, _ to: String, _ expected: String, before: String? = nil,
    seat: UInt32? = nil, turn: Int64 = 1, drawn: Int64 = 0, seats: [UInt32] = [1, 2]
  ) -> DecisionCatalogue.Entry {
    entry(
      says, table, Make.reorder(sources, to, before: before), expected, seat: seat, turn: turn, drawn: drawn,
      seats: seats)
  }

  private static let turns = [
    play("a player whose turn it is not cannot draw", ["stock: 2C"], "2C", "hand/2", "NOT_YOUR_TURN", seat: 2),
    play(
      "nor discard", ["hand/2: 2C 3C"], "2C", "discard", "NOT_YOUR_TURN", seat: 2, drawn: 2),
    play(
      "a hand is put in order at any time", ["hand/2: 2C 3C 4C"], "4C", "hand/2", "move", before: "2C", seat: 2),
    play(
      "even into the order that it has: others receive the same diff", ["hand/2: 2C 3C"], "3C", "hand/2", "move",
      seat: 2),
    entry("the action is not out of turn either", ["stock: 2C"], Make.perform("draw"), "NOT_YOUR_TURN", seat: 2),
    play(
      "where nobody has the seat whose turn it is, the next taken one is to move", ["stock: 2C"], "2C", "hand/4",
      "move",
      seat: 4, turn: 2, seats: [1, 4]),
    play(
      "a card dealt to another's hand", ["stock: 2C"], "2C", "hand/2", "NOT_YOUR_ZONE"),
    entry(
      "nothing moves when a hand is empty", ["stock: 2C"], Make.perform("draw"), "GAME_OVER", status: "won-2"),
  ]

  private static let drawing = [
    entry(
      "the last card of the stock comes into the hand, under a new id", ["stock: 3C 2C"], Make.perform("draw"), "cancel"
    ),
    play("the same by hand", ["stock: 3C 2C"], "2C", "hand/1", "move", before: "KC"),
    play("the last card of the discards", ["discard: 3C 2C"], "2C", "hand/1", "move"),
    play("the card under it", ["discard: 3C 2C"], "3C", "hand/1", "NOT_TOP"),
    play("a second card", ["stock: 3C"], "3C", "hand/1", "ALREADY_DRAWN", drawn: 1),
    entry("a second card, by the action", ["stock: 3C"], Make.perform("draw"), "ALREADY_DRAWN", drawn: 1),
    play("what another had drawn does not count", ["stock: 3C"], "3C", "hand/1", "move", drawn: 2),
    entry(
      "an empty stock: the discards are turned over", ["discard: 2C 3C 4C"], Make.perform("draw", "4C"), "cancel"),
    Make.entry(
      "the fourth time that they are turned over ends the game", "hand",
      ["hand/1: KC", "hand/2: KD", "discard: 2C 3C"],
      Make.perform("draw"), "cancel", variables: ["turned": .number(3)]),
    entry("nothing to draw", [], Make.perform("draw"), "STOCK_EMPTY"),
    play("a meld cannot be moved to a hand", ["set/3: 3C 3D 3H"], "3H", "hand/1", "NOT_REORDERABLE"),
  ]

  private static let melding = [
    play("three of a rank", ["hand/1: 3C 9S 3D 3H"], "3C 3D 3H", "set/3", "move", drawn: 1),
    play("two of a rank", ["hand/1: 3C 9S 3D"], "3C 3D", "set/3", "MELD_TOO_SHORT", drawn: 1),
    play("another rank among them", ["hand/1: 3C 4S 3D KC"], "3C 4S 3D", "set/3", "RANK_MISMATCH", drawn: 1),
    play("a set of another rank", ["hand/1: 3C 3S 3D KC"], "3C 3S 3D", "set/4", "RANK_MISMATCH", drawn: 1),
    play("the fourth is laid off", ["set/3: 3C 3D 3H", "hand/1: 3S 9S"], "3S", "set/3", "move", drawn: 1),
    play("a run of a suit", ["hand/1: 5H 4H 9S 6H"], "4H 5H 6H", "run/0", "move", drawn: 1),
    play("in another order it is none", ["hand/1: 5H 4H 9S 6H"], "5H 4H 6H", "run/0", "RANK_MISMATCH", drawn: 1),
    play("another suit among them", ["hand/1: 5S 4H 9S 6H"], "4H 5S 6H", "run/0", "WRONG_SUIT", drawn: 1),
    play("two cards are no run", ["hand/1: 5H 4H 9S"], "4H 5H", "run/0", "MELD_TOO_SHORT", drawn: 1),
    play("a run is laid off on at its end", ["run/2: 4H 5H 6H", "hand/1: 7H 9S"], "7H", "run/2", "move", drawn: 1),
    play(
      "and at its start", ["run/2: 4H 5H 6H", "hand/1: 3H 9S"], "3H", "run/2", "move", before: "4H", drawn: 1),
    play(
      "not in between", ["run/2: 4H 5H 6H", "hand/1: 7H 9S"], "7H", "run/2", "RANK_MISMATCH", before: "6H", drawn: 1),
    play(
      "nor what does not follow", ["run/2: 4H 5H 6H", "hand/1: 8H 9S"], "8H", "run/2", "RANK_MISMATCH", drawn: 1),
    play(
      "the card after the block is checked, too", ["run/2: 4H 5H 6H", "hand/1: 2H 9S"], "2H", "run/2", "RANK_MISMATCH",
      before: "4H", drawn: 1),
    play("melds come after drawing", ["hand/1: 3C 9S 3D 3H"], "3C 3D 3H", "set/3", "MUST_DRAW"),
    play("what is melded stays", ["run/2: 4H 5H 6H"], "6H", "discard", "NOT_REORDERABLE", drawn: 1),
    play("from the stock no meld is made", ["stock: 3C", "set/3: 3D 3H 3S"], "3C", "set/3", "FOREIGN_ITEM", drawn: 1),
    play("the last cards melded end the game", ["hand/1: 3C 3D 3H"], "3C 3D 3H", "set/3", "move", drawn: 1),
  ]

  private static let discarding = [
    play("a discard passes the turn", ["hand/1: 3C 9S"], "9S", "discard", "move", drawn: 1),
    play("to the first seat from the last one", ["hand/2: 3C 9S"], "9S", "discard", "move", seat: 2, turn: 2, drawn: 2),
    play(
      "past a seat that nobody has", ["hand/2: 3C 9S"], "9S", "discard", "move", seat: 2, turn: 2, drawn: 2,
      seats: [1, 2, 4]),
    play("two cards", ["hand/1: 3C 9S KC"], "3C 9S", "discard", "TOO_MANY_ITEMS", drawn: 1),
    play("before drawing", ["hand/1: 3C 9S"], "9S", "discard", "MUST_DRAW"),
    play("the last card ends the game", ["hand/1: 3C"], "3C", "discard", "move", drawn: 1),
  ]

  private static let visibility = [
    play("a card of another's hand is not there", ["hand/2: 2C 3C"], "2C", "discard", "UNKNOWN_ITEM", drawn: 1),
    play("nor is it an anchor", ["hand/2: 2C", "stock: 3C"], "3C", "hand/2", "UNKNOWN_ITEM", before: "2C"),
    entry(
      "nor something to contend for", ["hand/2: 2C", "stock: 3C"], Make.perform("draw", "2C"), "UNKNOWN_ITEM"),
  ]
}
