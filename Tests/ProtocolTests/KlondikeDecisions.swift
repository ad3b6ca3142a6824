/// Klondike: B4, and what of G3–G12 its rules show.
enum KlondikeDecisions {
  private typealias Make = DecisionCatalogue

  static let all: [DecisionCatalogue.Entry] = golden + lifting + dropping + drawing + shape

  private static func play(
    _ says: String, _ table: [String], _ sources: String, _ to: String, _ expected: String, before: String? = nil,
    suggested: [String]? = nil, options: String = ""
  ) -> DecisionCatalogue.Entry {
    Make.entry(
      says, "klondike" + options, table, Make.reorder(sources, to, before: before, suggested: suggested), expected)
  }

  private static let golden = [
    play("4♦ goes on 5♠", ["pile/0: 5S", "pile/1: 4D"], "4D", "pile/0", "move"),
    play("4♣ goes with 3♦ on it", ["pile/0: 5D", "pile/1: -9S 4C 3D"], "4C 3D", "pile/0", "move"),
    play(
      "6♦ goes from the waste to 7♠; the waste shows the card before", ["waste: 2C 6D", "pile/0: 7S"], "6D", "pile/0",
      "move"),
    play(
      "Q♦ on 7♦: colour and rank are wrong, and colour is asked first", ["waste: QD", "pile/0: 7D"], "QD", "pile/0",
      "COLOR_MISMATCH"),
    play("a pile that does not exist", ["waste: KD"], "KD", "pile/7", "UNKNOWN_COLLECTION"),
    play("a king goes on an empty pile", ["waste: KD"], "KD", "pile/3", "move"),
    play("a queen does not", ["waste: QD"], "QD", "pile/3", "KING_REQUIRED"),
    play("a two does not start a foundation", ["waste: 2C"], "2C", "foundation/clubs", "RANK_MISMATCH"),
    play("an ace does not start another suit's foundation", ["waste: AH"], "AH", "foundation/spades", "WRONG_SUIT"),
    play("a run in the wrong order", ["pile/0: 5D", "pile/1: 4C 3D"], "3D 4C", "pile/0", "NOT_A_RUN"),
    play(
      "cards are not copied", ["pile/0: 7S", "waste: 6D"], "6D", "pile/0", "OPERATION_NOT_SUPPORTED",
      suggested: ["copy"]),
  ]

  private static let lifting = [
    play("a card face down", ["pile/0: -4D 9S", "pile/1: 5S"], "4D", "pile/1", "FACE_DOWN"),
    play("a run that begins face down", ["pile/0: -4D 3S", "pile/1: 5S"], "4D 3S", "pile/1", "FACE_DOWN"),
    play("a card with another on it, alone", ["pile/0: 5D", "pile/1: 4C 3D"], "4C", "pile/0", "NOT_A_RUN"),
    play("a run with a gap", ["pile/0: 6D", "pile/1: 5C 4D 3C"], "5C 3C", "pile/0", "NOT_A_RUN"),
    play("neighbours that are no run", ["pile/0: 6D", "pile/1: 5C 4C"], "5C 4C", "pile/0", "NOT_A_RUN"),
    play("a run that goes up", ["pile/0: 6D", "pile/1: 5C 6H"], "5C 6H", "pile/0", "NOT_A_RUN"),
    play("a whole run that begins with a king", ["pile/0: -2C KD QS JH"], "KD QS JH", "pile/1", "move"),
    play("the card under the waste's last", ["waste: 6D 9C", "pile/0: 7S"], "6D", "pile/0", "NOT_TOP"),
    play("two cards from the waste", ["waste: 6D 5C", "pile/0: 7S"], "6D 5C", "pile/0", "TOO_MANY_ITEMS"),
    play("a card from the stock", ["stock: 6D", "pile/0: 7S"], "6D", "pile/0", "NOT_REORDERABLE"),
    play("cards from two collections", ["waste: 6D", "pile/0: 7S", "pile/1: 5C"], "6D 5C", "pile/0", "MIXED_SOURCES"),
    play("back from a foundation", ["foundation/clubs: AC 2C", "pile/0: 3D"], "2C", "pile/0", "move"),
    play(
      "back from a foundation, where that is not allowed", ["foundation/clubs: AC 2C", "pile/0: 3D"], "2C", "pile/0",
      "NOT_REORDERABLE", options: "?foundationToTableau=false"),
    play(
      "a foundation's card that is not its last", ["foundation/clubs: AC 2C", "pile/0: 2D"], "AC", "pile/0", "NOT_TOP"),
    play(
      "two cards from a foundation", ["foundation/clubs: AC 2C", "pile/0: 3D"], "AC 2C", "pile/0", "TOO_MANY_ITEMS"),
  ]

