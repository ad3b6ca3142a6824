extension QuotedFigure {
  /// Every figure of the document that a measure gives.
  static let all = (byWindow + core + loads + memory + single).flatMap(\.self)

  private static let byWindow = [
    row(
      "deliveries per second, `grid`, 64 tables", "ceiling", ["daemon at window 1", "daemon at window 16"]),
    row("the ceiling", "ceiling", ["ceiling at window 1", "ceiling at window 16"]),
    row("ratio (least", "ceiling", ["ratio at window 1", "ratio at window 16"], within: 1.1),
    row(
      "the ceiling's processor time per delivery", "ceiling", ["ratio at window 1, time", "ratio at window 16, time"],
      within: 1.1),
    row(
      "deliveries per second with `--durability strict` relative to `memory`, the journal on a tmpfs",
      "durability --directory /dev/shm --runs 3", ["window 1, ratio", "window 16, ratio"], within: 1.1),
    row(
      "deliveries per second over WebSocket relative to TCP", "websocket",
      ["ratio at window 1", "ratio at window 16", "ratio at window 1, time", "ratio at window 16, time"], within: 1.1),
    row(
      "the daemon's processor time per operation on two shards", "shards --window 1 --runs 3", ["ratio"], within: 1.1),
    row(
      "the daemon's processor time per operation on two shards", "shards --window 16 --runs 3", [nil, "ratio"],
      within: 1.1),
  ]

  private static let core = [
    row(
      "to judge a move without sockets", "core", ["judge, 0 unseen, 100 items", "judge, 0 unseen, 1000000 items"],
      scale: 1e-3),
    row("a move through a shard without sockets", "core", ["shard, 100 items", "shard, 1000000 items"], scale: 1e-3),
    row("to judge a move with 100 unseen diffs", "core", ["100 unseen diffs to none"]),
  ]

  private static let loads = [
    row("p99 latency of 64 tables of 4 with ten senders", "heavy --runs 3", ["p99 rises by"], scale: 1e-3),
    row("an operation on a list of 1,000,000 items", "scaling --runs 3", ["long/short"], within: 1.1),
    row(
      "the slowest answer on the long list", "scaling --runs 3",
      ["longest answer on the long list", "the same while a newcomer loads"], within: 2),
    row("deliveries per second at window 16, `--durability strict`", "durability", ["window 16, ratio"], within: 1.1),
    row("added to the median answer at window 1", "durability", ["window 1, added commits"]),
    row(
      "1,000 clients that resume a table", "resume", ["with titles, fewer bytes", "with only a number, fewer bytes"],
      within: 1.05),
    row("until all of them are live", "resume", ["with titles, caught up after"]),
    row("until all of them are live", "resume", [nil, "with only a number, caught up after"], within: 1.5),
    row(
      "a journal of 1,000,000 diffs", "startup", ["from start to accepting", "from hello to a whole snapshot"]),
    row("a journal of 1,000,000 diffs", "startup", [nil, nil, nil, "the slowest table"], within: 2),
    row("p99 latency of active players", "stalled --seconds 2", ["stalled, p99 to normal"]),
    row("the same with one client that reads a byte", "stalled --seconds 2", ["trickle, p99 to normal"]),
    row(
      "the same while 2,000 clients join", "stalled --seconds 2",
      ["storm, p99 to storm elsewhere", "disconnect, p99 to disconnect elsewhere"]),
  ]

  private static let memory = [
    row("10,000 idle connections over WebSocket", "idle --websocket --connections 10000", ["memory"], within: 1.1),
    row("15,000 idle connections at", "idle", ["memory"], within: 1.1),
    row("the allocated memory above the idle daemon's, relative", "memory", ["the most, ratio"], within: 1.1),
    row("8.2 MB of frames for 500 readers", "memory --only stalled", ["stalled, allocated"], within: 1.1),
    row(
      "the longest stall of another table", "waiting", ["the longest, same shard", "the longest, other shard"],
      within: 1.5),
  ]

  /// The heaviest operations, in the second table of the document.
  private static let single =
    [row("the heaviest single operations", "single --runs 9", ["the heaviest"], scale: 1e-3, within: 1.5)]
    + [
      ("reorder 500 items from all over the list", ["reorder 500 items from all over the list"]),
      ("the same on a base 1,023 diffs behind", ["the same on a base 1,023 diffs behind"]),
      (
        "drop into a gap with 500 positions", ["drop into a gap with 500 positions inside one another's runs"]
      ),
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
    ].map { row($0, "single --runs 9", $1, within: 1.5) }
}
