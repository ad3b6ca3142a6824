extension QuotedFigure {
  /// Every figure of the README that a measure gives.
  static let all = ceilings + core + loads + memory + single

  private static let ceilings: [QuotedFigure] = [1, 16].enumerated().flatMap { column, window in
    [
      QuotedFigure("deliveries per second, `grid`, 64 tables", column, "ceiling", "daemon at window \(window)"),
      QuotedFigure("the ceiling", column, "ceiling", "ceiling at window \(window)"),
      QuotedFigure("ratio (least", column, "ceiling", "ratio at window \(window)", within: 1.1),
      QuotedFigure(
        "the ceiling's processor time per delivery", column, "ceiling", "ratio at window \(window), time", within: 1.1),
      QuotedFigure(
        "deliveries per second with `--durability strict` relative to `memory`, the journal on a tmpfs", column,
        "durability --directory /dev/shm --runs 3", "window \(window), ratio", within: 1.1),
      QuotedFigure(
        "deliveries per second over WebSocket relative to TCP", column, "websocket", "ratio at window \(window)",
        within: 1.1),
      QuotedFigure(
        "deliveries per second over WebSocket relative to TCP", column + 2, "websocket",
        "ratio at window \(window), time", within: 1.1),
      QuotedFigure(
        "the daemon's processor time per operation on two shards", column, "shards --window \(window) --runs 3",
        "ratio", within: 1.1),
    ]
  }

  private static let core: [QuotedFigure] = [
    QuotedFigure("to judge a move without sockets", 0, "core", "judge, 0 unseen, 100 items", scale: 1e-3),
    QuotedFigure("to judge a move without sockets", 1, "core", "judge, 0 unseen, 1000000 items", scale: 1e-3),
    QuotedFigure("a move through a shard without sockets", 0, "core", "shard, 100 items", scale: 1e-3),
    QuotedFigure("a move through a shard without sockets", 1, "core", "shard, 1000000 items", scale: 1e-3),
    QuotedFigure("to judge a move with 100 unseen diffs", 0, "core", "100 unseen diffs to none"),
  ]

  private static let loads: [QuotedFigure] = [
    QuotedFigure("p99 latency of 64 tables of 4 with ten senders", 0, "heavy --runs 3", "p99 rises by", scale: 1e-3),
    QuotedFigure("an operation on a list of 1,000,000 items", 0, "scaling --runs 3", "long/short", within: 1.1),
    QuotedFigure(
      "the slowest answer on the long list", 0, "scaling --runs 3", "longest answer on the long list", within: 2),
    QuotedFigure(
      "the slowest answer on the long list", 1, "scaling --runs 3", "the same while a newcomer loads", within: 2),
    QuotedFigure(
      "deliveries per second at window 16, `--durability strict`", 0, "durability", "window 16, ratio", within: 1.1),
    QuotedFigure("added to the median answer at window 1", 0, "durability", "window 1, added commits"),
    QuotedFigure("1,000 clients that resume a table", 0, "resume", "with titles, fewer bytes", within: 1.05),
    QuotedFigure("1,000 clients that resume a table", 1, "resume", "with only a number, fewer bytes", within: 1.05),
    QuotedFigure("until all of them are live", 0, "resume", "with titles, caught up after"),
    QuotedFigure("until all of them are live", 1, "resume", "with only a number, caught up after", within: 1.5),
    QuotedFigure("a journal of 1,000,000 diffs", 0, "startup", "from start to accepting"),
    QuotedFigure("a journal of 1,000,000 diffs", 1, "startup", "from hello to a whole snapshot"),
    QuotedFigure("a journal of 1,000,000 diffs", 3, "startup", "the slowest table", within: 2),
    QuotedFigure("p99 latency of active players", 0, "stalled --seconds 2", "stalled, p99 to normal"),
    QuotedFigure("the same with one client that reads a byte", 0, "stalled --seconds 2", "trickle, p99 to normal"),
    QuotedFigure("the same while 2,000 clients join", 0, "stalled --seconds 2", "storm, p99 to storm elsewhere"),
    QuotedFigure(
      "the same while 2,000 clients join", 1, "stalled --seconds 2", "disconnect, p99 to disconnect elsewhere"),
  ]

  private static let memory: [QuotedFigure] = [
    QuotedFigure(
      "10,000 idle connections over WebSocket", 0, "idle --websocket --connections 10000", "memory", within: 1.1),
    QuotedFigure("15,000 idle connections at", 0, "idle", "memory", within: 1.1),
    QuotedFigure("the resident memory above the idle daemon's, relative", 0, "memory", "the most, ratio", within: 1.1),
    QuotedFigure("8.2 MB of frames for 500 readers", 0, "memory --only stalled", "stalled, resident", within: 1.1),
    QuotedFigure("the longest stall of another table", 0, "waiting", "the longest, same shard", within: 1.5),
    QuotedFigure("the longest stall of another table", 1, "waiting", "the longest, other shard", within: 1.5),
  ]

  /// The heaviest operations, in the chapter on limits.
  private static let single: [QuotedFigure] = [
    ("reorder 500 items from all over the list", ["reorder 500 items from all over the list"]),
    ("the same on a base 1,023 diffs behind", ["the same on a base 1,023 diffs behind"]),
    ("reorder 500 items from as many", ["reorder 500 items from as many collections"]),
    ("drop 500 items on a collection", ["drop 500 items on a collection with rules"]),
    ("drop 500 items that a step deals on", ["drop 500 items that a step deals on"]),
    ("deal, shuffle, or pin", ["deal 500 items", "shuffle 500 items", "pin 500 items"]),
    ("insert 500 items; copy", ["insert 500 items", "copy 500 items"]),
    ("insert or copy 500 items", ["insert 500 items with 256 KiB", "copy 500 items with 256 KiB"]),
    (
      "insert, copy or update one",
      ["insert an item with 256 KiB", "copy an item with 256 KiB", "update an item with 256 KiB"]
    ),
    ("remove 500 items", ["remove 500 items"]),
    ("remove 15 items", ["remove 15 items with 256 KiB each"]),
    (
      "undo a reorder, a removal",
      ["undo the reorder of 500 items", "undo the removal of 500 items", "undo the copy of 500 items"]
    ),
    ("undo the reorder when", ["the same when others have moved 3,900 items since"]),
    ("name 500 unknown items", ["name 500 unknown items, with a full history"]),
    ("name 262,000 items", ["name 262,000 items", "insert 131,000 items"]),
    ("the heaviest single operations", ["the heaviest"]),
  ].flatMap { row, figures in
    let scale = figures == ["the heaviest"] ? 1e-3 : 1
    return figures.enumerated().map { QuotedFigure(row, $0, "single --runs 9", $1, scale: scale, within: 1.5) }
  }
}
