/// Undoing (G13), on tables of several types.
enum UndoDecisions {
  private typealias Make = DecisionCatalogue
  private typealias Earlier = [(seat: UInt32, operation: Decision.Asked)]

  static let all: [DecisionCatalogue.Entry] = lists + others

  private static func list(
    _ says: String, _ earlier: Earlier, undo sequence: UInt64 = 1, _ expected: String, seat: UInt32? = nil,
    status: String? = nil, disabled: [String]? = nil
  ) -> DecisionCatalogue.Entry {
    Make.entry(
      Make.entry(
        says, "list", ["items: a b c d e f"], Make.undo(sequence), expected, seat: seat, status: status,
        disabled: disabled),
      behind: earlier)
  }

  private static let toEnd = (seat: 1 as UInt32, operation: Make.reorder("b", "items"))

  private static let lists = [
    list("a move is undone", [toEnd], "cancel"),
    list(
      "a move of several items from several positions", [(1, Make.reorder("e b c", "items", before: "a"))], "cancel"),
    list("a removal: the items come back as they were", [(1, Make.remove("f b"))], "cancel"),
    list("an insert: the items leave", [(1, Make.insert("n m", "items", before: "c"))], "cancel"),
    list("a copy", [(1, Make.reorder("a b", "items", suggested: ["copy"]))], "cancel"),
    list("an update", [(1, Make.update("a", ["title": nil, "done": .number(1)]))], "cancel"),
    list("an action", [(1, Make.perform("pin", "a b"))], "cancel"),
    list("another touched something else", [toEnd, (2, Make.reorder("e", "items", before: "d"))], "cancel"),
    list("another moved the item", [toEnd, (2, Make.reorder("b", "items", before: "a"))], "UNDO_TOO_LATE"),
    list("another updated the item", [toEnd, (2, Make.update("b", ["done": .number(1)]))], "UNDO_TOO_LATE"),
    list("the author moved the item again", [toEnd, (1, Make.reorder("b", "items", before: "a"))], "UNDO_TOO_LATE"),
    list("another put something into the gap", [toEnd, (2, Make.reorder("f", "items", before: "c"))], "UNDO_TOO_LATE"),
    list("another moved what followed", [toEnd, (2, Make.reorder("c", "items"))], "UNDO_TOO_LATE"),
    list("another moved what stood before", [toEnd, (2, Make.reorder("a", "items"))], "UNDO_TOO_LATE"),
    list("another's operation", [(2, Make.reorder("b", "items"))], "UNDO_TOO_LATE"),
    list("one that is undone already", [toEnd, (1, Make.undo(1))], "UNDO_TOO_LATE"),
    list("an undo is undone", [toEnd, (1, Make.undo(1))], undo: 2, "cancel"),
    list(
      "the last was undone, so the one before it may be",
      [toEnd, (1, Make.reorder("b", "items", before: "a")), (1, Make.undo(2))], "cancel"),
    list("none that was judged", [], undo: 7, "UNDO_TOO_LATE"),
    list("by a spectator", [], "PERMISSION_DENIED", seat: 0),
  ]

  private static let others = [
    Make.entry(
      Make.entry(
        "a card turned up: it has shown itself", "klondike", ["pile/0: -5S 4D", "pile/1: 5C"], Make.undo(1),
        "UNDO_TOO_LATE"),
      behind: [(1, Make.reorder("4D", "pile/1"))]),
    Make.entry(
      Make.entry("a run goes back", "klondike", ["pile/0: 6H 5C 4D", "pile/1: 6D"], Make.undo(1), "cancel"),
      behind: [(1, Make.reorder("5C 4D", "pile/1"))]),
    Make.entry(
      Make.entry(
        "another put a card on it", "klondike", ["pile/0: 6H 5C", "pile/1: 6D", "pile/2: 4D"], Make.undo(1),
        "UNDO_TOO_LATE"),
      behind: [(1, Make.reorder("5C", "pile/1")), (2, Make.reorder("4D", "pile/1"))]),
    Make.entry(
      Make.entry("a card drawn has shown itself", "klondike", ["stock: -5S -4D"], Make.undo(1), "UNDO_TOO_LATE"),
      behind: [(1, Make.perform("draw", "4D"))]),
    Make.entry(
      Make.entry(
        "the column is full again", "kanban?doing=2", ["todo: c", "doing: a b"], Make.undo(1), "UNDO_TOO_LATE"),
      behind: [(1, Make.reorder("b", "done")), (2, Make.reorder("c", "doing"))]),
    Make.entry(
      Make.entry(
        "the column is full again, elsewhere than in the gap", "kanban?doing=2", ["todo: c", "doing: a b"],
        Make.undo(1), "CAPACITY_EXCEEDED"),
      behind: [(1, Make.reorder("a", "done")), (2, Make.reorder("c", "doing"))]),
    Make.entry(
      Make.entry("what the bin deleted", "playlist", ["queue: a/song b/text"], Make.undo(1), "cancel"),
      behind: [(1, Make.reorder("a", "bin"))]),
  ]
}
