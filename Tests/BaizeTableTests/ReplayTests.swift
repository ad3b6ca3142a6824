import TestSupport
import Testing

@testable import BaizeTable

/// Replayed diffs and undone predictions (I1, I10), with every kind of operation.
@Suite(.dedicatedThreads) struct ReplayTests {
  @Test(arguments: 0..<LongForm.count(15, long: 30) as Range<UInt64>)
  func `I1, I4: a replica that applies every diff has the table's order and hash`(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var bench = Bench(Types.playground(), seed: seed)
    var kinds = Set<String>()
    for _ in 0..<120 {
      let kind = Types.anyOperation(on: bench.state, &random)
      let back = UInt64(random.below(4))
      let base = bench.state.revision.rawValue - min(back, bench.state.revision.rawValue)
      // The bench applies the diff to its replica and compares.
      if let diff = bench.judge(kind, by: 1 + UInt64(random.below(3)), base: base).diff {
        for change in diff.changes { kinds.insert(Self.kind(of: change)) }
      }
    }
    #expect(kinds.isSuperset(of: ["moved", "inserted", "removed", "faced"]))
    // A snapshot of the final state equals the replica.
    var late = Table(replicaOf: Bench.snapshot(of: bench.state))
    #expect(late.viewHash() == bench.replica.viewHash())
  }

  private static func kind(of change: Change) -> String {
    switch change {
    case .moved: "moved"
    case .inserted: "inserted"
    case .removed: "removed"
    case .faced: "faced"
    case .status, .enabled, .counted, .variables, .seats: "other"
    }
  }

  @Test(arguments: 0..<LongForm.count(20, long: 40) as Range<UInt64>)
  func `I10: undoing predictions restores the confirmed state exactly`(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    var bench = Bench(Types.playground(), seed: seed)
    for round in 0..<12 {
      var client = bench.replica
      let before = client.state.fingerprint
      client.beginPrediction()
      var author = TestAuthor(9, seat: 2)
      var accepted = 0
      for number in 0..<1 + random.below(6) {
        let kind = Types.anyOperation(on: client.state, &random)
        let judgement = author.ask(kind, of: &client, base: before.revision, unanswered: UInt32(number))
        if judgement.diff != nil { accepted += 1 }
        #expect(client.state.brokenInvariant() == nil, "seed \(seed), round \(round)")
      }
      #expect(client.state.revision.rawValue == before.revision.rawValue + UInt64(accepted))
      client.rollBackPrediction(to: before.revision)
      #expect(client.state.fingerprint == before, "seed \(seed), round \(round)")
      #expect(client.state.brokenInvariant() == nil)
      #expect(client.state.predictionLog == nil)
      // The replica continues as if there had been no prediction: the table's next diffs apply.
      bench.replica = client
      for _ in 0..<3 { bench.judge(Types.anyOperation(on: bench.state, &random)) }
    }
  }

  @Test func `I10: predicted items have provisional ids of their operation and number`() throws {
    let bench = Bench(Types.lists(["abc"]))
    var client = bench.replica
    client.beginPrediction()
    var author = TestAuthor(after: 4)
    let copy = TableOperation.Kind.move(
      bench.ids("b", "c"), to: bench.destination("list/0", before: "a"), suggested: .copy)
    let diff = try #require(author.ask(copy, of: &client, base: .zero).diff)
    let expected = (0...1).map { ItemID.provisional(operation: SequenceNumber(rawValue: 5), number: $0) }
    #expect(Array(diff.minted) == expected)
    // Predicted items can be moved at once.
    let move = TableOperation.Kind.move([expected[0]], to: bench.destination("list/0"), suggested: .move)
    #expect(author.ask(move, of: &client, base: .zero, unanswered: 1).diff != nil)
    #expect(client.state.lastItem(in: bench.handle("list/0")) == expected[0])
  }

  @Test func `I10: a replica does not predict a shuffle`() {
    let bench = Bench(Types.playground())
    var client = bench.replica
    client.beginPrediction()
    var author = TestAuthor()
    let shuffle = TableOperation.Kind.perform(action: "shuffle", items: [], nil)
    #expect(author.ask(shuffle, of: &client).summary == "refused:UNPREDICTABLE")
    #expect(client.state.fingerprint == bench.replica.state.fingerprint)
  }

  @Test func `I2: a diff that does not follow the confirmed revision is not applied`() throws {
    var bench = Bench(Types.lists(["abc"]))
    let before = bench.replica
    let first = try #require(bench.move(["a"], to: "list/0").diff)
    let second = try #require(bench.move(["b"], to: "list/0").diff)
    var late = before
    #expect(throws: DiffMismatch.self) { try late.apply(second) }
    #expect(late.state.fingerprint == before.state.fingerprint)
    try late.apply(first)
    #expect(throws: DiffMismatch.self) { try late.apply(first) }
    try late.apply(second)
    #expect(late.state.itemIDs(in: bench.handle("list/0")) == bench.state.itemIDs(in: bench.handle("list/0")))
  }

