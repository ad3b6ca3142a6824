/// `kanban`: a limit of cards in `doing`, and parts of a block.
enum KanbanDecisions {
  private typealias Make = DecisionCatalogue

  private static func play(
    _ says: String, _ table: [String], _ sources: String, _ to: String, before: String? = nil, _ expected: String,
    options: String = ""
  ) -> DecisionCatalogue.Entry {
    Make.entry(says, "kanban" + options, table, Make.reorder(sources, to, before: before), expected)
  }

  static let all = [
    play("a card is taken up", ["todo: a b c"], "b", "doing", "move"),
    play("the last that fits", ["todo: a", "doing: x y"], "a", "doing", before: "x", "move"),
    play("it is full", ["todo: a", "doing: x y z"], "a", "doing", "CAPACITY_EXCEEDED"),
    play("the first two of three fit", ["todo: a b c", "doing: x"], "c a b", "doing", before: "x", "move"),
    play("one of three, where the limit is one", ["todo: a b c"], "a b c", "doing", "move", options: "?doing=1"),
    play("in a full column cards may change places", ["doing: x y z"], "z", "doing", before: "x", "move"),
    play(
      "a block of which one is there already: it needs no room", ["todo: a", "doing: x y"], "y a", "doing", before: "x",
      "move"),
    play(
      "in a full column one comes in only as another stays", ["todo: a", "doing: x y z"], "z a", "doing", before: "x",
      "move"),
    play(
      "in a full column the first does not fit", ["todo: a", "doing: x y z"], "a z", "doing", before: "x",
      "CAPACITY_EXCEEDED"),
    play("done takes any number", ["doing: x y", "done: d"], "y x", "done", before: "d", "move"),
    play("back again", ["done: d"], "d", "todo", "move"),
    play("cards of two columns at once", ["todo: a", "doing: x"], "x a", "done", "move"),
    Make.entry("new cards come to todo", "kanban", ["todo: a"], Make.insert("n", "todo", before: "a"), "cancel"),
    Make.entry("and nowhere else", "kanban", ["todo: a"], Make.insert("n", "doing"), "FOREIGN_ITEM"),
    Make.entry(
      "cards are deleted where they are not being worked on", "kanban", ["done: d", "todo: a"], Make.remove("d a"),
      "delete"),
    Make.entry("not where they are", "kanban", ["doing: x"], Make.remove("x"), "OPERATION_NOT_SUPPORTED"),
    Make.entry(
      "cards are changed anywhere", "kanban", ["doing: x"], Make.update("x", ["owner": .text("Ada")]), "cancel"),
  ]
}
