import TestSupport
import Testing

@testable import BaizeTable

/// Y1–Y8: items that stand for others.
@Suite struct AliasTests {
  private static func number(_ number: UInt64) -> TableOperation.Kind { .undo(SequenceNumber(rawValue: number)) }

  // MARK: Making

  @Test func `I4: an alias is a new item with the face of its item, which stays`() throws {
    var bench = Bench(Types.aliases(["abc", "xyz"]))
    let diff = try #require(bench.alias(["a", "c"], to: "list/1", before: "y").diff)
    #expect(diff.operation == .alias && diff.minted.count == 2)
    #expect(bench.text("list/0") == "abc" && bench.text("list/1") == "xacyz")
    let alias = try #require(bench.state.item(diff.minted[0]))
    #expect(alias.aliasOf == bench.id("a") && alias.face == bench.state.face(of: bench.id("a")))
    #expect(bench.state.aliases(of: bench.id("a")) == [alias.id] && bench.state.aliasCount == 2)
    // A move by itself leaves its item where it is; so does its removal.
    #expect(bench.judge(.move([alias.id], to: bench.destination("list/0"))).summary == "accepted")
    #expect(bench.text("list/0") == "abca" && bench.text("list/1") == "xcyz")
    #expect(bench.judge(.remove([alias.id])).summary == "accepted" && bench.text("list/0") == "abc")
    #expect(bench.state.aliases(of: bench.id("a")).isEmpty)
  }

  @Test func `I4: an alias of an alias is one of its item, and a copy of one is an item of its own`() throws {
    var bench = Bench(Types.aliases(["ab", ""]))
    let one = try #require(bench.alias(["a"], to: "list/1").diff).minted[0]
    let two = try #require(bench.judge(.move([one], to: bench.destination("list/1"), suggested: .alias)).diff).minted[0]
    #expect(bench.state.item(two)?.aliasOf == bench.id("a"))
    let copy = try #require(bench.judge(.move([two], to: bench.destination("list/1"), suggested: .copy)).diff).minted[0]
    #expect(bench.state.item(copy)?.aliasOf == ItemID.none && bench.text("list/1") == "aaa")
    bench.judge(.remove([bench.id("a")]))
    #expect(bench.text("list/0") == "b" && bench.text("list/1") == "a")
  }