  @Test func `I2: an inconsistent diff is a mismatch and does not trap`() {
    let bench = Bench(Types.lists(["abc", ""]))
    let stranger = ItemID(rawValue: 12_345)
    let list = bench.handle("list/0")
    let item = Item(id: bench.id("a"), collection: list)
    let nowhere = CollectionHandle(rawValue: .max)
    let misfits: [Change] = [
      .moved([stranger], .end(of: list)), .moved([], .end(of: list)), .moved(bench.ids("a", "a"), .end(of: list)),
      .moved(bench.ids("a"), .before(bench.id("a"), in: list)), .moved(bench.ids("a"), .before(stranger, in: list)),
      .moved(bench.ids("a"), .before(bench.id("b"), in: bench.handle("list/1"))),
      .moved(bench.ids("a"), .end(of: nowhere)),
      .inserted([item], .end(of: list)), .inserted([Item(id: .none, collection: list)], .end(of: list)),
      .inserted([Item(id: ItemID(rawValue: 1 << 52), collection: list)], .end(of: list)),
      .inserted([Item(id: ItemID(rawValue: 1 << 63), collection: list)], .end(of: list)),
      .inserted([Item(id: stranger, collection: list)], .end(of: CollectionHandle(rawValue: 0))), .removed([stranger]),
      .removed(bench.ids("b", "b")), .faced([Item(id: stranger, collection: list)]), .enabled(nowhere, false),
      .counted(nowhere, 3),
    ]
    for misfit in misfits {
      var replica = bench.replica
      let diff = Diff(
        revision: Revision(rawValue: 1), author: .daemon, sequence: .zero, changes: InlineList(misfit))
      #expect(throws: DiffMismatch.self, "\(misfit)") { try replica.apply(diff) }
      #expect(replica.state.brokenInvariant(isJudged: false) == nil, "\(misfit)")
    }
  }

  @Test func `I2: an inconsistent snapshot is a mismatch and does not trap`() throws {
    let type = Types.lists(["", ""])
    let (here, nowhere) = (Types.handle(0), CollectionHandle(rawValue: 3))
    let item = Item(id: ItemID(rawValue: 5), collection: here)
    var loader = StateLoader(type: type)
    try loader.add([item])
    let misfits = [
      item, Item(id: .none, collection: here), Item(id: ItemID(rawValue: 1 << 52), collection: here),
      Item(id: ItemID(rawValue: 6), collection: nowhere), Item(id: ItemID(rawValue: 6), collection: Types.handle(-1)),
    ]
    for misfit in misfits { #expect(throws: DiffMismatch.self) { try loader.add([misfit]) } }
    #expect(throws: DiffMismatch.self) { try loader.describe(nowhere, isEnabled: false, count: 0) }
    let state = loader.finish(revision: Revision(rawValue: 9), status: "open", variables: [], seats: [])
    #expect(state.itemIDs(in: here) == [item.id])
    #expect(state.brokenInvariant() == nil)
  }

  @Test func `I1: seats, status, variables and disabled collections are part of a diff and of the hash`() throws {
    var bench = Bench(Types.lists(["abc"]))
    var hashes: Set<UInt64> = [bench.replica.viewHash()]
    let seat = Seat(number: SeatNumber(rawValue: 2), name: "B", person: SessionID(rawValue: 7))
    let first = Seat(number: SeatNumber(rawValue: 1), name: "A", person: SessionID(rawValue: 8))
    let diff = bench.table.seat([seat, first])
    #expect(Array(diff.changes) == [.seats([first, seat])])
    try bench.replica.apply(diff)
    #expect(bench.replica.viewHash() == bench.table.viewHash())
    let changes: [Change] = [
      .status("won"), .enabled(bench.handle("list/0"), false), .variables([Attribute("turn", 2)]),
      .variables([Attribute("turn", 3)]), .variables([Attribute(name: "turn", value: nil)]),
    ]
    #expect(hashes.insert(bench.replica.viewHash()).inserted)
    for change in changes {
      let diff = Diff(
        revision: bench.replica.state.revision.next, author: .daemon, sequence: .zero, changes: InlineList(change))
      try bench.replica.apply(diff)
      // Deleting the variable restores the hash from before it was set.
      let isNew = hashes.insert(bench.replica.viewHash()).inserted
      #expect(isNew == (change != .variables([Attribute(name: "turn", value: nil)])))
    }
    #expect(bench.replica.state.isEnabled(bench.handle("list/0")) == false)
    // Being connected is presence, which is not part of the hash.
    var connected = seat
    connected.isConnected = true
    let before = bench.replica.viewHash()
    try bench.replica.apply(
      Diff(
        revision: bench.replica.state.revision.next, author: .daemon, sequence: .zero,
        changes: [.seats([first, connected])]))
    #expect(bench.replica.viewHash() == before)
  }
}
