import BaizeTable
import BaizeTableTypes
import Testing

/// Counts with a condition, steps within steps, stamps and conditions on updates, at their limits.
@Suite struct RuleLanguageTests {
  /// A table of a small type, without sessions.
  private struct Bench {
    private var table: Table
    private var memories: [UInt32: AuthorMemory] = [:]
    private var sequence: UInt64 = 0

    init(_ document: String, seats: ClosedRange<UInt32> = 1...2) throws {
      let type = try TableTypeDocument(parsing: document).makeTableType(options: "")
      table = Table(type: type, random: RandomSource(seed: 1))
      _ = table.seat(
        seats.map { Seat(number: SeatNumber(rawValue: $0), name: "", person: SessionID(rawValue: UInt64($0))) })
    }

    var state: TableState { table.state }

    func handle(_ id: String) throws -> CollectionHandle { try #require(state.type.handle(of: id)) }

    func items(_ id: String) throws -> [ItemID] { state.itemIDs(in: try handle(id)) }

    func face(_ id: String, _ index: Int) throws -> Face? { state.face(of: try items(id)[index]) }

    /// - Returns: The reason of the refusal; empty for none.
    mutating func act(_ kind: TableOperation.Kind, seat: UInt32 = 1) -> String {
      sequence += 1
      let operation = TableOperation(
        sequence: SequenceNumber(rawValue: sequence), base: state.revision, epoch: Epoch(rawValue: 1), kind: kind)
      let author = Author(session: SessionID(rawValue: UInt64(seat)), seat: SeatNumber(rawValue: seat))
      switch table.judge(operation, by: author, memory: &memories[seat, default: AuthorMemory()]) {
      case .accepted, .unchanged: return ""
      case .refused(let refusal), .retry(let refusal): return refusal.reason.rawValue
      }
    }

    mutating func move(_ from: String, _ to: String, count: Int = 1, seat: UInt32 = 1) throws -> String {
      let sources = ItemList(try items(from).prefix(count))
      let destination = Destination.end(of: try handle(to))
      return act(.reorder(ReorderDifference(sources: sources, destination: destination), suggested: []), seat: seat)
    }

    mutating func insert(_ attributes: [Attribute], count: Int = 1, in id: String) throws -> String {
      act(.insert(Array(repeating: NewItem(attributes: attributes), count: count), .end(of: try handle(id))))
    }

    mutating func undoLast() -> String { act(.undo(SequenceNumber(rawValue: sequence))) }
  }

  /// A private hand for each of two seats, and a `heap` that accepts a card if no hand has a card of rank 9.
  private static func hands(isBlind: Bool) -> String {
    """
    { "baize": 1, "name": "t", "seats": { "max": 2 }, "collections": [
      { "kind": "hand", "family": { "seats": "all" }, "private": true, "faces": "owner" },
      { "kind": "pool" },
      { "kind": "heap", "accept": { "from": ["pool"], "conditions": [{
        "require": { "everySeat": { "equal": [{ "count": { "of": "hand/{seat}" }, "where": { "equal": [{ "counted": "rank" }, 9] } }, 0] } },
        "else": "NINE", "blind": \(isBlind) }] } }],
      "setUp": [{ "product": { "rank": { "from": 1, "to": 4 } }, "deal": [
        { "to": "hand/1", "count": 1 }, { "to": "hand/2", "count": 1 }, { "to": "pool" }] }] }
    """
  }

  @Test func `I6: a condition does not count by faces that its author may not see, unless it is blind`() throws {
    var bench = try Bench(Self.hands(isBlind: false))
    #expect(try bench.move("pool", "heap") == "FACE_HIDDEN")
    var blind = try Bench(Self.hands(isBlind: true))
    #expect(try blind.move("pool", "heap") == "")
    var alone = try Bench(Self.hands(isBlind: false), seats: 1...1)
    #expect(try alone.move("pool", "heap") == "")
  }

  private static let counted = """
    { "baize": 1, "name": "t", "variables": { "big": 0 }, "collections": [
      { "kind": "list", "accept": { "inserts": true } },
      { "kind": "end", "accept": {
        "conditions": [{ "require": { "less": [-1, { "count": { "of": "list" }, "where": true }] }, "else": "MANY" }] } }],
      "setUp": [{ "numbered": { "count": 500, "attribute": "n" }, "deal": [{ "to": "list" }] }] }
    """

  @Test func `I8: a count looks at 500 items, and of more has no value`() throws {
    var bench = try Bench(Self.counted)
    #expect(try bench.move("list", "end") == "")
    #expect(try bench.insert([Attribute("n", 0)], in: "list") == "")
    #expect(try bench.move("list", "end") == "")
    #expect(try bench.insert([Attribute("n", 0)], count: 2, in: "list") == "")
    #expect(try bench.move("list", "end") == "MANY")
  }