  private static let dropping = [
    play("the exposed card is turned face up", ["pile/0: 5S", "pile/1: -9H -8H 4D"], "4D", "pile/0", "move"),
    play("an exposed card that is face up is not changed", ["pile/0: 5S", "pile/1: 9H 4D"], "4D", "pile/0", "move"),
    play(
      "a position other than the end is redirected to the end", ["pile/0: 6D 5S", "pile/1: 4D"], "4D", "pile/0", "move",
      before: "6D"),
    play("the same colour, the right rank", ["pile/0: 5D", "pile/1: 4D"], "4D", "pile/0", "COLOR_MISMATCH"),
    play("the right colour, the same rank", ["pile/0: 4S", "pile/1: 4D"], "4D", "pile/0", "RANK_MISMATCH"),
    play("a king on an ace: ranks do not wrap", ["pile/0: AS", "waste: KD"], "KD", "pile/0", "RANK_MISMATCH"),
    play(
      "any card on an empty pile, where that is allowed", ["waste: QD"], "QD", "pile/3", "move",
      options: "?emptyPile=any"),
    play("an ace starts its foundation", ["waste: 3H AC"], "AC", "foundation/clubs", "move"),
    play("the next rank", ["foundation/hearts: AH", "pile/0: -KC 2H"], "2H", "foundation/hearts", "move"),
    play("a rank too far", ["foundation/hearts: AH", "pile/0: 3H"], "3H", "foundation/hearts", "RANK_MISMATCH"),
    play(
      "two cards to a foundation", ["foundation/hearts: AH", "pile/0: 3C 2H"], "3C 2H", "foundation/hearts",
      "TOO_MANY_ITEMS"),
    play("onto the stock", ["pile/0: 3C", "stock: 2H"], "3C", "stock", "DESTINATION_CLOSED"),
    play("onto the waste", ["pile/0: 3C"], "3C", "waste", "DESTINATION_CLOSED"),
    play("to its own position", ["pile/0: -6H 3C"], "3C", "pile/0", "unchanged"),
    play(
      "a run to its own position, before its own second card", ["pile/0: 4D 3C"], "4D 3C", "pile/0", "unchanged",
      before: "3C"),
    play(
      "to its own position, where the rules would not accept it", ["pile/0: 3D 3C"], "3C", "pile/0", "unchanged"
    ),
    play(
      "visibility is checked before the rule: the card below is hidden", ["pile/0: -7S", "pile/1: 6D"], "6D", "pile/0",
      "FACE_HIDDEN"),
    Make.entry(
      "the last card wins", "klondike",
      [
        "foundation/clubs: AC 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC",
        "foundation/diamonds: AD 2D 3D 4D 5D 6D 7D 8D 9D 10D JD QD KD",
        "foundation/hearts: AH 2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH",
        "foundation/spades: AS 2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS", "pile/0: KS",
      ], Make.reorder("KS", "foundation/spades"), "move"),
    Make.entry(
      "nothing moves on a table that is won", "klondike", ["pile/0: 5S", "pile/1: 4D"],
      Make.reorder("4D", "pile/0"), "GAME_OVER", status: "won"),
  ]

  private static func draw(
    _ says: String, _ table: [String], _ expected: String, items: String = "", options: String = "",
    variables: [String: Scalar]? = nil
  ) -> DecisionCatalogue.Entry {
    Make.entry(says, "klondike" + options, table, Make.perform("draw", items), expected, variables: variables)
  }

