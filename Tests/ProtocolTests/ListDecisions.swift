/// `list`: apply (O9), pinned items, and every kind of operation.
enum ListDecisions {
  private typealias Make = DecisionCatalogue

  static let all: [DecisionCatalogue.Entry] = moving + pinned + others

  private static func play(
    _ says: String, _ items: String, _ sources: String, before: String? = nil, _ expected: String,
    suggested: [String]? = nil
  ) -> DecisionCatalogue.Entry {
    Make.entry(
      says, "list", ["items: \(items)"], Make.reorder(sources, "items", before: before, suggested: suggested), expected)
  }

  private static let moving = [
    play("b before b", "a b c d e f", "b", before: "b", "unchanged"),
    play("b before c, where it stands", "a b c d e f", "b", before: "c", "unchanged"),
    play("b and d before d, which is one of them", "a b c d e f", "b d", before: "d", "move"),
    play("d and b before b, in this order", "a b c d e f", "d b", before: "b", "move"),
    play("b and c before c, where they stand", "a b c d e f", "b c", before: "c", "unchanged"),
    play("f and a before d", "a b c d e f", "f a", before: "d", "move"),
    play("the first to the end", "a b c d", "a", "move"),
    play("all, backwards", "a b c", "c b a", "move"),
    play("the last to the end", "a b c", "c", "unchanged"),
    play("a copy to the end, if that is what is offered", "a b c", "a", "copy", suggested: ["copy"]),
    play("copies before one of the sources, right there", "a b c", "a b", before: "b", "copy", suggested: ["copy"]),
    play("move is preferred where both are offered", "a b c", "a", "move", suggested: ["copy", "move"]),
    play("a delete is not a drop that a list takes", "a b c", "a", "OPERATION_NOT_SUPPORTED", suggested: ["delete"]),
    play("an alias does not exist yet", "a b c", "a", "OPERATION_NOT_SUPPORTED", suggested: ["alias"]),
  ]

  private static let pinned = [
    play("a pinned item does not move", "!a b c", "a", "NOT_REORDERABLE"),
    play("nor does it among others", "a !b c", "c b", before: "a", "NOT_REORDERABLE"),
    play("nothing before the pinned head", "!a b c", "c", before: "a", "POSITION_NOT_ALLOWED"),
    play("nothing among the pinned head", "!a !b c", "c", before: "b", "POSITION_NOT_ALLOWED"),
    play("right behind the pinned head", "!a !b c d", "d", before: "c", "move"),
    play("a pinned item that is not at the head: before it is free", "a b !c d", "d", before: "c", "move"),
    play("a copy of a pinned item", "!a b", "a", "NOT_REORDERABLE", suggested: ["copy"]),
    Make.entry(
      "a new item before the pinned head", "list", ["items: !a b"], Make.insert("n", "items", before: "a"),
      "POSITION_NOT_ALLOWED"),
    Make.entry("a pinned item is not removed", "list", ["items: !a b"], Make.remove("a"), "NOT_REORDERABLE"),
    Make.entry(
      "a pinned item may be updated", "list", ["items: !a b"], Make.update("a", ["title": .text("A")]), "cancel"),
    Make.entry("pin two", "list", ["items: a b c"], Make.perform("pin", "a b"), "cancel"),
    Make.entry("pin what is pinned", "list", ["items: !a b c"], Make.perform("pin", "a"), "unchanged"),
    Make.entry("unpin", "list", ["items: !a b c"], Make.perform("unpin", "a b"), "cancel"),
    Make.entry("pin nothing", "list", ["items: a"], Make.perform("pin"), "EMPTY_SOURCES"),
  ]

  private static let others = [
    Make.entry("new items at the end", "list", ["items: a"], Make.insert("n m", "items"), "cancel"),
    Make.entry("a new item before another", "list", ["items: a b"], Make.insert("n", "items", before: "b"), "cancel"),
    Make.entry("no new items", "list", ["items: a"], Make.insert("", "items"), "EMPTY_SOURCES"),
    Make.entry(
      "a new item in no collection", "list", ["items: a"], Make.insert("n", "elsewhere"), "UNKNOWN_COLLECTION"),
    Make.entry("removal", "list", ["items: a b c"], Make.remove("c a"), "delete"),
    Make.entry("removal of one twice", "list", ["items: a b"], Make.remove("a a"), "DUPLICATE_SOURCE"),
    Make.entry("removal by a spectator", "list", ["items: a b"], Make.remove("a"), "PERMISSION_DENIED", seat: 0),
    Make.entry(
      "an update: one is new, one deleted", "list", ["items: a b"],
      Make.update("a", ["title": nil, "done": .number(1)]), "cancel"),
    Make.entry(
      "an update to the present values", "list", ["items: a b"], Make.update("a", ["title": .text("a"), "done": nil]),
      "unchanged"),
    Make.entry("an update of what is not there", "list", ["items: a b"], Make.update("?", [:]), "UNKNOWN_ITEM"),
    Make.entry(
      "an operation of a kind that there is not", "list", ["items: a"], Decision.Asked(), "OPERATION_NOT_SUPPORTED"),
  ]
}
