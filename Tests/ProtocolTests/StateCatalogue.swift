import BaizeTable
import BaizeTableTypes
import BaizeWire

/// The cases of `states.json`, created again: games on real tables, and messages that no bundled type sends yet.
enum StateCatalogue {
  static func make() throws -> StateVectors {
    StateVectors(
      description: StateVectors.head,
      cases: [
        try game("klondike", "klondike: hidden faces, cards that turn over", seed: 7, operations: 40),
        try game(
          "klondike?draw=3&redeals=1", "klondike, draw three: the waste goes back under new ids", seed: 4,
          operations: 40),
        try game("grid", "grid: anything moves anywhere", seed: 1, operations: 24),
        try list(), try playlist(), everyChange(), parts(), empty(), faces(),
        try cards("nerts", "nerts: zones, all see the same", operations: 30),
        try cards(
          "hand", "hand, by seat 1: a private collection, and another's of which only the count is visible", seat: 1),
        try cards("hand", "hand, by a spectator: of private collections only the counts are visible", seat: 0),
        try cards("speed", "speed, by seat 2: two play at once", seat: 2, operations: 40),
        columns(), aliases(),
      ].enumerated().map { number, vector in
        var vector = vector
        vector.id = number < 9 ? "states-0\(number + 1)" : "states-\(number + 1)"
        return vector
      })
  }

  // MARK: Real tables

  /// Two players who take what the rules allow, chosen by a seed.
  private static func game(_ type: String, _ says: String, seed: UInt64, operations: Int) throws -> StateVectors.Case {
    var game = try Game(type, seed: seed)
    var random = RandomSource(seed: seed)
    for number in 0..<operations {
      let kind = game.pick(&random, draws: type.hasPrefix("klondike") && number % 3 != 2)
      game.play(kind, by: UInt64(number % 2 + 1))
    }
    return StateVectors.Case(id: "", says: says, type: type, steps: game.recorder.steps)
  }

  /// Two players who submit legal operations, in the view of one of them or of a spectator.
  private static func cards(
    _ type: String, _ says: String, seat: UInt32 = 0, operations: Int = 60
  ) throws -> StateVectors.Case {
    var game = try Game(type, seed: 2, viewer: SeatNumber(rawValue: seat))
    var random = RandomSource(seed: 2)
    for number in 0..<operations {
      let player = game.table.state.seatToMove?.rawValue ?? UInt32(number % 2 + 1)
      for kind in game.turn(of: SeatNumber(rawValue: player), &random) { game.play(kind, by: UInt64(player)) }
    }
    return StateVectors.Case(id: "", says: says, type: type, seat: seat, steps: game.recorder.steps)
  }

  private static func list() throws -> StateVectors.Case {
    var game = try Game("list?items=5", seed: 3)
    let items = CollectionHandle(rawValue: 1)
    func id(_ offset: Int) -> ItemID { game.table.state.item(at: offset, in: items) ?? .none }
    let note = NewItem(
      attributes: [Attribute("title", "Brot & Käse"), Attribute("done", 0), Attribute("weight", -12)],
      representations: [Representation(contentType: "text/plain", data: Array("Brot".utf8))])
    game.play(.insert([note, NewItem()], .before(id(1), in: items)))
    game.play(.move([id(5), id(0)], to: .before(id(3), in: items)))
    game.play(.move([id(2), id(1)], to: .end(of: items), suggested: .copy))
    game.play(
      .update(id(0), attributes: [Attribute(name: "number", value: nil), Attribute("title", "")], representations: []))
    game.play(.perform(action: "pin", items: [id(0), id(4)], nil))
    game.play(.remove([id(3), id(5)]))
    game.play(.perform(action: "unpin", items: [id(0)], nil))
    return StateVectors.Case(
      id: "", says: "list: new items, copies, updates, pins, removals", type: "list?items=5", steps: game.recorder.steps
    )
  }

