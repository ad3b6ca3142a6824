import Testing

@testable import BaizeTable

/// R12 and R13: copies of what others removed since the base.
@Suite struct RemovedOriginalTests {
  private func named(_ name: String, _ item: String, _ bench: Bench) -> TableOperation.Kind {
    .update(bench.id(item), attributes: [Attribute("name", name)], representations: [])
  }

  private func copy(_ item: ItemID) -> TableOperation.Kind {
    .move([item], to: .end(of: Types.handle(1)), suggested: .copy)
  }

  @Test func `I9: a copy has the face that its author saw, not one that others gave the original`() {
    var bench = Bench(Types.lists(["abc", ""]))
    let original = bench.id("b")
    #expect(bench.judge(named("changed", "b", bench), by: 2).summary == "accepted")
    let second = bench.state.revision.rawValue
    #expect(bench.judge(.remove([original]), by: 2).summary == "accepted")
    #expect(bench.judge(copy(original), by: 1, base: 0).summary == "accepted")
    #expect(bench.judge(copy(original), by: 3, base: second).summary == "accepted")
    #expect(bench.judge(copy(original), by: 4).summary == "refused:UNKNOWN_ITEM", "it had seen the removal")
    #expect(bench.state.itemIDs(in: Types.handle(1)).map(bench.state.name) == ["b", "changed"])
  }

  @Test func `I9: a copy has the changes that its author had made itself`() {
    var bench = Bench(Types.lists(["abc", ""]))
    let original = bench.id("b")
    #expect(bench.judge(named("mine", "b", bench), by: 1, base: 0).summary == "accepted")
    #expect(bench.judge(.remove([original]), by: 2).summary == "accepted")
    #expect(bench.judge(copy(original), by: 1, base: 0, unanswered: 1).summary == "accepted")
    #expect(bench.state.itemIDs(in: Types.handle(1)).map(bench.state.name) == ["mine"])
  }

  @Test func `I8: what is kept of removed items is bounded, and a copy without it is refused`() {
    var bench = Bench(Types.lists(["abc", ""]))
    let original = bench.id("b")
    #expect(bench.judge(.remove([original]), by: 2).summary == "accepted")
    for number in 0..<20 as Range<UInt8> {
      let data = [UInt8](repeating: number, count: 200_000)
      let kind = TableOperation.Kind.update(
        bench.id("a"), attributes: [], representations: [Representation(contentType: "text/plain", data: data)])
      #expect(bench.judge(kind, by: 2).summary == "accepted")
    }
    #expect(bench.judge(copy(original), by: 1, base: 0).summary == "refused:CONTENDED")
  }

  @Test func `I6: a copy is not made of a face that its author did not see`() {
    let faces = ["down", "up"].map { name in
      CollectionKind(
        name: name, faces: name == "down" ? .down : .up, lift: LiftRule(offers: [.move, .copy, .delete]),
        accept: AcceptRule(operations: [.move, .copy]))
    }
    let type = TableType(
      name: "faces", seatsMax: 4, contention: .last,
      collections: [CollectionRules(id: "down", kind: 0), CollectionRules(id: "up", kind: 1)], kinds: faces,
      setUp: SetUp(
        decks: [Deck(contents: .items(Types.named(["a", "b"])), deals: [Deck.Deal(to: Types.handle(0))])]))
    var bench = Bench(type)
    let hidden = bench.state.itemIDs(in: Types.handle(0))
    #expect(bench.judge(.remove([hidden[0]]), by: 2).summary == "accepted")
    #expect(bench.judge(copy(hidden[0]), by: 1, base: 0).summary == "refused:CONTENDED")
    // It was turned up before it was removed, as its author did not know yet.
    #expect(bench.judge(.move([hidden[1]], to: .end(of: Types.handle(1))), by: 2).summary == "accepted")
    #expect(bench.judge(.remove([hidden[1]]), by: 2).summary == "accepted")
    #expect(bench.judge(copy(hidden[1]), by: 1, base: 0, unanswered: 1).summary == "refused:CONTENDED")
  }
}
