import TestSupport
import Testing

@testable import BaizeTable

/// The judge in a game with hidden cards (I4, I6).
@Suite(.dedicatedThreads) struct KlondikeTests {
  @Test(arguments: ["6s", "6h", "2c"])
  func `I6: a rule that would read a hidden face refuses without evaluation`(card: String) {
    // A pile that does not turn what it exposes: its rule reads the hidden card below.
    func type(blind: Bool) -> TableType {
      let rank = Condition(
        .compare(
          .sum([.attribute(.item, "rank"), .constant(.number(1))]), .equal, .attribute(.below, "rank")),
        else: Reason(rawValue: "RANK_MISMATCH"), path: "rank", isBlind: blind)
      let never = Condition(.not(.all([])), else: Reason(rawValue: "NEVER"), path: "never")
      let kinds = [
        CollectionKind(name: "open", lift: LiftRule(), accept: AcceptRule()),
        CollectionKind(name: "dark", faces: .each, accept: AcceptRule(onItem: blind ? [rank] : [rank, never])),
      ]
      return TableType(
        name: "dark", seatsMax: 2,
        collections: [CollectionRules(id: "open", kind: 0), CollectionRules(id: "dark", kind: 1)], kinds: kinds,
        setUp: SetUp(
          decks: [
            Deck(contents: .items(Types.cards("5h")), deals: [Deck.Deal(to: Types.handle(0))]),
            Deck(contents: .items(Types.cards(card)), deals: [Deck.Deal(to: Types.handle(1), up: .none)]),
          ]))
    }
    var seeing = Bench(type(blind: false))
    let refusal = seeing.move(["5h"], to: "dark").refusal
    #expect(refusal?.reason == .faceHidden && refusal?.rule == "rank")
    #expect(
      seeing.state.dropConfiguration(
        for: ReorderDifference(sources: seeing.ids("5h"), destination: seeing.destination("dark")),
        by: SeatNumber(rawValue: 1)
      ).refusal?.reason == .faceHidden)
    // A rule marked as blind may reveal it.
    var blind = Bench(type(blind: true))
    let replica = blind.replica
    #expect(blind.move(["5h"], to: "dark").summary == (card.hasPrefix("6") ? "accepted" : "refused:RANK_MISMATCH"))
    // I10: a replica without the face does not predict the result of a blind rule.
    var client = replica
    client.beginPrediction()
    var author = TestAuthor()
    let move = TableOperation.Kind.move(seeing.ids("5h"), to: blind.destination("dark"))
    #expect(author.ask(move, of: &client).summary == "refused:UNPREDICTABLE")
  }

  // MARK: Two states that a viewer cannot tell apart

  /// A diff without hidden faces, as anyone may receive it.
  private static func stripped(_ judgement: Judgement) -> Judgement {
    guard case .accepted(var diff) = judgement else { return judgement }
    func strip(_ items: [Item]) -> [Item] {
      items.map { item in
        var item = item
        if item.visibility == .nobody { item.face = Face() }
        return item
      }
    }
    diff.changes = InlineList(
      diff.changes.map { change in
        switch change {
        case .inserted(let items, let destination): .inserted(strip(items), destination)
        case .faced(let items): .faced(strip(items))
        case .moved, .removed, .status, .enabled, .counted, .variables, .seats: change
        }
      })
    return .accepted(diff)
  }

  @Test(arguments: 0..<LongForm.count(6, long: 40) as Range<UInt64>)
  func `I6: two tables that differ only in hidden faces give the same answers`(seed: UInt64) throws {
    // The tables differ in the bottom cards of three piles, which are never exposed: Kd never leaves, and the ranks keep the
    // cards on the other two.
    let deep = ["9c", "6d", "Ks", "2s"]
    func bench(_ order: [Int]) -> Bench {
      Bench(
        Types.klondike(
          piles: [
            "\(deep[order[0]]) Kd", "\(deep[order[1]]) \(deep[order[2]]) Kh", "6s", "5h", "\(deep[order[3]]) Kc", "",
          ],
          stock: "4s 3h Ah 2h", redeals: 20), seed: seed)
    }
    var random = SplitMix64(state: seed)
    var left = bench([0, 1, 2, 3])
    var right = bench([3, 2, 0, 1])
    let hidden = ["pile/0", "pile/1", "pile/4"]
    var accepted = 0
    for step in 0..<150 {
      let ids = left.state.handles.flatMap(left.state.itemIDs)
      #expect(ids == right.state.handles.flatMap(right.state.itemIDs))
      var kind = Types.anyOperation(on: left.state, &random)
      if random.below(3) == 0 { kind = .perform(action: "draw", items: [], nil) }
      // Kings stay where they are, so that no exchanged card is revealed.
      let kings = Set(["Kd", "Kh", "Kc"].map(left.id))
      if case .reorder(let difference, _) = kind, difference.sources.contains(where: kings.contains) { continue }
      let base = left.state.revision.rawValue - min(left.state.revision.rawValue, UInt64(random.below(3)))
      let author = 1 + UInt64(random.below(2))
      let first = left.judge(kind, by: author, base: base)
      let second = right.judge(kind, by: author, base: base)
      #expect(Self.stripped(first) == Self.stripped(second), "seed \(seed), step \(step): \(kind)")
      #expect(left.table.viewHash() == right.table.viewHash())
      if first.diff != nil { accepted += 1 }
      for sources in [ItemList(random.sample(ids, 1))] {
        let seat = SeatNumber(rawValue: 1)
        #expect(
          left.state.dropConfigurations(for: sources, by: seat).map(\.configuration)
            == right.state.dropConfigurations(for: sources, by: seat).map(\.configuration))
      }
    }
    #expect(accepted > 5)
    // Control: the tables do differ, but only in hidden faces.
    #expect(hidden.contains { left.names($0) != right.names($0) })
    #expect(hidden.allSatisfy { left.names($0).last == right.names($0).last })
  }
}
