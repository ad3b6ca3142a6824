/// Nerts: B10, and what zones and consequences come to.
enum NertsDecisions {
  private typealias Make = DecisionCatalogue

  static let all = zones + foundations + work + drawing

  private static func play(
    _ says: String, _ table: [String], _ sources: String, _ to: String, _ expected: String, seat: UInt32? = nil,
    suggested: [String]? = nil, options: String = ""
  ) -> DecisionCatalogue.Entry {
    Make.entry(
      says, "nerts" + options, ["nerts/1: KC", "nerts/2: KD"] + table,
      Make.reorder(sources, to, suggested: suggested), expected, seat: seat)
  }

  private static let zones = [
    play("from another's work pile", ["work/2-0: AC"], "AC", "foundation/1-0", "NOT_YOUR_ZONE"),
    play("onto another's work pile", ["work/1-0: 4D", "work/2-0: 5S"], "4D", "work/2-0", "NOT_YOUR_ZONE"),
    play("from another's nerts pile", ["work/1-0: KS"], "KD", "work/1-1", "NOT_YOUR_ZONE"),
    play("from another's waste", ["waste/2: AC"], "AC", "foundation/1-0", "NOT_YOUR_ZONE", seat: 1),
    play(
      "zones are checked before the rules", ["work/1-0: 4D 9H", "work/2-0: 5S"], "4D", "work/2-0", "NOT_YOUR_ZONE"),
    play("onto any foundation", ["work/2-0: AC"], "AC", "foundation/1-3", "move", seat: 2),
    play("onto another's card there", ["foundation/1-0: AC", "waste/2: 2C"], "2C", "foundation/1-0", "move", seat: 2),
    play("two players have no third one's piles", ["work/1-0: AC"], "AC", "work/3-0", "UNKNOWN_COLLECTION"),
    play("three players do", ["work/3-0: AC"], "AC", "foundation/3-0", "move", seat: 3, options: "?players=3"),
  ]

  private static let foundations = [
    play("an ace starts a foundation, and is worth a point", ["waste/1: AC"], "AC", "foundation/2-1", "move"),
    play(
      "the card under the last of the nerts pile is turned, and weighs less", ["nerts/1: -9H AD"], "AD",
      "foundation/1-0", "move"),
    play("a two does not start one", ["waste/1: 2C"], "2C", "foundation/1-0", "RANK_MISMATCH"),
    play("another suit", ["foundation/1-0: AC", "waste/1: 2D"], "2D", "foundation/1-0", "WRONG_SUIT"),
    play("a rank too far", ["foundation/1-0: AC", "waste/1: 3C"], "3C", "foundation/1-0", "RANK_MISMATCH"),
    play("two cards", ["foundation/1-0: AC", "work/1-0: 3D 2C"], "3D 2C", "foundation/1-0", "TOO_MANY_ITEMS"),
    play("cards on a foundation cannot be moved", ["foundation/1-0: AC"], "AC", "work/1-0", "NOT_REORDERABLE"),
    Make.entry(
      "the last card of a nerts pile ends the game", "nerts", ["nerts/1: AC", "nerts/2: KD"],
      Make.reorder("AC", "foundation/1-0"), "move"),
    Make.entry(
      "nothing moves after that", "nerts", ["work/2-0: AC"], Make.reorder("AC", "foundation/1-0"), "GAME_OVER", seat: 2,
      status: "nerts-1"),
  ]

  private static let work = [
    play("another colour and one rank less", ["work/1-0: 5S", "waste/1: 4D"], "4D", "work/1-0", "move"),
    play("a run", ["work/1-0: 5S", "work/1-1: 9C 4D 3S"], "4D 3S", "work/1-0", "move"),
    play("what is no run", ["work/1-0: 5S", "work/1-1: 4D 2S"], "4D 2S", "work/1-0", "NOT_A_RUN"),
    play("anything starts an empty pile", ["nerts/1: -9H 7D"], "7D", "work/1-2", "move"),
    play("the same colour", ["work/1-0: 5S", "waste/1: 4C"], "4C", "work/1-0", "COLOR_MISMATCH"),
    play("the wrong rank", ["work/1-0: 5S", "waste/1: 3D"], "3D", "work/1-0", "RANK_MISMATCH"),
    play("onto the nerts pile", ["nerts/1: 5S", "waste/1: 4D"], "4D", "nerts/1", "DESTINATION_CLOSED"),
    play("under the last of the nerts pile", ["nerts/1: 5S 6S"], "5S", "work/1-0", "NOT_TOP"),
    play("from the stock", ["stock/1: 5S"], "5S", "work/1-0", "NOT_REORDERABLE"),
  ]

  private static func act(
    _ says: String, _ action: String, _ table: [String], _ expected: String, items: String = "", seat: UInt32? = nil,
    variables: [String: Scalar]? = nil, seats: [UInt32]? = nil, options: String = ""
  ) -> DecisionCatalogue.Entry {
    Make.entry(
      says, "nerts" + options, ["nerts/1: KC", "nerts/2: KD"] + table, Make.perform(action, items), expected,
      seat: seat,
      variables: variables, seats: seats)
  }

  private static let drawing = [
    act("three cards of the own stock", "draw", ["stock/1: 2H 3C 9D 5S", "stock/2: 4C"], "cancel", items: "5S"),
    act("another's stock is not dealt", "draw", ["stock/1: 2H", "stock/2: 4C 6C"], "cancel", items: "6C", seat: 2),
    act("one card, by the option of the table's creator", "draw", ["stock/1: 2H 3C"], "cancel", options: "?draw=1"),
    act("the waste is turned over, under new ids", "draw", ["waste/1: 2H 3C"], "cancel"),
    act("nothing left", "draw", ["stock/2: 2H"], "STOCK_EMPTY"),
    act("a player reports to be stuck", "stuck", [], "cancel", seat: 2),
    act("a second report changes nothing", "stuck", [], "unchanged", variables: ["stuck/1": .number(1)]),
    act(
      "while all players are stuck, one card is dealt", "draw", ["stock/2: 2H 3C 9D"], "cancel", seat: 2,
      variables: ["stuck/1": .number(1), "stuck/2": .number(1)], seats: [1, 2]),
    act(
      "not while one is not stuck", "draw", ["stock/2: 2H 3C 9D"], "cancel", seat: 2,
      variables: ["stuck/2": .number(1)],
      seats: [1, 2]),
    act(
      "a free seat does not count", "draw", ["stock/2: 2H 3C 9D"], "cancel", seat: 2,
      variables: ["stuck/2": .number(1)], seats: [2]),
    Make.entry(
      "a card that goes to a work pile ends being stuck", "nerts",
      ["work/1-0: 5S", "waste/1: 4D", "nerts/1: KC", "nerts/2: KD"],
      Make.reorder("4D", "work/1-0"), "move", variables: ["stuck/1": .number(1), "stuck/2": .number(1)]),
  ]
}