  private static let stamps = """
    { "baize": 1, "name": "t", "seats": { "max": 2 }, "variables": { "seen": "nothing", "points/{seat}": 0, "who": 1 },
      "collections": [
        { "kind": "list", "updates": true, "accept": { "inserts": true } },
        { "kind": "end", "updates": { "conditions": [{ "require": { "not": { "changes": "by" } }, "else": "STAMPED" }] },
          "accept": {
            "stamp": { "by": { "actor": "seat" }, "copy": { "item": "title" }, "note": null },
            "then": [
              { "set": { "seen": { "item": "title" } } },
              { "when": { "equal": [{ "item": "title" }, "b"] }, "set": { "who": 9 } },
              { "as": { "variable": "who" }, "set": { "points/{seat}": { "sum": [{ "variable": "points/{seat}" }, 1] } } },
              { "as": "everySeat", "when": { "equal": [{ "item": "title" }, "c"] }, "set": { "points/{seat}": 7 } },
              { "when": false, "deal": { "from": "spare", "to": "list" } }
            ] } },
        { "kind": "spare" }] }
    """

  @Test func `a move stamps, once, and its undo takes the stamps back`() throws {
    var bench = try Bench(Self.stamps)
    #expect(try bench.insert([Attribute("title", "a"), Attribute("note", "n")], in: "list") == "")
    let before = try #require(try bench.face("list", 0))
    #expect(try bench.move("list", "end", seat: 2) == "")
    let stamped = Face(attributes: [Attribute("by", 2), Attribute("copy", "a"), Attribute("title", "a")])
    #expect(try bench.face("end", 0) == stamped)
    #expect(bench.state.variable("seen") == .text("a") && bench.state.variable("points/1") == .number(1))
    let item = try bench.items("end")[0]
    #expect(bench.act(.update(item, attributes: [Attribute("by", 1)], representations: [])) == "STAMPED")
    #expect(bench.act(.update(item, attributes: [Attribute("by", 2)], representations: [])) == "")
    #expect(try bench.move("end", "end") == "")
    #expect(try bench.face("end", 0) == stamped)
    #expect(try bench.move("end", "list") == "")
    #expect(try bench.move("list", "end") == "")
    #expect(bench.undoLast() == "")
    #expect(try bench.face("list", 0) == stamped && stamped != before)
  }

  @Test func `a step as a seat that there is not is not performed, and as every seat is for each`() throws {
    var bench = try Bench(Self.stamps)
    #expect(try bench.insert([Attribute("title", "b")], in: "list") == "")
    #expect(try bench.move("list", "end") == "")
    #expect(bench.state.variable("points/1") == .number(0) && bench.state.variable("who") == .number(9))
    #expect(try bench.insert([Attribute("title", "c")], in: "list") == "")
    #expect(try bench.move("list", "end") == "")
    #expect(bench.state.variable("points/1") == .number(7) && bench.state.variable("points/2") == .number(7))
  }

  @Test func `I8: no variable takes a long text of an item, and no stamp makes an item too large`() throws {
    var bench = try Bench(Self.stamps)
    for length in [256, 257] {
      #expect(try bench.insert([Attribute("title", String(repeating: "x", count: length))], in: "list") == "")
      #expect(try bench.move("list", "end") == "")
      #expect((bench.state.variable("seen") == nil) == (length > 256))
    }
    let title = Attribute("title", String(repeating: "x", count: 16 << 10))
    #expect(try bench.insert([title], count: 10, in: "list") == "")
    // Twice ten texts of 16 KiB are more than an operation shows.
    #expect(try bench.move("list", "end", count: 10) == "TOO_MANY_ITEMS")
    #expect(try bench.move("list", "end", count: 5) == "")
    let many = (0..<64).map { Attribute("a\($0)", 1) }
    #expect(try bench.move("list", "spare", count: 5) == "")
    #expect(try bench.insert(many, in: "list") == "")
    #expect(try bench.move("list", "end") == "TABLE_SIZE")
  }

  @Test func `a collection that a step names must be enabled, whether its condition holds or not`() throws {
    var bench = try Bench(Self.stamps)
    #expect(try bench.insert([Attribute("title", "a")], in: "list") == "")
    let freeze = HostAction.freeze(try bench.handle("spare"))
    #expect(bench.act(freeze.operation) == "")
    #expect(try bench.move("list", "end") == "CONTAINER_DISABLED")
  }
}
