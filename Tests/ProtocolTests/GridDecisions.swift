/// `grid`: anything moves anywhere.
enum GridDecisions {
  private typealias Make = DecisionCatalogue

  private static func play(
    _ says: String, _ sources: String, _ to: String, before: String? = nil, _ expected: String,
    suggested: [String]? = nil
  ) -> DecisionCatalogue.Entry {
    Make.entry(
      says, "grid", ["c/0: a b c d", "c/1: e f g h", "c/12: z"],
      Make.reorder(sources, to, before: before, suggested: suggested), expected)
  }

  static let all = [
    play("within a collection", "a", "c/0", before: "d", "move"),
    play("to another", "a", "c/12", before: "z", "move"),
    play("to an empty one", "d a", "c/7", "move"),
    play("from several, with the anchor among them", "f a e", "c/1", before: "f", "move"),
    play("to where they stand", "c d", "c/0", "unchanged"),
    play("a collection that there is not", "a", "c/13", "UNKNOWN_COLLECTION"),
    play("copies are not offered", "a", "c/1", "OPERATION_NOT_SUPPORTED", suggested: ["copy"]),
    Make.entry("no new items", "grid", ["c/0: a"], Make.insert("n", "c/0"), "FOREIGN_ITEM"),
  ]
}
