import Testing

@testable import BaizeTable

/// The order of the judge's checks and its reasons (I5), and operations of hostile clients (I8), without a game.
@Suite struct JudgingTests {
  private func expect(
    _ judgement: Judgement, _ reason: String, _ rule: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(judgement.summary == "refused:\(reason)", sourceLocation: sourceLocation)
    if let rule { #expect(judgement.refusal?.rule == rule, sourceLocation: sourceLocation) }
  }

  private func disable(_ collection: String, at bench: inout Bench) {
    bench.table.state.setEnabled(bench.handle(collection).index, false)
    bench.replica = Table(replicaOf: Bench.snapshot(of: bench.state))
  }

  // MARK: Shape, standing

  @Test("I5: a malformed operation is refused before rules and permissions are checked")
  func shape() {
    var bench = Bench(Types.lists(["abc", "xyz"]))
    let list = bench.handle("list/0")
    let nowhere = CollectionHandle(rawValue: 77)
    let stranger = ItemID(rawValue: 4_242)
    let many = ItemList((1...1_001 as ClosedRange<UInt64>).map(ItemID.init(rawValue:)))
    for seat in [0, 1] as [UInt32] {
      expect(bench.judge(.move([], to: .end(of: list)), seat: seat), "EMPTY_SOURCES")
      expect(bench.judge(.move(bench.ids("a", "a"), to: .end(of: list)), seat: seat), "DUPLICATE_SOURCE")
      expect(bench.judge(.move([stranger], to: .end(of: list)), seat: seat), "UNKNOWN_ITEM")
      expect(bench.judge(.move([bench.id("a"), stranger], to: .end(of: list)), seat: seat), "UNKNOWN_ITEM")
      expect(bench.judge(.move([stranger, stranger], to: .end(of: list)), seat: seat), "DUPLICATE_SOURCE")
      expect(bench.judge(.move([.none], to: .end(of: list)), seat: seat), "UNKNOWN_ITEM")
      expect(bench.judge(.move(many, to: .end(of: list)), seat: seat), "TOO_MANY_ITEMS")
      expect(bench.judge(.move(bench.ids("a"), to: .end(of: nowhere)), seat: seat), "UNKNOWN_COLLECTION")
      expect(bench.judge(.move(bench.ids("a"), to: .end(of: .init(rawValue: 0))), seat: seat), "UNKNOWN_COLLECTION")
      expect(bench.judge(.move(bench.ids("a"), to: .before(stranger, in: list)), seat: seat), "UNKNOWN_ITEM")
      expect(
        bench.judge(.move(bench.ids("a"), to: bench.destination("list/0", before: "x")), seat: seat), "ANCHOR_GONE")
      expect(bench.judge(.insert([], .end(of: list)), seat: seat), "EMPTY_SOURCES")
      expect(bench.judge(.remove([]), seat: seat), "EMPTY_SOURCES")
      expect(bench.judge(.remove(bench.ids("a", "b", "a")), seat: seat), "DUPLICATE_SOURCE")
      expect(bench.judge(.update(stranger, attributes: [], representations: []), seat: seat), "UNKNOWN_ITEM")
      expect(bench.judge(.undo(.zero), seat: seat), seat == 0 ? "PERMISSION_DENIED" : "UNDO_TOO_LATE")
      expect(bench.judge(.unknown, seat: seat), "OPERATION_NOT_SUPPORTED")
    }
    expect(bench.judge(.insert(Array(repeating: NewItem(), count: 1_001), .end(of: list))), "TOO_MANY_ITEMS")
    // A position before no item is the end.
    #expect(bench.judge(.move(bench.ids("a"), to: .before(.none, in: list))).summary == "accepted")
    #expect(bench.text("list/0") == "bca")
  }

  @Test("I5: permissions are checked before contention")
  func standingBeforeRebase() {
    var bench = Bench(Types.lists(["abc", "xyz"], contention: .first))
    #expect(bench.judge(.remove(bench.ids("c")), by: 2).summary == "accepted")
    let gone = Bench(Types.lists(["abc", "xyz"], contention: .first)).id("c")
    let move = TableOperation.Kind.move([gone], to: bench.destination("list/0"))
    expect(bench.judge(move, base: 0, seat: 0), "PERMISSION_DENIED")
    expect(bench.judge(move, base: 0), "CONTENDED")
    // An unknown collection and a duplicate: the shape is checked first.
    let nowhere = TableOperation.Kind.move([gone], to: .end(of: CollectionHandle(rawValue: 9)))
    expect(bench.judge(nowhere, base: 0), "UNKNOWN_COLLECTION")
    expect(bench.judge(.remove([gone, bench.id("a"), bench.id("a")]), base: 0), "DUPLICATE_SOURCE")
    expect(bench.judge(.remove([gone, ItemID(rawValue: 555)]), base: 0), "UNKNOWN_ITEM")
    // The author has seen the removal, so that the item is unknown rather than contended.
    expect(bench.judge(move), "UNKNOWN_ITEM")
  }

  @Test("I5: every operation of a spectator is refused")
  func spectators() {
    var bench = Bench(Types.lists(["abc"]))
    let end = bench.destination("list/0")
    expect(
      bench.judge(.move(bench.ids("a"), to: end), seat: 0),
      "PERMISSION_DENIED")
    expect(bench.judge(.insert([NewItem()], end), seat: 0), "PERMISSION_DENIED")
    expect(bench.judge(.remove(bench.ids("a")), seat: 0), "PERMISSION_DENIED")
    expect(bench.judge(.update(bench.id("a"), attributes: [], representations: []), seat: 0), "PERMISSION_DENIED")
    var game = Bench(Types.klondike(piles: ["6s"], stock: "2h"))
    expect(game.judge(.perform(action: "draw", items: [], nil), seat: 0), "PERMISSION_DENIED")
  }

  @Test("I5: a disabled collection is neither source nor destination, also by redirection")
  func disabled() {
    var bench = Bench(Types.lists(["abc", "xyz"]))
    disable("list/1", at: &bench)
    expect(bench.move(["a"], to: "list/1"), "CONTAINER_DISABLED")
    expect(bench.move(["x"], to: "list/0"), "CONTAINER_DISABLED")
    expect(bench.judge(.remove(bench.ids("a", "x"))), "CONTAINER_DISABLED")
    expect(bench.judge(.insert([NewItem()], bench.destination("list/1"))), "CONTAINER_DISABLED")
    expect(bench.judge(.update(bench.id("x"), attributes: [], representations: [])), "CONTAINER_DISABLED")
    var songs = Bench(Types.playlist())
    disable("queue", at: &songs)
    expect(songs.move(["a"], to: "inbox"), "CONTAINER_DISABLED")
    var game = Bench(Types.klondike(piles: ["6s"], stock: "2h"))
    disable("waste", at: &game)
    expect(game.judge(.perform(action: "draw", items: [], nil)), "CONTAINER_DISABLED")
  }

  @Test("I5: lifting is checked before dropping, and dropping before contention")
  func order() {
    // Two reasons apply: x cannot be lifted from the pile, and the stock accepts nothing.
    var game = Bench(Types.klondike(piles: ["9c 5h", "6s"], stock: "2h"))
    expect(game.move(["9c"], to: "stock"), "FACE_DOWN")
    // Two reasons apply: another author has moved it since the base, and the rule refuses.
    #expect(game.move(["5h"], to: "pile/1", by: 2).summary == "accepted")
    expect(game.move(["5h"], to: "stock", base: 0), "DESTINATION_CLOSED")
    expect(game.move(["5h"], to: "pile/1", base: 0), "CONTENDED")
    #expect(game.move(["5h"], to: "pile/1").summary == "unchanged")
  }

  @Test("I3: an operation that is not judged leaves no trace and may be sent again")
  func retry() {
    var bench = Bench(Types.lists(["abc"]))
    #expect(bench.move(["a"], to: "list/0", base: 5).summary == "retry:STALE_BASE")
    #expect(bench.move(["a"], to: "list/0", base: .max).summary == "retry:STALE_BASE")
    #expect(bench.memories[SessionID(rawValue: 1)] == AuthorMemory())
  }

  // MARK: Room

  @Test("I5: a drop beyond a column's capacity is refused as a whole")
  func capacity() {
    var bench = Bench(Types.board(todo: "abcd", doing: "x"))
    expect(bench.move(["a", "b"], to: "doing"), "CAPACITY_EXCEEDED", "doing.wip")
    #expect(bench.move(["a"], to: "doing").summary == "accepted")
    expect(bench.move(["b"], to: "doing"), "CAPACITY_EXCEEDED")
    // Items that are already there need no room.
    #expect(bench.move(["a"], to: "doing", before: "x").summary == "accepted")
    #expect(bench.text("doing") == "ax")
  }

  @Test("I4, I5: a partly accepted block moves its first items, and the rest stays")
  func partialAcceptance() throws {
    var bench = Bench(Types.board(todo: "abcd", review: "xy"))
    let configuration = bench.state.dropConfiguration(
      for: ReorderDifference(sources: bench.ids("c", "a"), destination: bench.destination("review", before: "y")),
      by: SeatNumber(rawValue: 1))
    #expect(configuration == DropConfiguration(operation: .move, acceptedItemCount: 1))
    #expect(bench.move(["c", "a"], to: "review", before: "y").summary == "accepted")
    #expect(bench.text("review") == "xcy")
    #expect(bench.text("todo") == "abd")
    expect(bench.move(["a"], to: "review"), "CAPACITY_EXCEEDED", "review.wip")
    // New items and copies, too; the author receives the number of accepted ones.
    #expect(bench.move(["x"], to: "todo").summary == "accepted")
    let diff = try #require(bench.judge(.insert(Types.named(["n", "m"]), bench.destination("review"))).diff)
    #expect(diff.minted == [bench.id("n"), .none])
    #expect(bench.text("review") == "cyn")
  }

  @Test("I5: a partial move counts the sources that stay in the destination")
  func partialWithReturning() {
    var bench = Bench(Types.board(todo: "abcd", review: "xy"))
    #expect(bench.move(["a", "b", "y"], to: "review").summary == "accepted")
    #expect(bench.text("review") == "xya")
    #expect(bench.text("todo") == "bcd")
    // The first source is there already and the second has no room: the first is moved.
    #expect(bench.move(["y", "b"], to: "review", before: "x").summary == "accepted")
    #expect(bench.text("review") == "yxa")
    // If no item moves, the operation changes nothing.
    #expect(bench.move(["y", "b"], to: "review", before: "x").summary == "unchanged")
  }

  @Test("I5: a partial move reaches its position though one of its sources stays")
  func partialAtTheEnd() {
    var bench = Bench(Types.board(todo: "abcd"))
    #expect(bench.move(["a", "b"], to: "tail").summary == "accepted")
    // `b` is the last item and a source, so that the position is the end; it is left out, and the block lands there.
    #expect(bench.move(["c", "d", "b"], to: "tail", before: "b").summary == "accepted")
    #expect(bench.text("tail") == "abc")
    expect(bench.move(["a"], to: "tail", before: "b"), "POSITION_NOT_ALLOWED", "tail")
  }

  // MARK: Operations

  @Test("I5: source, author and destination agree on what a drop does")
  func negotiation() throws {
    var bench = Bench(Types.playlist())
    let copied = try #require(bench.move(["a", "b"], to: "queue", before: "y").diff)
    #expect(copied.operation == .copy)
    #expect(bench.text("queue") == "xaby")
    #expect(bench.text("library") == "abc")
    #expect(copied.minted.map(bench.state.name) == ["a", "b"])
    #expect(try #require(bench.move(["x"], to: "queue").diff).operation == .move)
    #expect(bench.text("queue") == "abyx")
    #expect(try #require(bench.move(["y"], to: "bin").diff).operation == .delete)
    #expect(bench.text("queue") == "abx")
    #expect(bench.text("bin") == "")
    expect(bench.move(["a"], to: "bin"), "OPERATION_NOT_SUPPORTED", "bin")
    expect(bench.move(["x"], to: "queue", suggested: .copy), "OPERATION_NOT_SUPPORTED")
    expect(bench.move(["x"], to: "queue", suggested: .alias), "OPERATION_NOT_SUPPORTED")
    expect(bench.judge(.remove(bench.ids("c"))), "OPERATION_NOT_SUPPORTED", "library.lift")
    expect(bench.judge(.update(bench.id("x"), attributes: [], representations: [])), "OPERATION_NOT_SUPPORTED", "")
    expect(bench.move(["x"], to: "library"), "DESTINATION_CLOSED")
    expect(bench.judge(.insert([NewItem()], bench.destination("queue"))), "FOREIGN_ITEM", "queue")
    let redirected = try #require(bench.move(["a"], to: "inbox").diff)
    #expect(redirected.isRedirected)
    #expect(bench.text("queue") == "abxa")
  }

  @Test("I5: an item needs an accepted content type, and a copy keeps only accepted ones")
  func contentTypes() throws {
    var bench = Bench(Types.playlist())
    expect(bench.move(["b"], to: "ogg"), "TYPE_NOT_ACCEPTED", "ogg.contentTypes")
    expect(bench.move(["c"], to: "ogg"), "NO_REPRESENTATION", "ogg.contentTypes")
    let copy = try #require(bench.move(["a"], to: "ogg").diff?.minted.first)
    #expect(bench.state.face(of: copy)?.representations == [Representation(contentType: "audio/ogg", data: [2])])
    let library = bench.destination("library")
    let song = NewItem(representations: [
      Representation(contentType: "text/plain", data: []), Representation(contentType: "audio/mpeg", data: [7]),
    ])
    let new = try #require(bench.judge(.insert([song], library)).diff?.minted.first)
    #expect(bench.state.face(of: new)?.representations.map(\.contentType) == ["audio/mpeg"])
    expect(bench.judge(.insert([NewItem()], library)), "NO_REPRESENTATION", "library.contentTypes")
    let text = NewItem(representations: [Representation(contentType: "text/plain", data: [])])
    expect(bench.judge(.insert([song, text], library)), "TYPE_NOT_ACCEPTED", "library.contentTypes")
  }

  @Test("I5: items from a source that the table type does not list are refused")
  func from() {
    let kinds = [
      CollectionKind(name: "any"), CollectionKind(name: "picky", accept: AcceptRule(from: [Types.handle(0)])),
    ]
    var bench = Bench(
      TableType(
        name: "picky", seatsMax: 1,
        collections: [
          CollectionRules(id: "one", kind: 0), CollectionRules(id: "two", kind: 0),
          CollectionRules(id: "picky", kind: 1),
        ], kinds: kinds,
        setUp: SetUp(decks: [
          Deck(contents: .items(Types.named(["a", "b"])), deals: [Deck.Deal(to: Types.handle(0))]),
          Deck(contents: .items(Types.named(["x"])), deals: [Deck.Deal(to: Types.handle(1))]),
        ])))
    expect(bench.move(["x"], to: "picky"), "FOREIGN_ITEM")
    #expect(bench.move(["a", "b"], to: "picky").summary == "accepted")
    #expect(bench.move(["b"], to: "picky", before: "a").summary == "accepted")
  }

  @Test("I5: pinned items do not move, and moves, copies and new items go behind a pinned head")
  func pinned() {
    var bench = Bench(Types.board(todo: "abcd"))
    #expect(bench.judge(.perform(action: "pin", items: bench.ids("a", "b"), nil)).summary == "accepted")
    #expect(bench.judge(.perform(action: "pin", items: bench.ids("a", "b"), nil)).summary == "unchanged")
    expect(bench.judge(.perform(action: "pin", items: [], nil)), "EMPTY_SOURCES")
    expect(bench.move(["a"], to: "doing"), "NOT_REORDERABLE", "todo.lift")
    expect(bench.move(["c", "b"], to: "doing"), "NOT_REORDERABLE")
    expect(bench.move(["d"], to: "todo", before: "a"), "POSITION_NOT_ALLOWED")
    expect(bench.move(["d"], to: "todo", before: "b"), "POSITION_NOT_ALLOWED")
    expect(bench.judge(.insert([NewItem()], bench.destination("todo", before: "a"))), "POSITION_NOT_ALLOWED", "todo")
    #expect(bench.move(["d"], to: "todo", before: "c").summary == "accepted")
    #expect(bench.text("todo") == "abdc")
    // A drop that always goes to the start goes behind pinned items.
    var songs = Bench(Types.playlist())
    songs.move(["x"], to: "next")
    songs.judge(.perform(action: "pin", items: songs.ids("x"), nil))
    #expect(songs.move(["y"], to: "next").summary == "accepted")
    #expect(songs.text("next") == "xy")
    #expect(songs.move(["a"], to: "next").summary == "accepted")
    #expect(songs.text("next") == "xay")
  }

  @Test("I5: an update merges attributes by name, deletes those without a value, and replaces all representations")
  func update() throws {
    var bench = Bench(Types.lists(["abc"]))
    let item = bench.id("a")
    let text = Representation(contentType: "text/plain", data: [1])
    let diff = try #require(
      bench.judge(.update(item, attributes: [Attribute("size", 3)], representations: [text])).diff)
    #expect(diff.changes.count == 1)
    #expect(bench.state.face(of: item)?.attributes == [Attribute("name", "a"), Attribute("size", 3)])
    #expect(
      bench.judge(.update(item, attributes: [Attribute("size", 3)], representations: [])).summary == "unchanged")
    bench.judge(.update(item, attributes: [Attribute(name: "name", value: nil)], representations: []))
    #expect(bench.state.face(of: item) == Face(attributes: [Attribute("size", 3)], representations: [text]))
  }

  @Test("I8: an item's number of attributes is bounded, for insertions and updates")
  func attributeBounds() {
    var bench = Bench(Types.lists(["abc"]))
    func attributes(_ count: Int) -> [Attribute] { (0..<count).map { Attribute("n\($0)", 1) } }
    let item = bench.id("a")
    expect(bench.judge(.update(item, attributes: attributes(65), representations: [])), "TABLE_SIZE")
    expect(bench.judge(.update(item, attributes: attributes(64), representations: [])), "TABLE_SIZE")
    #expect(bench.judge(.update(item, attributes: attributes(63), representations: [])).summary == "accepted")
    let end = bench.destination("list/0")
    expect(bench.judge(.insert([NewItem(attributes: attributes(65))], end)), "TABLE_SIZE")
    #expect(bench.judge(.insert([NewItem(attributes: attributes(64))], end)).summary == "accepted")
  }

  // MARK: Hovering

  @Test("I5: hovering considers who may act, consequences and claims, as a drop does")
  func hovering() {
    let deal = Action.Step.deal(from: Types.handle(0), to: Types.handle(2), count: nil)
    let kinds = [CollectionKind(name: "list"), CollectionKind(name: "trigger", accept: AcceptRule(then: [deal]))]
    let type = TableType(
      name: "hover", seatsMax: 2, claims: true,
      collections: [0, 1, 0].enumerated().map { CollectionRules(id: "list/\($0)", kind: $1) }, kinds: kinds,
      endings: [Ending(when: .all([]), status: "over")],
      setUp: SetUp(
        decks: [Deck(contents: .items(Types.named(["a", "b"])), deals: [Deck.Deal(to: Types.handle(0))])]))
    var bench = Bench(type)
    let drop = ReorderDifference(sources: bench.ids("a"), destination: bench.destination("list/1"))
    func reason(by seat: UInt32 = 1, _ claims: [ItemID: Claim]? = nil) -> Reason? {
      bench.state.dropConfiguration(for: drop, by: SeatNumber(rawValue: seat), claims: claims).refusal?.reason
    }
    #expect(reason() == nil)
    #expect(reason(by: 0) == .permissionDenied)
    #expect(reason([bench.id("a"): Claim(session: SessionID(rawValue: 2), since: bench.state.revision)]) == .claimed)
    #expect(reason([bench.id("b"): Claim(session: SessionID(rawValue: 2), since: bench.state.revision)]) == nil)
    disable("list/2", at: &bench)
    #expect(reason() == .containerDisabled)
    let verdicts = bench.state.dropConfigurations(for: drop.sources, by: SeatNumber(rawValue: 1))
    #expect(verdicts.map(\.configuration.refusal?.reason) == [nil, .containerDisabled, .containerDisabled])
    #expect(bench.move(["a"], to: "list/0").summary == "accepted")
    #expect(reason() == .gameOver)
    #expect(bench.state.refusalToLift(drop.sources, by: SeatNumber(rawValue: 1))?.reason == .gameOver)
  }

  // MARK: Rules in code

  private struct Redirecting: CustomRules {
    var verdict: @Sendable (DropConfiguration, ItemList, Destination) -> DropConfiguration
    func dropConfiguration(
      for configuration: DropConfiguration, of sources: ItemList, to destination: Destination, at table: TableState,
      by seat: SeatNumber
    ) -> DropConfiguration { verdict(configuration, sources, destination) }
  }

  private func lists(
    _ contents: [String], _ verdict: @escaping @Sendable (DropConfiguration, ItemList, Destination) -> DropConfiguration
  ) -> Bench {
    let type = Types.lists(contents)
    return Bench(
      TableType(
        name: "custom", seatsMax: 8, contention: .last, collections: type.collections, kinds: type.kinds,
        setUp: type.setUp, custom: Redirecting(verdict: verdict)))
  }

  @Test("I5: rules in code decide last, and their invalid results are corrected or refused")
  func customRules() throws {
    var refusing = lists(["abc", "xyz"]) { _, _, _ in .forbidden(Refusal(Reason(rawValue: "MINE"), rule: "code")) }
    expect(refusing.move(["a"], to: "list/1"), "MINE", "code")
    let other = Types.handle(1)
    var moving = lists(["abc", "xyz"]) { _, _, _ in DropConfiguration(operation: .move, destination: .end(of: other)) }
    let diff = try #require(moving.move(["a"], to: "list/0").diff)
    #expect(diff.isRedirected)
    #expect(moving.text("list/1") == "xyza")
    disable("list/1", at: &moving)
    expect(moving.move(["b"], to: "list/0"), "CONTAINER_DISABLED")
    // The rules accept a part; an item that stays may be the anchor.
    var partial = lists(["abcd", "xyz"]) { _, _, _ in DropConfiguration(operation: .move, acceptedItemCount: 1) }
    #expect(partial.move(["d", "b"], to: "list/0", before: "b").summary == "accepted")
    #expect(partial.text("list/0") == "adbc")
    // The rules turn a move into a copy: the anchor's index is not reduced.
    var copying = lists(["abc", "xyz"]) { _, _, _ in DropConfiguration(operation: .copy) }
    #expect(copying.move(["b", "a"], to: "list/0", before: "b", suggested: .move).summary == "accepted")
    #expect(copying.text("list/0") == "abab" + "c")
    // Invalid results: an unknown collection, an anchor that does not exist, too high a count.
    let nowhere = Destination.end(of: CollectionHandle(rawValue: 99))
    var lost = lists(["abc", "xyz"]) { _, _, _ in DropConfiguration(operation: .move, destination: nowhere) }
    expect(lost.move(["a"], to: "list/1"), "UNKNOWN_COLLECTION")
    let stranger = Destination.before(ItemID(rawValue: 9_999), in: other)
    var strange = lists(["abc", "xyz"]) { _, _, _ in
      DropConfiguration(operation: .move, destination: stranger, acceptedItemCount: 50)
    }
    #expect(strange.move(["a", "b"], to: "list/0").summary == "accepted")
    #expect(strange.text("list/1") == "xyzab")
    let none = lists(["abc", "xyz"]) { _, _, _ in DropConfiguration(operation: .cancel) }
    var cancelling = none
    expect(cancelling.move(["a"], to: "list/1"), "FORBIDDEN")
  }

  // MARK: Hostile input

  @Test("I8: arithmetic that overflows 64 bits has no value and does not trap")
  func extremes() {
    let extremes: [Int64] = [.min, .max, -1, 0, 1]
    for left in extremes {
      for right in extremes {
        let state = TableState(type: Types.lists(["", ""]))
        let context = RuleContext(seat: SeatNumber(rawValue: 1))
        let (l, r) = (Term.constant(.number(left)), Term.constant(.number(right)))
        let sum = left.addingReportingOverflow(right)
        #expect(state.value(.sum([l, r]), context) == (sum.overflow ? nil : .number(sum.partialValue)))
        let difference = left.subtractingReportingOverflow(right)
        #expect(
          state.value(.difference(l, r), context) == (difference.overflow ? nil : .number(difference.partialValue)))
        // A missing value equals nothing.
        if sum.overflow {
          for comparison in [.equal, .unequal, .less, .atMost] as [Predicate.Comparison] {
            #expect(!state.holds(.compare(.sum([l, r]), comparison, l), context))
          }
        }
      }
    }
  }

  @Test("I8: attributes at the limits of 64 bits do not trap in a game's rules")
  func extremeRanks() {
    for rank in [Int64.min, .max] {
      var bench = Bench(Types.klondike(piles: ["6s", "5h"], stock: ""))
      let face = Face(attributes: [Attribute("rank", rank), Attribute("suit", "hearts")])
      bench.table.state.setFace(bench.state.index.slot(of: bench.id("5h")), face)
      let item = bench.state.item(at: 0, in: bench.handle("pile/1")) ?? .none
      for target in ["pile/0", "foundation/h"] {
        let difference = ReorderDifference(sources: [item], destination: bench.destination(target))
        let configuration = bench.state.dropConfiguration(for: difference, by: SeatNumber(rawValue: 1))
        #expect(configuration.refusal?.reason.rawValue == "RANK_MISMATCH")
      }
    }
  }

  @Test("I8: random invalid operations are all answered", arguments: 0..<30 as Range<UInt64>)
  func nonsense(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var bench = Bench(Types.playground(), seed: seed)
    let words: [UInt64] = [0, 1, 2, 5, 24, 25, 1 << 31, 1 << 32, 1 << 62, 1 << 63, (1 << 63) | 4_096, .max, .max - 1]
    func id(_ random: inout SplitMix64) -> ItemID {
      random.below(2) == 0
        ? ItemID(rawValue: words[random.below(words.count)]) : ItemID(rawValue: UInt64(random.below(30)))
    }
    func handle(_ random: inout SplitMix64) -> CollectionHandle {
      CollectionHandle(
        rawValue: random.below(4) == 0 ? [0, 7, .max, 1 << 31][random.below(4)] : UInt32(random.below(6)) + 1)
    }
    for _ in 0..<150 {
      let destination = Destination(
        collection: handle(&random), position: random.below(3) == 0 ? .end : .before(id(&random)), then: id(&random))
      let items = ItemList((0..<random.below(5)).map { _ in id(&random) })
      let kind: TableOperation.Kind =
        switch random.below(7) {
        case 0: .insert([NewItem()], destination)
        case 1: .remove(items)
        case 2: .update(id(&random), attributes: [Attribute("", .min)], representations: [])
        case 3: .perform(action: ["", "draw", "turn", "pin"][random.below(4)], items: items, destination)
        case 4: .undo(SequenceNumber(rawValue: .max))
        default:
          .move(
            items, to: destination,
            suggested: DropOperation.Set(rawValue: random.below(3) == 0 ? .max : UInt32(random.below(32))))
        }
      let operation = TableOperation(
        sequence: SequenceNumber(rawValue: words[random.below(words.count)]),
        base: random.below(3) == 0 ? Revision(rawValue: words[random.below(words.count)]) : bench.state.revision,
        epoch: Epoch(rawValue: .max), unanswered: [0, 1, 5, .max][random.below(4)], kind: kind)
      _ = bench.judge(operation, by: SessionID(rawValue: UInt64(random.below(3))), seat: [0, 1, .max][random.below(3)])
    }
  }

  // MARK: Memory and history

  @Test("I8: an author's memory is bounded, and shrinks when its answers are acknowledged")
  func memoryIsBounded() {
    var memory = AuthorMemory()
    let items = (1...1_000 as ClosedRange<UInt64>).map(ItemID.init(rawValue:))
    for number in 1...500 as ClosedRange<UInt64> {
      memory.make(ItemList(items), by: SequenceNumber(rawValue: number))
      memory.displace(items, by: SequenceNumber(rawValue: number), at: .zero)
    }
    let last = SequenceNumber(rawValue: 500)
    #expect(memory.resolve(.provisional(operation: last, number: 999)) == ItemID(rawValue: 1_000))
    #expect(memory.resolve(.provisional(operation: last, number: 1_000)) == nil)
    #expect(memory.resolve(.provisional(operation: SequenceNumber(rawValue: 1), number: 0)) == nil)
    #expect(memory.lastNote(on: ItemID(rawValue: 7)) != nil)
    func operation(_ sequence: UInt64, unanswered: UInt32) -> TableOperation {
      TableOperation(
        sequence: SequenceNumber(rawValue: sequence), base: .zero, epoch: Epoch(rawValue: 1), unanswered: unanswered,
        kind: .unknown)
    }
    memory.advance(to: operation(501, unanswered: 1))
    #expect(memory.resolve(.provisional(operation: last, number: 0)) != nil)
    #expect(memory.resolve(.provisional(operation: SequenceNumber(rawValue: 499), number: 0)) == nil)
    memory.advance(to: operation(502, unanswered: 0))
    #expect(memory.resolve(.provisional(operation: last, number: 0)) == nil)
    #expect(memory.lastNote(on: ItemID(rawValue: 7)) == nil)
  }

  @Test("I8: the history window is bounded in revisions and in records")
  func history() {
    var history = History(at: .zero, revisionsMax: 10)
    func takeOut(_ revision: UInt64) -> History.TakeOut {
      History.TakeOut(
        revision: Revision(rawValue: revision), item: ItemID(rawValue: revision), successor: .none,
        author: SessionID(rawValue: 1), previous: History.none, collection: 0, isAsAsked: true, isFirst: true)
    }
    for revision in 1...500 as ClosedRange<UInt64> {
      _ = history.append(takeOut(revision))
      history.trim(at: Revision(rawValue: revision))
      let oldest = revision < 10 ? 0 : revision - 10
      #expect(history.oldestBase.rawValue == oldest)
      #expect(history.takeOuts(since: history.oldestBase).map(\.revision.rawValue) == Array((oldest + 1)...revision))
    }
    #expect(history.takeOuts(since: Revision(rawValue: 497)).map(\.revision.rawValue) == [498, 499, 500])
    #expect(history.takeOuts(since: Revision(rawValue: 500)).isEmpty)
    history.rollBack(to: Revision(rawValue: 498))
    #expect(history.takeOuts(since: Revision(rawValue: 495)).map(\.revision.rawValue) == [496, 497, 498])
  }

  @Test("I5: a table that continues from another table's state knows nothing of that table's history")
  func historyOfAnotherTable() {
    var bench = Bench(Types.numbered(6))
    let list = Types.handle(0)
    let ids = bench.state.itemIDs(in: list)
    for id in ids.dropLast() {
      bench.judge(.move([id], to: .end(of: list)), by: 2)
    }
    for table in [Table(restoring: bench.state, random: RandomSource(seed: 2)), Table(replicaOf: bench.state)] {
      var continued = table
      let base = continued.state.revision
      var memory = AuthorMemory()
      for (number, id) in ids.enumerated() {
        let operation = TableOperation(
          sequence: SequenceNumber(rawValue: UInt64(number) + 1), base: base, epoch: Epoch(rawValue: 1),
          kind: .move([id], to: .end(of: list)))
        _ = continued.judge(
          operation, by: Author(session: SessionID(rawValue: 1), seat: SeatNumber(rawValue: 1)), memory: &memory)
        #expect(continued.brokenChain() == nil)
      }
    }
  }

  @Test("I10: a prediction that exceeded the window is undone, and later diffs apply")
  func predictionOverrunsTheWindow() throws {
    var history = History(at: .zero)
    let many = TableLimits.historyTakeOutsMax + 1
    for revision in 1...3 as ClosedRange<UInt64> {
      for number in 0..<(revision == 3 ? many : 1) {
        _ = history.append(
          History.TakeOut(
            revision: Revision(rawValue: revision), item: ItemID(rawValue: UInt64(number) + 1), successor: .none,
            author: SessionID(rawValue: 1), previous: History.none, collection: 0, isAsAsked: true, isFirst: true))
      }
      history.trim(at: Revision(rawValue: revision))
    }
    #expect(history.oldestBase.rawValue == 3)
    history.rollBack(to: .zero)
    history.trim(at: Revision(rawValue: 1))
    #expect(history.oldestBase == .zero)
  }
}
