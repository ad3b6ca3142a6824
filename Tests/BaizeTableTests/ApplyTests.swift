import TestSupport
import Testing

@testable import BaizeTable

/// `apply` compared with its oracle (I4, I9) on every small input, through the judge.
@Suite(.dedicatedThreads) struct ApplyTests {
  /// Returns every ordered choice of 1 to 4 of `items`.
  private static func choices(_ items: [String]) -> [[String]] {
    var all: [[String]] = []
    var longest: [[String]] = [[]]
    for _ in 1...4 {
      longest = longest.flatMap { chosen in items.filter { !chosen.contains($0) }.map { chosen + [$0] } }
      all += longest
    }
    return all
  }

  /// Judges one reorder on a copy of the table.
  private func judge(
    _ sources: [String], to collection: Int, before anchor: String?, at bench: Bench,
    suggested: DropOperation.Set = .move
  ) -> (Judgement, TableState) {
    var (table, author) = (bench.table, TestAuthor())
    let destination = bench.destination("list/\(collection)", before: anchor)
    let judgement = author.ask(.move(sources.map(bench.id), to: destination, suggested: suggested), of: &table)
    return (judgement, table.state)
  }

  @Test(arguments: 1...6)
  func `I4, I9: every reorder of up to six items equals the oracle`(count: Int) {
    let letters = Array(Types.letters("abcdef").prefix(count))
    let bench = Bench(Types.lists([letters.joined()]))
    let names = Dictionary(uniqueKeysWithValues: letters.map { (bench.id($0), $0) })
    var tried = 0
    for sources in Self.choices(letters) {
      for anchor in letters.map(Optional.some) + [nil] {
        let (judgement, state) = judge(sources, to: 0, before: anchor, at: bench)
        let expected = referenceApply(sources, before: anchor, to: letters)
        let comment: Comment = "\(sources) before \(anchor ?? "the end")"
        #expect(state.itemIDs(in: bench.handle("list/0")).map { names[$0] } == expected, comment)
        #expect(judgement.summary == "accepted", comment)
        #expect(state.brokenInvariant() == nil, comment)
        tried += 1
      }
    }
    if count == 6 { #expect(tried == 3_612) }
  }

  @Test func `I4, I9: every reorder across two lists, with sources from both, equals the oracle`() {
    let bench = Bench(Types.lists(["abc", "xyz"]))
    let all = Types.letters("abcxyz")
    for sources in Self.choices(all) {
      for anchor in [nil, "x", "y", "z"] {
        let (judgement, state) = judge(sources, to: 1, before: anchor, at: bench)
        let left = Types.letters("abc").filter { !sources.contains($0) }
        let right = referenceApply(sources, before: anchor, to: Types.letters("xyz"))
        let comment: Comment = "\(sources) before \(anchor ?? "the end")"
        #expect(state.itemIDs(in: bench.handle("list/0")).map(state.name) == left, comment)
        #expect(state.itemIDs(in: bench.handle("list/1")).map(state.name) == right, comment)
        #expect(judgement.diff != nil, comment)
        #expect(state.brokenInvariant() == nil, comment)
      }
    }
  }

  @Test func `I4: a copy keeps its sources and inserts the block before the anchor at its full index`() {
    let bench = Bench(Types.lists(["abcde"]))
    let letters = Types.letters("abcde")
    for sources in Self.choices(letters) {
      for anchor in letters.map(Optional.some) + [nil] {
        let (judgement, state) = judge(sources, to: 0, before: anchor, at: bench, suggested: .copy)
        var expected = letters
        expected.insert(contentsOf: sources, at: anchor.flatMap(letters.firstIndex) ?? letters.count)
        let order = state.itemIDs(in: bench.handle("list/0"))
        #expect(order.map(state.name) == expected, "\(sources) before \(anchor ?? "the end")")
        #expect(judgement.diff?.minted.map(state.name) == sources)
        #expect(letters.allSatisfy { order.contains(bench.id($0)) })
        #expect(state.brokenInvariant() == nil)
      }
    }
  }
}