  private static func playlist() throws -> StateVectors.Case {
    var game = try Game("playlist", seed: 5)
    let (library, queue, bin) = (
      CollectionHandle(rawValue: 1), CollectionHandle(rawValue: 2), CollectionHandle(rawValue: 3)
    )
    func id(_ offset: Int, _ collection: CollectionHandle) -> ItemID {
      game.table.state.item(at: offset, in: collection) ?? .none
    }
    let songs = [id(2, library), id(0, library), id(4, library)]
    game.play(.move(songs, to: .end(of: queue)))
    game.play(
      .move([id(2, queue)], to: .before(id(0, queue), in: queue))
    )
    game.play(.move([id(1, queue)], to: .end(of: bin)))
    return StateVectors.Case(
      id: "", says: "playlist: copies of songs, one deleted", type: "playlist", steps: game.recorder.steps)
  }

  // MARK: Messages as they could come

  private static let three = [
    CollectionSummary(handle: CollectionHandle(rawValue: 1), id: "left", count: 2),
    CollectionSummary(handle: CollectionHandle(rawValue: 2), id: "right", count: 1, isEnabled: false),
    CollectionSummary(handle: CollectionHandle(rawValue: 3), id: "none", count: 0),
  ]

  private static func item(
    _ id: UInt64, _ collection: UInt32, _ visibility: FaceVisibility = .everyone, pinned: Bool = false
  ) -> Item {
    Item(
      id: ItemID(rawValue: id), collection: CollectionHandle(rawValue: collection),
      face: visibility == .nobody ? Face() : Face(attributes: [Attribute("number", Int64(id % 100))]),
      visibility: visibility,
      isPinned: pinned)
  }

  private static func snapshot(_ items: [Item], _ collections: [CollectionSummary] = three) -> SnapshotPart {
    SnapshotPart(
      epoch: Epoch(rawValue: 2), revision: Revision(rawValue: 10), collections: collections, items: items,
      status: "open", isComplete: true, isFirst: true, lastSequence: SequenceNumber(rawValue: 4),
      variables: [Attribute("round", 1), Attribute("turn", "red")],
      seats: [Seat(number: SeatNumber(rawValue: 2), name: "Zoë", person: SessionID(rawValue: 9))])
  }

  private static func everyChange() -> StateVectors.Case {
    let (left, right) = (CollectionHandle(rawValue: 1), CollectionHandle(rawValue: 2))
    func ids(_ numbers: UInt64...) -> ItemList { ItemList(numbers.map(ItemID.init)) }
    var recorder = StateRecorder()
    recorder.record("the snapshot", [.snapshot(snapshot([item(1, 1), item(2, 1, .nobody), item(3, 2, pinned: true)]))])
    let changes: [(String, [Change])] = [
      ("a seen and a hidden item move, in this order", [.moved(ids(2, 1), .before(ItemID(rawValue: 3), in: right))]),
      ("a hidden item shows its face", [.faced([item(2, 2)])]),
      ("another is turned down and pinned", [.faced([item(1, 2, .nobody, pinned: true)])]),
      (
        "an item becomes hidden: it gets a new id",
        [
          .removed(ids(2)), .inserted([item(400, 1, .nobody)], .end(of: left)),
        ]
      ),
      (
        "two items come to stand before one",
        [
          .inserted([item(5, 1), item(6, 1, .nobody, pinned: true)], .before(ItemID(rawValue: 400), in: left))
        ]
      ),
      ("a pin is pulled", [.faced([item(3, 2)])]),
      ("a collection comes into use, another goes out of it", [.enabled(right, true), .enabled(left, false)]),
      (
        "a variable changes, one is new, one is deleted",
        [
          .variables([Attribute("turn", "black"), Attribute("Zeit", 0), Attribute(name: "round", value: nil)])
        ]
      ),
      (
        "seats: all of them",
        [
          .seats([
            Seat(number: SeatNumber(rawValue: 1), name: "", person: SessionID(rawValue: 1 << 40), isConnected: true),
            Seat(number: SeatNumber(rawValue: 2), name: "Zoë", person: SessionID(rawValue: 9)),
          ])
        ]
      ),
      (
        "everything at once, and the end",
        [
          .moved(ids(5, 3), .end(of: CollectionHandle(rawValue: 3))), .faced([item(5, 3, .nobody)]), .removed(ids(1)),
          .status("won"), .seats([]),
        ]
      ),
      ("nothing that this client may see", []),
    ]
    for (says, changes) in changes {
      recorder.record(says, [.diff(recorder.diff(InlineList(changes)))])
    }
    return StateVectors.Case(id: "", says: "a change of every kind", steps: recorder.steps)
  }

