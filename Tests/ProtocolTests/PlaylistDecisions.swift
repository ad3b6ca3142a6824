/// `playlist`: what a drop does depends on where it goes; content types.
enum PlaylistDecisions {
  private typealias Make = DecisionCatalogue

  private static func play(
    _ says: String, _ table: [String], _ sources: String, _ to: String, before: String? = nil, _ expected: String,
    suggested: [String]? = nil
  ) -> DecisionCatalogue.Entry {
    Make.entry(says, "playlist", table, Make.reorder(sources, to, before: before, suggested: suggested), expected)
  }

  static let all = [
    play("the library copies", ["library: a/song b/song", "queue: q/song"], "b a", "queue", before: "q", "copy"),
    play(
      "the library does not move", ["library: a/song"], "a", "queue", "OPERATION_NOT_SUPPORTED", suggested: ["move"]),
    play("the queue moves", ["queue: p/song q/song"], "q", "queue", before: "p", "move"),
    play(
      "the queue does not copy", ["queue: p/song q/song"], "q", "queue", "OPERATION_NOT_SUPPORTED", suggested: ["copy"]),
    play("the bin deletes", ["queue: p/song q/song r/song"], "q", "bin", "delete"),
    play("the bin deletes nothing of the library", ["library: a/song"], "a", "bin", "OPERATION_NOT_SUPPORTED"),
    play("the library is closed", ["library: a/song", "queue: q/song"], "q", "library", "DESTINATION_CLOSED"),
    play(
      "what the library and the queue have in common is nothing", ["library: a/song", "queue: p/song q/song"], "a p",
      "queue", "OPERATION_NOT_SUPPORTED"),
    play("any of the content types will do", ["library: a/text"], "a", "queue", "copy"),
    play("of several representations those stay that are taken", ["library: a/image/text/song"], "a", "queue", "copy"),
    play("none of them is taken", ["library: a/image"], "a", "queue", "TYPE_NOT_ACCEPTED"),
    play("one of the block has none that is taken", ["library: a/song b/image"], "a b", "queue", "TYPE_NOT_ACCEPTED"),
    play("there is no representation", ["library: a"], "a", "queue", "NO_REPRESENTATION"),
    Make.entry("a new song", "playlist", ["queue: q/song"], Make.insert("n/text", "queue", before: "q"), "cancel"),
    Make.entry("a new picture", "playlist", ["queue: q/song"], Make.insert("n/image", "queue"), "TYPE_NOT_ACCEPTED"),
    Make.entry(
      "a new song in the library", "playlist", ["library: a/song"], Make.insert("n/song", "library"),
      "DESTINATION_CLOSED"),
    Make.entry("a new song in the bin", "playlist", ["library: a/song"], Make.insert("n/song", "bin"), "FOREIGN_ITEM"),
    Make.entry("songs are removed from the queue", "playlist", ["queue: p/song q/song"], Make.remove("p"), "delete"),
    Make.entry("not from the library", "playlist", ["library: a/song"], Make.remove("a"), "OPERATION_NOT_SUPPORTED"),
  ]
}
