/// Speed: B12.
enum SpeedDecisions {
  private typealias Make = DecisionCatalogue

  static let all = centre + hands + flipping

  private static func entry(
    _ says: String, _ table: [String], _ operation: Decision.Asked, _ expected: String, seat: UInt32? = nil,
    variables: [String: Scalar]? = nil
  ) -> DecisionCatalogue.Entry {
    Make.entry(
      says, "speed", ["draw/1: KC", "draw/2: KD"] + table, operation, expected, seat: seat, variables: variables)
  }

  private static func play(
    _ says: String, _ table: [String], _ sources: String, _ to: String, _ expected: String, seat: UInt32? = nil,
    variables: [String: Scalar]? = nil
  ) -> DecisionCatalogue.Entry {
    entry(says, table, Make.reorder(sources, to), expected, seat: seat, variables: variables)
  }

  private static let centre = [
    play("one rank higher", ["centre/1: 7C", "hand/1: 8D"], "8D", "centre/1", "move"),
    play("one rank lower", ["centre/2: 7C", "hand/2: 6C"], "6C", "centre/2", "move", seat: 2),
    play("a king on an ace", ["centre/1: AC", "hand/1: KH"], "KH", "centre/1", "move"),
    play("an ace on a king", ["centre/1: KH", "hand/1: AC"], "AC", "centre/1", "move"),
    play("the same rank", ["centre/1: 7C", "hand/1: 7D"], "7D", "centre/1", "RANK_MISMATCH"),
    play("two ranks higher", ["centre/1: 7C", "hand/1: 9D"], "9D", "centre/1", "RANK_MISMATCH"),
    play("two cards", ["centre/1: 7C", "hand/1: 8D 9D"], "8D 9D", "centre/1", "TOO_MANY_ITEMS"),
    play("from another's hand", ["centre/1: 7C", "hand/2: 8D"], "8D", "centre/1", "UNKNOWN_ITEM"),
    play("from a side pile", ["centre/1: 7C", "side/1: 8D"], "8D", "centre/1", "NOT_REORDERABLE"),
    play(
      "a card ends being stuck for both", ["centre/1: 7C", "hand/1: 8D"], "8D", "centre/1", "move",
      variables: ["stuck/1": .number(1), "stuck/2": .number(1)]),
    Make.entry(
      "the last card wins", "speed", ["centre/1: 7C", "hand/1: 8D", "hand/2: KD"], Make.reorder("8D", "centre/1"),
      "move"),
  ]

  private static let hands = [
    entry("up to five cards", ["hand/1: 2C 3C", "draw/1: 4C 5C 6C 7C"], Make.perform("draw"), "cancel"),
    entry("as many as there are", ["hand/2: 2C 3C"], Make.perform("draw"), "cancel", seat: 2),
    entry("a full hand", ["hand/1: 2C 3C 4C 5C 6C"], Make.perform("draw"), "CAPACITY_EXCEEDED"),
    Make.entry(
      "nothing to draw", "speed", ["hand/1: 2C 3C", "hand/2: 4C"], Make.perform("draw"), "STOCK_EMPTY"),
    play("a card by hand", ["hand/1: 2C"], "KC", "hand/1", "move"),
    play("into a full hand", ["hand/1: 2C 3C 4C 5C 6C"], "KC", "hand/1", "CAPACITY_EXCEEDED"),
    play("a full hand is put in order", ["hand/1: 2C 3C 4C 5C 6C"], "2C", "hand/1", "move"),
    play("from another's pile", ["hand/1: 2C"], "KD", "hand/1", "NOT_YOUR_ZONE"),
    play("into another's hand", ["hand/1: 2C"], "KC", "hand/2", "NOT_YOUR_ZONE"),
  ]

  private static let flipping = [
    entry("one asks", ["side/1: 2C", "side/2: 3C"], Make.perform("flip"), "cancel"),
    entry(
      "and asks again", ["side/1: 2C", "side/2: 3C"], Make.perform("flip"), "unchanged",
      variables: ["stuck/1": .number(1)]),
    entry(
      "both have asked: a card of each side pile is turned up", ["side/1: 4C 2C", "side/2: 3C", "centre/1: 9D"],
      Make.perform("flip"), "cancel", seat: 2, variables: ["stuck/1": .number(1)]),
  ]
}