  private static func parts() -> StateVectors.Case {
    var first = snapshot([item(1, 1)])
    first.isComplete = false
    first.lastSequence = .zero
    let empty = SnapshotPart(epoch: first.epoch, revision: first.revision)
    var last = empty
    last.items = [item(2, 1, .nobody), item(3, 2)]
    last.isComplete = true
    last.lastSequence = SequenceNumber(rawValue: 4)
    var other = first
    other.items = [item(77, 1), item(78, 1)]
    var recorder = StateRecorder()
    recorder.record("three parts, one of them empty", [.snapshot(first), .snapshot(empty), .snapshot(last)])
    recorder.record(
      "a part that is first drops an unfinished snapshot", [.snapshot(other), .snapshot(first), .snapshot(last)])
    return StateVectors.Case(id: "", says: "snapshots in parts", steps: recorder.steps)
  }

  private static func column(_ id: UInt64, opens: UInt32, limit: Int64? = nil) -> Item {
    var column = item(id, 1)
    column.opens = CollectionHandle(rawValue: opens)
    if let limit { column.face.set(Attribute("limit", limit)) }
    return column
  }

  /// Q1, Q2, S2: collections that items open.
  private static func columns() -> StateVectors.Case {
    func handle(_ number: UInt32) -> CollectionHandle { CollectionHandle(rawValue: number) }
    func opened(_ number: UInt32, by item: UInt64, count: UInt32) -> CollectionSummary {
      CollectionSummary(
        handle: handle(number), id: "column/\(number)", count: count, isEnabled: number != 5,
        item: ItemID(rawValue: item))
    }
    let own = ["columns", "tray"].enumerated().map { number, id in
      CollectionSummary(handle: handle(UInt32(number) + 1), id: id, count: number == 0 ? 2 : 1)
    }
    var first = snapshot([column(12, opens: 5), column(11, opens: 3, limit: 2), item(13, 2)], own)
    first.isComplete = false
    first.lastSequence = .zero
    var last = SnapshotPart(epoch: first.epoch, revision: first.revision)
    last.collections = [opened(3, by: 11, count: 2), opened(5, by: 12, count: 1)]
    last.items = [item(14, 3), item(15, 3), item(16, 5)]
    last.isComplete = true
    var recorder = StateRecorder()
    recorder.record("two columns with cards; the handle 4 is gone", [.snapshot(first), .snapshot(last)])
    let (columns, tray) = (handle(1), handle(2))
    func ids(_ numbers: UInt64...) -> ItemList { ItemList(numbers.map(ItemID.init)) }
    let changes: [(String, [Change])] = [
      (
        "two columns are made",
        [.inserted([column(20, opens: 6), column(21, opens: 7)], .before(ids(11)[0], in: columns))]
      ),
      ("cards move into one of them", [.moved(ids(15, 16), .end(of: handle(6)))]),
      ("columns are put in another order", [.moved(ids(11, 20), .end(of: columns))]),
      ("a column is renamed, and its limit lowered", [.faced([column(20, opens: 6, limit: 1)])]),
      ("an empty column is removed", [.removed(ids(21))]),
      ("a column is removed with its cards", [.removed(ids(20, 15, 16))]),
      (
        "which is undone: the column has its handle again",
        [
          .inserted([column(20, opens: 6, limit: 1)], .end(of: columns)),
          .inserted([item(15, 6), item(16, 6)], .end(of: handle(6))),
        ]
      ),
      ("another column gets a handle of its own", [.inserted([column(30, opens: 8)], .end(of: columns))]),
      ("a column goes out of use, another comes into it", [.enabled(handle(3), false), .enabled(handle(5), true)]),
      ("everything else is removed", [.moved(ids(14), .end(of: tray)), .removed(ids(11, 12, 30))]),
    ]
    for (says, changes) in changes { recorder.record(says, [.diff(recorder.diff(InlineList(changes)))]) }
    return StateVectors.Case(id: "", says: "columns that people make", steps: recorder.steps)
  }

  private static func alias(_ id: UInt64, _ collection: UInt32, of item: Item, pinned: Bool = false) -> Item {
    Item(
      id: ItemID(rawValue: id), collection: CollectionHandle(rawValue: collection), face: item.face, isPinned: pinned,
      aliasOf: item.id)
  }