  @Test func `I4: an alias is made of what an own pending operation makes`() throws {
    var bench = Bench(Types.aliases(["a", ""]))
    bench.judge(.insert(Types.named(["n"]), bench.destination("list/0")))
    let made = ItemID.provisional(operation: SequenceNumber(rawValue: 1), number: 0)
    let alias = TableOperation.Kind.move([made], to: bench.destination("list/1"), suggested: .alias)
    #expect(bench.judge(alias, base: 0, unanswered: 1).summary == "accepted")
    let again = ItemID.provisional(operation: SequenceNumber(rawValue: 2), number: 0)
    #expect(
      bench.judge(.move([again], to: bench.destination("list/0")), base: 0, unanswered: 2).summary == "accepted")
    #expect(bench.text("list/0") == "ann" && bench.state.aliases(of: bench.id("n")).count == 1)
  }

  @Test func `I5: there are aliases only where the type offers and accepts them`() {
    var bench = Bench(Types.aliases(["abc", "xyz"]))
    #expect(bench.alias(["a"], to: "down").summary == "refused:OPERATION_NOT_SUPPORTED")
    #expect(bench.alias(["a"], to: "pile").summary == "refused:OPERATION_NOT_SUPPORTED")
    bench.move(["a"], to: "pile")
    #expect(bench.alias(["a"], to: "list/0").summary == "refused:OPERATION_NOT_SUPPORTED")
    var plain = Bench(Types.lists(["abc"]))
    #expect(plain.alias(["a"], to: "list/0").summary == "refused:OPERATION_NOT_SUPPORTED")
  }

  @Test func `I8: an item, a table and an operation have a limited number of aliases`() {
    var bench = Bench(Types.aliases(["ab", ""]))
    for _ in 0..<TableLimits.aliasesPerItemMax { #expect(bench.alias(["a"], to: "list/1").summary == "accepted") }
    #expect(bench.alias(["a"], to: "list/1").summary == "refused:TABLE_SIZE")
    #expect(bench.alias(["b", "a"], to: "list/1").summary == "refused:TABLE_SIZE")
    var open = Bench(Types.aliases(["a", ""], isOpen: true))
    for _ in 0..<TableLimits.aliasesPerItemMax { #expect(open.alias(["a"], to: "list/1").summary == "accepted") }
    let data = [UInt8](repeating: 1, count: TableLimits.operationFaceBytesMax / 32)
    let large = TableOperation.Kind.update(
      open.id("a"), attributes: [], representations: [Representation(contentType: "a/b", data: data)])
    #expect(open.judge(large).summary == "refused:TOO_MANY_ITEMS")
    bench.table.itemsPerOperationMax = 32
    #expect(bench.judge(.remove([bench.id("a")])).summary == "refused:TOO_MANY_ITEMS")
    #expect(bench.judge(.move([bench.id("a")], to: bench.destination("down"))).summary == "refused:TOO_MANY_ITEMS")
    bench.table.itemsPerOperationMax = 33
    #expect(bench.judge(.remove([bench.id("a")])).summary == "accepted" && bench.state.aliasCount == 0)
  }

  @Test(arguments: [true, false]) func `I8: an alias counts as what it makes the daemon keep`(isOpen: Bool) {
    var bench = Bench(Types.aliases(["a", ""], isOpen: isOpen))
    let before = bench.state.contentBytes
    let face = isOpen ? bench.state.face(of: bench.id("a"))?.contentBytes ?? 0 : TableLimits.faceBytes
    bench.alias(["a"], to: "list/1")
    let charged = TableLimits.itemContentBytes + TableLimits.aliasContentBytes + face
    #expect(bench.state.contentBytes == before + charged)
    bench.table.contentBytesMax = bench.state.contentBytes + charged - 1
    #expect(bench.alias(["a"], to: "list/1").summary == "refused:TABLE_SIZE")
    bench.table.contentBytesMax += 1
    #expect(bench.alias(["a"], to: "list/1").summary == "accepted")
  }

  // MARK: Faces

  @Test func `I1: an update of an item, or of its alias, changes both`() throws {
    var bench = Bench(Types.aliases(["ab", "z"]))
    let alias = try #require(bench.alias(["a"], to: "list/1").diff).minted[0]
    let item = bench.id("a")
    let update = TableOperation.Kind.update(alias, attributes: [Attribute("name", "A")], representations: [])
    let diff = try #require(bench.judge(update).diff)
    guard case .faced(let items) = diff.changes[0] else { return #expect(Bool(false), "\(diff)") }
    #expect(items.map(\.id) == [item, alias] && bench.text("list/0") == "Ab" && bench.text("list/1") == "zA")
    #expect(bench.undo().summary == "accepted" && bench.text("list/1") == "za")
    // A pinned alias keeps the pin when the face changes, and the face when it is unpinned by an undo.
    #expect(bench.judge(.perform(action: "pin", items: [alias], nil)).summary == "accepted")
    #expect(bench.judge(update).summary == "accepted")
    #expect(bench.state.isPinned(alias) && !bench.state.isPinned(item))
    #expect(bench.judge(Self.number(4)).summary == "accepted" && bench.text("list/1") == "zA")
    #expect(!bench.state.isPinned(alias))
  }

  @Test func `I1: what an item is stamped with, its aliases are stamped with, and they are not by themselves`() throws {
    var bench = Bench(Types.aliases(["ab", ""]))
    let alias = try #require(bench.alias(["a"], to: "list/1").diff).minted[0]
    bench.judge(.move([alias], to: bench.destination("done")))
    #expect(bench.state.face(of: alias)?["stage"] == nil)
    bench.judge(.move([bench.id("a")], to: bench.destination("done")))
    #expect(bench.state.face(of: alias)?["stage"] == .number(1))
    #expect(bench.undo().summary == "accepted" && bench.state.face(of: alias)?["stage"] == nil)
    // As a block.
    bench.judge(.move([alias], to: bench.destination("list/1")))
    bench.judge(.move([alias, bench.id("a")], to: bench.destination("done")))
    #expect(bench.state.face(of: alias)?["stage"] == .number(1))
  }

  @Test func `I5: a key is its item's, and an alias has none`() throws {
    let kind = CollectionKind(
      name: "list", lift: LiftRule(offers: [.move, .copy, .alias, .delete]),
      accept: AcceptRule(operations: [.move, .copy, .alias], inserts: true), allowsUpdate: true)
    var bench = Bench(
      TableType(
        name: "keyed", seatsMax: 2, contention: .last, key: "name", collections: [CollectionRules(id: "list", kind: 0)],
        kinds: [kind],
        setUp: SetUp(decks: [Deck(contents: .items(Types.named(["a", "b"])), deals: [Deck.Deal(to: Types.handle(0))])]))
    )
    let item = bench.id("a")
    let alias = try #require(bench.alias(["a"], to: "list").diff).minted[0]
    bench.judge(.move([alias], to: bench.destination("list", before: "a")))
    #expect(bench.state.item(forKey: .text("a")) == item)
    #expect(
      bench.judge(.move([alias], to: bench.destination("list"), suggested: .copy)).summary == "refused:DUPLICATE_KEY")
    let update = TableOperation.Kind.update(alias, attributes: [Attribute("name", "c")], representations: [])
    #expect(bench.judge(update).summary == "accepted")
    #expect(bench.state.item(forKey: .text("c")) == item && bench.state.item(forKey: .text("a")) == nil)
    #expect(bench.judge(.remove([item])).summary == "accepted" && bench.state.item(forKey: .text("c")) == nil)
    #expect(bench.undo().summary == "accepted" && bench.state.item(forKey: .text("c")) == item)
    #expect(bench.state.aliases(of: item) == [alias])
  }

  // MARK: Going along

  @Test(arguments: ["down", "pile", "hand"])
  func `I6: aliases go when their item is hidden, or may be`(_ destination: String) throws {
    var bench = Bench(Types.aliases(["abc", "xyz"]))
    bench.alias(["a", "b"], to: "list/1")
    bench.alias(["a"], to: "list/0", before: "b")
    #expect(bench.text("list/0") == "aabc" && bench.text("list/1") == "xyzab")
    let judgement = bench.move(["a", "c"], to: destination)
    #expect(judgement.summary == "accepted")
    #expect(bench.text("list/0") == "b" && bench.text("list/1") == "xyzb" && bench.state.aliasCount == 1)
    let undo = bench.undo()
    guard destination == "pile" else { return #expect(undo.summary == "refused:UNDO_TOO_LATE") }
    #expect(undo.summary == "accepted" && bench.text("list/0") == "aabc" && bench.text("list/1") == "xyzab")
    #expect(bench.state.aliasCount == 3)
    #expect(bench.undo().summary == "accepted" && bench.state.aliasCount == 1)
  }

  @Test func `I6: an alias is not moved to where faces may be hidden, and steps remove it`() throws {
    for destination in ["down", "pile", "hand"] {
      var bench = Bench(Types.aliases(["abc", "xyz"]))
      let alias = try #require(bench.alias(["a"], to: "list/1").diff).minted[0]
      #expect(
        bench.judge(.move([alias], to: bench.destination(destination))).summary == "refused:FOREIGN_ITEM")
      let both = TableOperation.Kind.move([bench.id("x"), alias], to: bench.destination(destination))
      #expect(bench.judge(both).summary == "refused:FOREIGN_ITEM")
    }
    var bench = Bench(Types.aliases(["abc", "xyz"]))
    bench.alias(["b", "x"], to: "list/0", before: "c")
    #expect(bench.text("list/0") == "abbxc")
    #expect(bench.judge(.perform(action: "deal", items: [], nil)).summary == "accepted")
    // All of the first list: the items, and not the aliases.
    #expect(bench.text("list/0").isEmpty && bench.text("list/1") == "xyz" && bench.state.aliasCount == 0)
    #expect(bench.state.count(in: bench.handle("down")) == 3)
  }

  @Test func `I6: items that get new ids lose their aliases, and shuffled aliases stay`() {
    var bench = Bench(Types.aliases(["abc", "xyz"]))
    let item = bench.id("x")
    bench.alias(["a", "x"], to: "list/0")
    bench.alias(["b"], to: "list/1")
    #expect(bench.judge(.perform(action: "shuffle", items: [], nil)).summary == "accepted")
    #expect(bench.text("list/1") == "xyz" && bench.state.count(in: bench.handle("list/0")) == 4)
    #expect(bench.state.aliases(of: item).count == 1 && bench.state.aliasCount == 1)
  }

  @Test func `I8: the aliases that go count among the items that steps may move`() {
    var bench = Bench(Types.aliases(["abc", ""]))
    for _ in 0..<30 { bench.alias(["a", "b", "c"], to: "list/1") }
    for _ in 0..<5 {
      bench.judge(.insert(Types.named(Array(repeating: "n", count: 90)), bench.destination("list/0")))
    }
    // 453 items with 90 aliases.
    #expect(bench.judge(.perform(action: "deal", items: [], nil)).summary == "refused:TOO_MANY_ITEMS")
    let many = ItemList(bench.state.itemIDs(in: bench.handle("list/0")).suffix(43))
    #expect(bench.judge(.remove(many)).summary == "accepted")
    #expect(bench.judge(.perform(action: "deal", items: [], nil)).summary == "accepted")
    #expect(bench.state.aliasCount == 0 && bench.state.itemCount == 410)
  }

  // MARK: Undo

  @Test func `I4: an undo brings an item back with the aliases that went along`() {
    var bench = Bench(Types.aliases(["abc", "xyz"]))
    bench.alias(["a"], to: "list/1", before: "y")
    bench.alias(["a"], to: "list/0", before: "b")
    bench.judge(.remove([bench.id("a")]))
    #expect(bench.text("list/0") == "bc" && bench.text("list/1") == "xyz")
    #expect(bench.undo().summary == "accepted")
    #expect(bench.text("list/0") == "aabc" && bench.text("list/1") == "xayz" && bench.state.aliasCount == 2)
    #expect(bench.undo().summary == "accepted" && bench.state.aliasCount == 0)
    #expect(bench.undo().summary == "accepted" && bench.state.aliasCount == 2)
    // The aliases themselves.
    #expect(bench.judge(Self.number(2)).summary == "accepted")
    #expect(bench.judge(Self.number(1)).summary == "accepted")
    #expect(bench.text("list/0") == "abc" && bench.text("list/1") == "xyz")
  }

  @Test func `I4: an alias that returns has the face that its item has now, or it is too late`() throws {
    var bench = Bench(Types.aliases(["ab", "z"]))
    let alias = try #require(bench.alias(["a"], to: "list/1").diff).minted[0]
    bench.judge(.remove([alias]))
    bench.judge(.update(bench.id("a"), attributes: [Attribute("name", "A")], representations: []), by: 2)
    #expect(bench.judge(Self.number(2)).summary == "accepted" && bench.text("list/1") == "zA")
    bench.judge(.remove([alias]))
    bench.judge(.remove([bench.id("A")]), by: 2)
    #expect(bench.judge(Self.number(4)).summary == "refused:UNDO_TOO_LATE")
    #expect(bench.judge(.undo(SequenceNumber(rawValue: 2)), by: 2).summary == "accepted")
    bench.move(["A"], to: "pile", by: 2)
    #expect(bench.judge(Self.number(4)).summary == "refused:UNDO_TOO_LATE")
    bench.move(["A"], to: "list/0", by: 2)
    #expect(bench.judge(Self.number(4)).summary == "accepted" && bench.text("list/1") == "zA")
  }

  @Test func `I4: what has aliases is not undone, nor returned to where faces may be hidden`() {
    var bench = Bench(Types.aliases(["ab", "z"]))
    bench.judge(.insert(Types.named(["n"]), bench.destination("list/0")))
    bench.alias(["n"], to: "list/1", by: 2)
    #expect(bench.judge(Self.number(1)).summary == "refused:UNDO_TOO_LATE")
    bench.move(["a"], to: "pile")
    bench.move(["a"], to: "list/0")
    bench.alias(["a"], to: "list/1", by: 2)
    #expect(bench.judge(Self.number(4)).summary == "refused:UNDO_TOO_LATE")
    bench.judge(.undo(SequenceNumber(rawValue: 2)), by: 2)
    #expect(bench.judge(Self.number(4)).summary == "accepted" && bench.text("pile") == "a")
  }

  @Test func `I4: an undo of an update changes the aliases that there are now`() {
    var bench = Bench(Types.aliases(["ab", "z"]))
    bench.judge(.update(bench.id("a"), attributes: [Attribute("name", "A")], representations: []))
    bench.alias(["A"], to: "list/1", by: 2)
    #expect(bench.undo().summary == "accepted" && bench.text("list/0") == "ab" && bench.text("list/1") == "za")
  }

  // MARK: Races

  @Test func `I4: an alias of what others removed or hid meanwhile is contended`() {
    for destination in [nil, "down", "hand"] {
      var bench = Bench(Types.aliases(["abc", "xyz"]))
      let item = bench.id("a")
      if let destination {
        bench.move(["a"], to: destination)
      } else {
        bench.judge(.remove([item]))
      }
      let alias = TableOperation.Kind.move([item], to: bench.destination("list/1"), suggested: .alias)
      #expect(bench.judge(alias, by: 2, base: 0).summary == "refused:CONTENDED")
    }
  }

  // MARK: At random

  @Test(arguments: 0..<LongForm.count(20, long: 40) as Range<UInt64>)
  func `I1, I4: a replica follows, and undo restores, at random`(_ seed: UInt64) {
    var random = SplitMix64(state: seed)
    var bench = Bench(Types.aliases(["abcdef", "uvwxyz"]), seed: seed)
    for _ in 0..<150 {
      let author = UInt64(1 + random.below(3))
      let last = bench.last[SessionID(rawValue: author)]?.rawValue ?? 0
      let kind: TableOperation.Kind
      if last > 0, random.below(5) == 0 {
        kind = .undo(SequenceNumber(rawValue: last - min(last - 1, UInt64(random.below(4)))))
      } else {
        kind = Types.anyAliasOperation(on: bench.state, &random)
      }
      let base = bench.state.revision.rawValue
      bench.judge(kind, by: author, base: base - min(base, UInt64(random.below(3))), seat: UInt32(author))
    }
    let loaded = Bench.snapshot(of: bench.state)
    #expect(loaded.brokenInvariant() == nil && loaded.aliasCount == bench.state.aliasCount)
  }
}

extension Bench {
  /// Judges a drop that makes aliases of named items.
  @discardableResult
  fileprivate mutating func alias(
    _ names: [String], to collection: String, before anchor: String? = nil, by author: UInt64 = 1
  ) -> Judgement {
    move(names, to: collection, before: anchor, suggested: .alias, by: author)
  }

  /// Judges the undo of session 1's last operation.
  fileprivate mutating func undo() -> Judgement {
    judge(.undo(last[SessionID(rawValue: 1), default: .zero]))
  }
}

extension Types {
  /// Lists with aliases, a collection that stamps, one that hides faces, one that may, and one hand; with actions that deal the
  /// first list to the hidden ones, shuffle it, and pin.
  static func aliases(_ contents: [String], isOpen: Bool = false) -> TableType {
    let any = LiftRule(offers: [.move, .copy, .alias, .delete])
    let every: [DropOperation] = [.move, .copy, .alias]
    let kinds = [
      CollectionKind(name: "list", lift: any, accept: AcceptRule(operations: every, inserts: true), allowsUpdate: true),
      CollectionKind(
        name: "done", lift: any,
        accept: AcceptRule(
          operations: every, stamps: [AcceptRule.Stamp(name: "stage", value: .constant(.number(1)))])),
      CollectionKind(name: "down", faces: isOpen ? .up : .down, lift: LiftRule(offers: [.move, .copy, .delete])),
      CollectionKind(name: "pile", faces: isOpen ? .up : .each, lift: LiftRule(offers: [.move, .copy, .delete])),
      CollectionKind(name: "hand", isPrivate: !isOpen),
    ]
    let collections =
      contents.indices.map { CollectionRules(id: "list/\($0)", kind: 0) }
      + [
        CollectionRules(id: "done", kind: 1), CollectionRules(id: "down", kind: 2),
        CollectionRules(id: "pile", kind: 3),
        CollectionRules(id: "hand", kind: 4, owner: SeatNumber(rawValue: 1)),
      ]
    let down = handle(contents.count + 1)
    func action(_ name: String, _ step: Action.Step, items: Action.Items = .contended) -> Action {
      Action(name: name, items: items, cases: [Action.Case(steps: [step])], otherwise: Refusal(.unknownAction))
    }
    return TableType(
      name: "aliases", seatsMax: 8, contention: .last, allowsPartialMoves: true, collections: collections, kinds: kinds,
      actions: [
        action("deal", .deal(from: handle(0), to: down, count: nil)), action("shuffle", .shuffle(handle(0))),
        action("pin", .pin(true), items: .subject), action("unpin", .pin(false), items: .subject),
        action("hide", .turn(up: false), items: .subject),
      ],
      setUp: SetUp(
        decks: contents.enumerated().map { index, text in
          Deck(contents: .items(named(letters(text))), deals: [Deck.Deal(to: handle(index))])
        }))
  }

  /// Returns a random operation on the table's items.
  fileprivate static func anyAliasOperation(on state: TableState, _ random: inout SplitMix64) -> TableOperation.Kind {
    let handle = state.handles[random.below(3)]
    let source = state.handles[random.below(state.handles.count)]
    let items = ItemList(random.sample(state.itemIDs(in: source), 1 + random.below(3)))
    let anchor = random.below(3) == 0 ? nil : random.pick(state.itemIDs(in: handle))
    let destination = Destination(collection: handle, position: Position(anchor: anchor ?? .none))
    switch random.below(20) {
    case 0: return .insert([NewItem(attributes: [Attribute("name", "n")])], destination)
    case 1: return .remove(items)
    case 2, 3:
      return .update(
        items.first ?? .none, attributes: [Attribute("name", "u\(random.below(3))")], representations: [])
    case 4:
      return .perform(action: random.pick(["pin", "unpin", "hide"]) ?? "pin", items: items, nil)
    case 5: return .perform(action: random.below(4) == 0 ? "deal" : "shuffle", items: [], nil)
    case 6, 7: return .move(items, to: .end(of: state.handles[random.below(state.handles.count)]))
    case 8: return .move(items, to: destination, suggested: .copy)
    case 9..<14: return .move(items, to: destination, suggested: .alias)
    default: return .move(items, to: destination)
    }
  }
}
