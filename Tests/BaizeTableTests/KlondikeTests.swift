import TestSupport
import Testing

@testable import BaizeTable

/// The judge in a game with hidden cards (I4, I5, I6).
@Suite(.dedicatedThreads) struct KlondikeTests {
  /// 5h is on a hidden 9c, 4s and its run on a hidden Kd, 6s alone.
  private func table() -> Bench {
    Bench(Types.klondike(piles: ["9c 5h", "Kd 4s", "6s", "Jh", ""], stock: "2h 3c Ah"))
  }

  private func expect(_ judgement: Judgement, _ reason: String, _ rule: String? = nil) {
    #expect(judgement.summary == "refused:\(reason)")
    if let rule { #expect(judgement.refusal?.rule == rule) }
  }

  @Test("I5: a legal move turns the exposed card face up, in the same diff")
  func exposes() throws {
    var bench = table()
    let hidden = bench.id("9c")
    let diff = try #require(bench.move(["5h"], to: "pile/2").diff)
    #expect(bench.names("pile/2") == ["6s", "5h"])
    #expect(bench.state.isFaceUp(hidden))
    #expect(
      Array(diff.changes) == [
        .moved(bench.ids("5h"), bench.destination("pile/2")),
        .faced([Item(id: hidden, collection: bench.handle("pile/0"), face: Types.card("9c").face)]),
      ])
    #expect(diff.operation == .move)
    #expect(!diff.isRedirected)
  }

  @Test("I6: the refusal of a face-down card does not depend on its face", arguments: ["9c", "6d", "4c", "Ks"])
  func hiddenLift(card: String) {
    var bench = Bench(Types.klondike(piles: ["\(card) 5h", "6s"], stock: ""))
    expect(bench.move([card], to: "pile/1"), "FACE_DOWN", "pile.up")
    expect(bench.move([card, "5h"], to: "pile/1"), "FACE_DOWN", "pile.up")
  }

  @Test("I6: a rule that would read a hidden face refuses without evaluation", arguments: ["6s", "6h", "2c"])
  func hiddenBelow(card: String) {
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
    expect(seeing.move(["5h"], to: "dark"), "FACE_HIDDEN", "rank")
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
    var memory = AuthorMemory()
    let operation = TableOperation(
      sequence: SequenceNumber(rawValue: 1), base: .zero, epoch: Epoch(rawValue: 1),
      kind: .move(seeing.ids("5h"), to: blind.destination("dark")))
    let author = Author(session: SessionID(rawValue: 1), seat: SeatNumber(rawValue: 1))
    #expect(client.judge(operation, by: author, memory: &memory).summary == "refused:UNPREDICTABLE")
  }

  @Test("I4, I6: drawing reveals a card; recycling keeps every card under a new id")
  func drawAndRecycle() throws {
    var bench = table()
    var seen: [ItemID] = []
    for expected in ["Ah", "3c", "2h"] {
      let drawn = try #require(bench.state.lastItem(in: bench.handle("stock")))
      #expect(bench.table.contendedItems(of: "draw", by: SeatNumber(rawValue: 1)) == [drawn])
      let diff = try #require(bench.judge(.perform(action: "draw", items: [drawn], nil)).diff)
      #expect(diff.changes.count == 2)
      #expect(bench.names("waste").last == expected)
      seen.append(drawn)
    }
    let count = bench.state.itemCount
    let diff = try #require(bench.judge(.perform(action: "draw", items: [], nil)).diff)
    guard case .removed(let removed) = diff.changes[0], case .inserted(let inserted, let destination) = diff.changes[1]
    else {
      Issue.record("\(diff)")
      return
    }
    #expect(Set(removed) == Set(seen))
    #expect(Set(inserted.map(\.id)).isDisjoint(with: seen))
    #expect(inserted.allSatisfy { $0.visibility == .nobody })
    #expect(destination == bench.destination("stock"))
    #expect(diff.changes[2] == .variables([Attribute("redeals", 0)]))
    #expect(diff.minted.isEmpty)
    #expect(bench.state.itemCount == count)
    // The card that was drawn first is drawn first again.
    #expect(bench.names("stock") == ["2h", "3c", "Ah"])
    for _ in 0..<3 { bench.judge(.perform(action: "draw", items: [], nil)) }
    expect(bench.judge(.perform(action: "draw", items: [], nil)), "NO_REDEAL", "draw.redeal")
    #expect(bench.state.variable("redeals") == .number(0))
  }

  @Test("I5: the last card wins in the same diff, and every later operation is refused")
  func win() throws {
    var bench = Bench(Types.klondike(piles: ["2h", ""], stock: "", foundations: ["Ah", "As"]))
    let diff = try #require(bench.move(["2h"], to: "foundation/h").diff)
    #expect(diff.changes.last == .status("won"))
    #expect(bench.state.status == "won")
    expect(bench.move(["2h"], to: "pile/0"), "GAME_OVER")
    expect(bench.judge(.perform(action: "draw", items: [], nil)), "GAME_OVER")
    expect(bench.judge(.remove(bench.ids("2h"))), "GAME_OVER")
    expect(bench.judge(.insert([NewItem()], bench.destination("pile/0"))), "GAME_OVER")
    expect(bench.judge(.update(bench.id("2h"), attributes: [], representations: [])), "GAME_OVER")
    // The shape is checked before the game's end, and the game's end before a rule.
    expect(bench.move([], to: "pile/0"), "EMPTY_SOURCES")
    expect(bench.move(["As"], to: "stock"), "GAME_OVER")
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

  @Test("I6: two tables that differ only in hidden faces give the same answers", arguments: 0..<40 as Range<UInt64>)
  func twoStates(seed: UInt64) throws {
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