  private static let drawing = [
    draw("one card, face up", ["stock: 2H 3C 9D", "waste: AC"], "cancel", items: "9D"),
    draw("naming no card is allowed too", ["stock: 2H 3C"], "cancel"),
    draw("three cards, one by one", ["stock: 2H 3C 9D 5S", "waste: AC"], "cancel", items: "5S", options: "?draw=3"),
    draw("what is left, if less than three", ["stock: 2H 3C"], "cancel", options: "?draw=3"),
    draw("the stock is empty: the waste is turned over, under new ids", ["waste: 2H 3C 9D"], "cancel", items: "9D"),
    draw("nothing left", ["pile/0: 3C"], "STOCK_EMPTY"),
    draw("the last redeal", ["waste: 2H 3C"], "cancel", options: "?redeals=2", variables: ["redeals": .number(1)]),
    draw("no redeal left", ["waste: 2H 3C"], "NO_REDEAL", options: "?redeals=2", variables: ["redeals": .number(0)]),
    draw("a card that is not on the table", ["stock: 2H 3C"], "UNKNOWN_ITEM", items: "?"),
    Make.entry("an action that there is not", "klondike", ["stock: 2H"], Make.perform("shuffle"), "UNKNOWN_ACTION"),
    Make.entry(
      "a stock that is not in use", "klondike", ["stock: 2H"], Make.perform("draw"), "CONTAINER_DISABLED",
      disabled: ["waste"]),
  ]

  private static let shape = [
    play("no sources", ["pile/0: 5S"], "", "pile/0", "EMPTY_SOURCES"),
    play("a source twice", ["pile/0: 5S", "pile/1: 4D"], "4D 4D", "pile/0", "DUPLICATE_SOURCE"),
    play("an unknown source", ["pile/0: 5S"], "?", "pile/0", "UNKNOWN_ITEM"),
    play("an unknown source stands before an unknown collection", ["pile/0: 5S"], "?", "pile/7", "UNKNOWN_ITEM"),
    play("an unknown anchor", ["pile/0: 5S", "pile/1: 4D"], "4D", "pile/0", "UNKNOWN_ITEM", before: "?"),
    play(
      "an anchor in another collection", ["pile/0: 5S", "pile/1: 4D", "pile/2: 9C"], "4D", "pile/0", "ANCHOR_GONE",
      before: "9C"),
    Make.entry(
      "a spectator", "klondike", ["pile/0: 5S", "pile/1: 4D"], Make.reorder("4D", "pile/0"), "PERMISSION_DENIED",
      seat: 0),
    Make.entry(
      "a spectator who names nothing: shape comes before standing", "klondike", ["pile/0: 5S"],
      Make.reorder("", "pile/0"), "EMPTY_SOURCES", seat: 0),
    Make.entry(
      "another seat plays the same cards", "klondike", ["pile/0: 5S", "pile/1: 4D"], Make.reorder("4D", "pile/0"),
      "move", seat: 4),
    Make.entry(
      "the source's collection is not in use", "klondike", ["pile/0: 5S", "pile/1: 4D"], Make.reorder("4D", "pile/0"),
      "CONTAINER_DISABLED", disabled: ["pile/1"]),
    Make.entry(
      "the destination is not in use", "klondike", ["pile/0: 5S", "pile/1: 4D"], Make.reorder("4D", "pile/0"),
      "CONTAINER_DISABLED", disabled: ["pile/0"]),
    Make.entry("new cards", "klondike", ["pile/0: 5S"], Make.insert("4D", "pile/0"), "FOREIGN_ITEM"),
    Make.entry("new cards on the stock", "klondike", ["pile/0: 5S"], Make.insert("4D", "stock"), "DESTINATION_CLOSED"),
    Make.entry("cards are not removed", "klondike", ["pile/0: 5S"], Make.remove("5S"), "OPERATION_NOT_SUPPORTED"),
    Make.entry(
      "cards are not changed", "klondike", ["pile/0: 5S"], Make.update("5S", ["rank": .number(1)]),
      "OPERATION_NOT_SUPPORTED"),
  ]
}
