import TestSupport
import Testing

@testable import BaizeTable

/// Large tables and large operations (I8).
@Suite(.dedicatedThreads) struct ScaleTests {
  @Test
  func `I8: an operation copies only the pages that it touches beside a frozen copy, which stays as it was`() throws {
    var table = Table(type: Types.numbered(LongForm.count(20_000, long: 100_000)), random: RandomSource(seed: 1))
    let list = Types.handle(0)
    let frozen = table.state
    let records = frozen.forest.records.sharedPageCount(with: frozen.forest.records)
    let faces = frozen.faces.sharedPageCount(with: frozen.faces)
    let before = frozen.itemIDs(in: list)
    var oracle = before
    var random = SplitMix64(state: 1)
    var author = TestAuthor()
    for number in 1...40 {
      let source = before[random.below(before.count)]
      let anchor = before[random.below(before.count)]
      author.ask(.move([source], to: .before(anchor, in: list), suggested: .move), of: &table)
      oracle = referenceApply([source], before: anchor, to: oracle)
      // An operation changes two records, that of its item and of the one behind the position that it left, and no face.
      #expect(table.state.forest.records.sharedPageCount(with: frozen.forest.records) >= records - 2 * number)
      #expect(table.state.faces.sharedPageCount(with: frozen.faces) == faces)
    }
    #expect(table.state.itemIDs(in: list) == oracle)
    #expect(table.state.brokenInvariant() == nil)
    #expect(frozen.itemIDs(in: list) == before)
    #expect(frozen.brokenInvariant() == nil)
    #expect(frozen.revision == .zero)
    // The incremental hash equals that of the same table loaded from a snapshot.
    var loaded = Table(replicaOf: Bench.snapshot(of: table.state))
    #expect(table.viewHash() == loaded.viewHash())
  }

  @Test func `I11: the largest move copies some pages of 4 KiB for each item beside a frozen copy, which is counted`() {
    var bench = Bench(Types.numbered(LongForm.count(50_000, long: 200_000)))
    let list = Types.handle(0)
    let many = TableLimits.itemsPerOperationMax
    let before = bench.state.itemIDs(in: list)
    let scattered = ItemList((0..<many).map { before[$0 * before.count / many] })
    let difference = ReorderDifference(sources: scattered, destination: .end(of: list))
    let frozen = bench.state.frozen()
    #expect(bench.state.changedBytes == frozen.changedBytes)
    #expect(bench.judge(.reorder(difference, suggested: .move)).summary == "accepted")
    let copied = bench.state.changedBytes - frozen.changedBytes
    let records = bench.state.forest.records.sharedPageCount(with: frozen.forest.records)
    #expect(records >= before.count / 64 - many - 1)
    #expect(copied >= many * 4_096 && copied <= 3 * many * 4_096, "\(copied)")
    #expect(frozen.itemIDs(in: list) == before)
  }

  @Test func `I8: one operation moves, copies or removes many items in any order`() throws {
    var bench = Bench(Types.numbered(3_000))
    let list = Types.handle(0)
    let before = bench.state.itemIDs(in: list)
    var random = SplitMix64(state: 9)
    let many = TableLimits.itemsPerOperationMax
    let sources = random.sample(before, many)
    let anchor = sources[many / 2]
    let difference = ReorderDifference(sources: sources, destination: .before(anchor, in: list))
    #expect(bench.judge(.reorder(difference, suggested: .move)).summary == "accepted")
    #expect(bench.state.itemIDs(in: list) == referenceApply(sources, before: anchor, to: before))
    #expect(bench.judge(.reorder(difference, suggested: .move)).summary == "unchanged")
    #expect(bench.judge(.reorder(difference, suggested: .copy)).diff?.minted.count == many)
    #expect(bench.judge(.remove(ItemList(sources))).summary == "accepted")
    #expect(bench.state.itemCount == 3_000)
  }

  @Test func `I8: an operation on many removed items searches the window once`() throws {
    let type = Types.numbered(40_000)
    let partial = TableType(
      name: "partial", seatsMax: 8, contention: .last, allowsPartialMoves: true, collections: type.collections,
      kinds: type.kinds, setUp: type.setUp)
    var table = Table(type: partial, random: RandomSource(seed: 1))
    let list = Types.handle(0)
    let ids = table.state.itemIDs(in: list)
    var memory = AuthorMemory()
    func judge(_ number: UInt64, _ author: UInt64, _ base: Revision, _ kind: TableOperation.Kind) -> Judgement {
      table.judge(
        TableOperation(
          sequence: SequenceNumber(rawValue: number), base: base, epoch: Epoch(rawValue: 1), kind: kind),
        by: Author(session: SessionID(rawValue: author), seat: SeatNumber(rawValue: 1)), memory: &memory)
    }
    let many = TableLimits.itemsPerOperationMax
    for block in 0..<39 {
      let items = ItemList(ids[block * many..<(block + 1) * many])
      #expect(judge(UInt64(block) + 1, 2, table.state.revision, .remove(items)).diff != nil)
    }
    for number in 0..<20 as Range<UInt64> {
      let removed = ItemList(ids[..<(many - 1)] + [ids[39_500]])
      let difference = ReorderDifference(sources: removed, destination: .end(of: list))
      let judgement = judge(100 + number, 1, .zero, .reorder(difference, suggested: .move))
      #expect(judgement.summary == (number == 0 ? "accepted" : "unchanged"))
    }
    #expect(judge(200, 1, .zero, .remove(ItemList(ids[..<many]))).summary == "refused:CONTENDED")
    #expect(judge(201, 2, .zero, .remove(ItemList(ids[..<many]))).summary == "refused:UNKNOWN_ITEM")
  }

  @Test func `I10: dealing a large archive is predicted only while provisional ids suffice`() {
    let kinds = [CollectionKind(name: "up"), CollectionKind(name: "down", faces: .down)]
    let (up, hall, down) = (Types.handle(0), Types.handle(1), Types.handle(2))
    let archive = Action(
      name: "archive",
      cases: [
        Action.Case(steps: [
          .set(variable: "many", .constant(.number(5_000))), .deal(from: up, to: hall, count: .variable("many")),
          .deal(from: hall, to: down, count: nil),
        ])
      ],
      otherwise: Refusal(.forbidden))
    let type = TableType(
      name: "archive",
      collections: [
        CollectionRules(id: "up", kind: 0), CollectionRules(id: "hall", kind: 0), CollectionRules(id: "down", kind: 1),
      ], kinds: kinds, variables: [Attribute("many", 0)], actions: [archive],
      setUp: SetUp(decks: [Deck(contents: .numbered(count: 5_000, attribute: "name"), deals: [Deck.Deal(to: up)])]))
    var bench = Bench(type)
    var client = bench.replica
    let before = client.state.fingerprint
    client.beginPrediction()
    var author = TestAuthor()
    let archiving = TableOperation.Kind.perform(action: "archive", items: [], nil)
    #expect(author.ask(archiving, of: &client).summary == "refused:UNPREDICTABLE")
    #expect(client.state.fingerprint == before)
    #expect(bench.judge(archiving).summary == "accepted")
    // Nobody knew before how many they would be: the second deal has none left.
    #expect(bench.state.count(in: hall) == TableLimits.stepItemsMax && bench.state.count(in: down) == 0)
  }
}