  /// Y1–Y5: items that stand for others.
  private static func aliases() -> StateVectors.Case {
    let (left, right, none) = (
      CollectionHandle(rawValue: 1), CollectionHandle(rawValue: 2), CollectionHandle(rawValue: 3)
    )
    func ids(_ numbers: UInt64...) -> ItemList { ItemList(numbers.map(ItemID.init)) }
    let (one, two, three) = (item(1, 2), item(2, 1), item(3, 2))
    let collections = Self.three.map { summary in
      var summary = summary
      if summary.handle == right { summary.count = 2 }
      return summary
    }
    var recorder = StateRecorder()
    recorder.record(
      "the snapshot: an alias comes before its item",
      [.snapshot(snapshot([alias(9, 1, of: one), two, one, three], collections))])
    var changed = one
    changed.face.set(Attribute("title", "new"))
    let changes: [(String, DropOperation, [Change])] = [
      (
        "aliases are made of an item, and of an alias", .alias,
        [.inserted([alias(10, 3, of: one), alias(11, 3, of: two), alias(12, 3, of: one)], .end(of: none))]
      ),
      ("an alias moves", .move, [.moved(ids(11), .before(ItemID(rawValue: 9), in: left))]),
      (
        "the face of an item changes, and with it those of its aliases", .cancel,
        [.faced([changed, alias(9, 1, of: changed), alias(10, 3, of: changed), alias(12, 3, of: changed)])]
      ),
      ("an alias is pinned", .cancel, [.faced([alias(10, 3, of: changed, pinned: true)])]),
      ("an alias is removed", .delete, [.removed(ids(12))]),
      (
        "an item becomes hidden, and its aliases go", .move,
        [.removed(ids(2)), .inserted([item(20, 2, .nobody)], .end(of: right)), .removed(ids(11))]
      ),
      ("an item is removed, and its aliases go", .delete, [.removed(ids(1, 9, 10))]),
    ]
    for (says, operation, changes) in changes {
      var diff = recorder.diff(InlineList(changes))
      diff.operation = operation
      recorder.record(says, [.diff(diff)])
    }
    return StateVectors.Case(id: "", says: "items that stand for others", steps: recorder.steps)
  }

  private static func empty() -> StateVectors.Case {
    var recorder = StateRecorder()
    let one = [CollectionSummary(handle: CollectionHandle(rawValue: 1), id: "items", count: 0)]
    var part = SnapshotPart(
      epoch: Epoch(rawValue: 1), revision: .zero, collections: one, isComplete: true, isFirst: true)
    recorder.record("an empty table without a status", [.snapshot(part)])
    part.status = TableState.open
    recorder.record("an empty table", [.snapshot(part)])
    return StateVectors.Case(id: "", says: "nothing on the table", steps: recorder.steps)
  }

  /// What a hash may stumble over.
  private static func faces() -> StateVectors.Case {
    let one = [CollectionSummary(handle: CollectionHandle(rawValue: 1), id: "items", count: 300)]
    var items = (1...300).map { item($0 == 300 ? 1 << 52 - 1 : ($0 &* 0x9E37_79B9_7F4A_7C15) >> 12 | 1, 1) }
    items[0].face = Face(attributes: [
      Attribute("z", .min), Attribute("Z", .max), Attribute("é", 0), Attribute("e\u{301}", ""), Attribute("", "\0"),
      Attribute("😀", "🂡"), Attribute("\u{FFFD}", -1), Attribute("\u{FEFF}a", "\u{FEFF}"),
    ])
    items[1].face = Face(
      attributes: [Attribute("number", "1")],
      representations: [
        Representation(contentType: "text/plain", data: []), Representation(contentType: "", data: [0, 255, 0]),
        Representation(contentType: "text/plain", data: Array("twice".utf8)),
      ])
    items[2].face = Face()
    items[3].face = Face(attributes: [Attribute("number", 1), Attribute("number2", 0)])
    var recorder = StateRecorder()
    recorder.record("large ids, names in the order of their bytes, empty values", [.snapshot(snapshot(items, one))])
    let turned = items[..<3].map { item in
      var item = item
      (item.visibility, item.face) = (.nobody, Face())
      return item
    }
    recorder.record("three faces are hidden", [.diff(recorder.diff([.faced(turned)]))])
    return StateVectors.Case(id: "", says: "faces and ids", steps: recorder.steps)
  }
}
