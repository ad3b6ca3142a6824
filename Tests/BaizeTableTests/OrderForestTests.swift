import TestSupport
import Testing

@testable import BaizeTable

/// The orders of all collections compared with plain arrays.
@Suite(.dedicatedThreads) struct OrderForestTests {
  /// A few trees in one forest, each with the array that it must equal.
  private struct Pair {
    var forest = OrderForest()
    var roots: [Int32]
    var oracle: [[Int32]]

    init(trees: Int) {
      roots = Array(repeating: -1, count: trees)
      oracle = Array(repeating: [], count: trees)
    }

    mutating func insert(_ slot: Int32, at index: Int, in tree: Int) {
      let anchor = index < oracle[tree].count ? oracle[tree][index] : -1
      forest.insert(slot, before: anchor, in: &roots[tree])
      oracle[tree].insert(slot, at: index)
    }

    mutating func remove(at index: Int, from tree: Int) -> Int32 {
      let slot = oracle[tree].remove(at: index)
      forest.remove(slot, from: &roots[tree])
      return slot
    }

    /// Reads all items through every accessor.
    func check(_ tree: Int, _ comment: Comment) {
      let expected = oracle[tree]
      let root = roots[tree]
      #expect(forest.isSound(root), comment)
      #expect(forest.count(root) == expected.count, comment)
      #expect(forest.first(in: root) == expected.first ?? -1, comment)
      #expect(forest.last(in: root) == expected.last ?? -1, comment)
      for (index, slot) in expected.enumerated() {
        #expect(forest.index(of: slot) == index, comment)
        #expect(forest.slot(at: index, in: root) == slot, comment)
        #expect(forest.next(slot) == (index + 1 < expected.count ? expected[index + 1] : -1), comment)
        #expect(forest.previous(slot) == (index > 0 ? expected[index - 1] : -1), comment)
      }
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `I4: random inserts and removals in three trees equal arrays`(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var pair = Pair(trees: 3)
    var free = (0..<40).map { _ in pair.forest.append(.any) }
    for step in 0..<300 {
      let tree = random.below(3)
      if let slot = free.last, pair.oracle[tree].isEmpty || random.below(5) < 3 {
        free.removeLast()
        pair.insert(slot, at: random.below(pair.oracle[tree].count + 1), in: tree)
      } else if !pair.oracle[tree].isEmpty {
        free.append(pair.remove(at: random.below(pair.oracle[tree].count), from: tree))
      }
      pair.check(tree, "seed \(seed), step \(step)")
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `I4: trees of several levels that grow, shrink and grow equal arrays`(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var pair = Pair(trees: 2)
    var free = (0..<3_000).map { _ in pair.forest.append(.any) }
    for step in 0..<12_000 {
      let tree = random.below(2)
      // It grows for 4,000 steps, then shrinks, then grows again.
      let grows = random.below(10) < (step / 4_000 == 1 ? 2 : 8)
      if grows, let slot = free.popLast() {
        let count = pair.oracle[tree].count
        let index = [0, count, count / 2, random.below(count + 1)][random.below(4)]
        pair.insert(slot, at: index, in: tree)
      } else if !pair.oracle[tree].isEmpty {
        let count = pair.oracle[tree].count
        free.append(pair.remove(at: [0, count - 1, random.below(count)][random.below(3)], from: tree))
      }
      if step.isMultiple(of: 2_000) { for tree in 0..<2 { pair.check(tree, "seed \(seed), step \(step)") } }
      if step.isMultiple(of: 50) { #expect(pair.forest.isSound(pair.roots[tree]), "seed \(seed), step \(step)") }
    }
    for tree in 0..<2 {
      while !pair.oracle[tree].isEmpty { _ = pair.remove(at: random.below(pair.oracle[tree].count), from: tree) }
      #expect(pair.roots[tree] == -1)
    }
  }

  @Test func `I4: every tree of up to six items, built in every order, stays valid when any item is removed`() {
    for count in 1...6 {
      for order in permutations(Array(0..<count)) {
        var pair = Pair(trees: 1)
        let slots = (0..<count).map { _ in pair.forest.append(.any) }
        // `order` is the order in which the final positions are filled.
        var filled: [Int] = []
        for slot in order {
          pair.insert(slots[slot], at: filled.count { $0 < slot }, in: 0)
          filled.append(slot)
        }
        pair.check(0, "\(order)")
        for removed in 0..<count {
          var copy = pair
          _ = copy.remove(at: removed, from: 0)
          copy.check(0, "\(order) less \(removed)")
        }
      }
    }
  }

  private func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.indices.flatMap { index in
      var rest = items
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  enum Pattern: CaseIterable { case atEnd, atFront, alternating, inTheMiddle }

  @Test(arguments: Pattern.allCases)
  func `I8: no pattern of many inserts unbalances a tree`(pattern: Pattern) async {
    let count = LongForm.count(10_000, long: 100_000)
    var forest = OrderForest()
    var root: Int32 = -1
    for number in 0..<count {
      // Yields, so that other tests on this thread can wait for their sockets and clocks.
      if number.isMultiple(of: 2_000) { await Task.yield() }
      let slot = forest.append(.any)
      let isFront =
        switch pattern {
        case .atEnd: false
        case .atFront: true
        case .alternating: number.isMultiple(of: 2)
        case .inTheMiddle: false
        }
      let anchor: Int32 =
        pattern == .inTheMiddle
        ? (number < 2 ? -1 : forest.slot(at: number / 2, in: root)) : isFront ? forest.first(in: root) : -1
      forest.insert(slot, before: anchor, in: &root)
    }
    // Nodes are at least half full, but those at the end: 16⁴ leaves' items are less than 32 · 16⁴, and 16³ leaves' less than
    // 32 · 16³.
    let depthMax = LongForm.count(4, long: 5)
    #expect(forest.isSound(root))
    #expect(forest.depth(of: root) <= depthMax)
    #expect(forest.count(root) == count)
    // A queue: removals at the front, inserts at the end.
    for number in 0..<count / 5 {
      if number.isMultiple(of: 2_000) { await Task.yield() }
      let first = forest.first(in: root)
      forest.remove(first, from: &root)
      forest.insert(first, before: -1, in: &root)
    }
    // Removals from one side only.
    for number in 0..<count * 9 / 10 {
      if number.isMultiple(of: 2_000) { await Task.yield() }
      forest.remove(forest.first(in: root), from: &root)
    }
    #expect(forest.isSound(root))
    #expect(forest.depth(of: root) <= depthMax)
    #expect(forest.count(root) == count / 10)
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 100, 1_000])
  func `I4: a built tree is valid and in order`(count: Int) {
    var pair = Pair(trees: 1)
    let slots = (0..<count).map { _ in pair.forest.append(.any) }
    pair.roots[0] = pair.forest.build(slots[...])
    pair.oracle[0] = slots
    pair.check(0, "\(count) items")
  }

  // MARK: The sequence hash

  /// Returns Σ h(idᵢ)·Bⁿ⁻¹⁻ⁱ modulo 2⁶¹ − 1, computed by the definition with full-width division.
  private func directHash(_ ids: [UInt64]) -> UInt64 {
    let prime: UInt64 = (1 << 61) - 1
    let base: UInt64 = 0x1415_9265_3589_7932
    func times(_ left: UInt64, _ right: UInt64) -> UInt64 {
      let product = left.multipliedFullWidth(by: right)
      return prime.dividingFullWidth((product.high, product.low)).remainder
    }
    var sum: UInt64 = 0
    for (index, id) in ids.enumerated() {
      var term = SplitMix64.mix(id) % prime
      for _ in 0..<(ids.count - 1 - index) { term = times(term, base) }
      sum = (sum + term) % prime
    }
    return sum
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `I1: the sequence hash equals its formula for every shape of the tree`(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let count = 1 + random.below(40)
    var built = OrderForest()
    var grown = OrderForest()
    let ids = (0..<count).map { _ in ItemID(rawValue: random.next() >> 1 | 1) }
    let slots = ids.map { built.append(.named($0)) }
    for id in ids { _ = grown.append(.named(id)) }
    var builtRoot = built.build(slots[...])
    var grownRoot: Int32 = -1
    for slot in slots.reversed() { grown.insert(slot, before: grown.first(in: grownRoot), in: &grownRoot) }
    let direct = directHash(ids.map(\.rawValue))
    #expect(built.hash(builtRoot) == direct)
    #expect(grown.hash(grownRoot) == direct)
    // Another order has another hash.
    guard count > 1 else { return }
    built.remove(slots[0], from: &builtRoot)
    built.insert(slots[0], before: -1, in: &builtRoot)
    #expect(built.hash(builtRoot) != direct)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `I1: the incremental hash equals the hash computed from scratch`(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var pair = Pair(trees: 1)
    var free = (1...60).map { pair.forest.append(.named(ItemID(rawValue: $0))) }
    for step in 0..<200 {
      switch random.below(5) {
      case 0 where !pair.oracle[0].isEmpty:
        free.append(pair.remove(at: random.below(pair.oracle[0].count), from: 0))
      case 1 where !pair.oracle[0].isEmpty:
        let slot = pair.oracle[0][random.below(pair.oracle[0].count)]
        pair.forest.records[slot].id = ItemID(rawValue: random.next() >> 2 | 1)
        pair.forest.invalidateHash(of: slot)
      default:
        guard let slot = free.popLast() else { continue }
        pair.insert(slot, at: random.below(pair.oracle[0].count + 1), in: 0)
      }
      if random.below(3) == 0 {
        let direct = directHash(pair.oracle[0].map { pair.forest.records[$0].id.rawValue })
        #expect(pair.forest.hash(pair.roots[0]) == direct, "seed \(seed), step \(step)")
      }
    }
  }

  @Test func `I1: the empty sequence has hash 0, and a sequence's hash depends on the order`() {
    var forest = OrderForest()
    #expect(forest.hash(-1) == 0)
    #expect(directHash([1, 2]) != directHash([2, 1]))
  }
}

extension ItemRecord {
  /// An item of which only the position matters, and perhaps the id.
  fileprivate static func named(_ id: ItemID) -> ItemRecord {
    ItemRecord(id: id, placed: .zero, placedBy: .daemon, isFaceUp: true, isFaceKnown: true)
  }

  fileprivate static var any: ItemRecord { named(.none) }
}
