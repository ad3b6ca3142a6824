import TestSupport
import Testing

@testable import BaizeTable

/// Undo compared with an oracle that reads only states and diffs (G13).
@Suite(.dedicatedThreads) struct UndoOracleTests {
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `I5: an immediate undo restores the table, unless the operation revealed or hid a face`(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var bench = Bench(Types.playground(), seed: seed)
    var counts = (undone: 0, tooLate: 0)
    for _ in 0..<60 {
      let before = bench.state
      let kind = Types.anyOperation(on: before, &random)
      guard let diff = bench.judge(kind, by: 1 + UInt64(random.below(2))).diff else { continue }
      // Most runs continue from there, so that all kinds of states occur.
      let copy = bench
      let summary = bench.undo(by: diff.author.rawValue).summary
      if diff.isSecretive(before, kind) {
        #expect(summary == "refused:UNDO_TOO_LATE", "\(diff)")
        counts.tooLate += 1
      } else {
        #expect(summary == "accepted", "\(diff)")
        #expect(bench.state.picture == before.picture, "\(diff)")
        counts.undone += 1
      }
      bench = copy
    }
    #expect(counts.undone > 0 && counts.tooLate > 0)
  }

  @Test(arguments: 0..<16 as Range<UInt64>)
  func `I5, I9: an undo is too late exactly if the items were touched, or gaps where order is a rule`(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var bench = Bench(Types.playground(), seed: seed)
    var summaries: [String: Int] = [:]
    for _ in 0..<60 {
      let before = bench.state
      let kind = Types.anyOperation(on: before, &random)
      guard let own = bench.judge(kind, by: 1).diff, !own.isSecretive(before, kind) else { continue }
      let after = bench.state
      let copy = bench
      // Half of the operations concern the items that the first one touched.
      var next = Types.anyOperation(on: after, &random)
      if random.below(2) == 0,
        let item = random.pick(own.touchedItems.filter(after.contains).sorted { $0.rawValue < $1.rawValue })
      {
        next = .move([item], to: .end(of: random.pick(after.handles) ?? Types.handle(0)))
      }
      guard let other = bench.judge(next, by: 2).diff else { continue }
      let summary = bench.undo(of: own.sequence.rawValue, by: 1).summary
      let expected = Self.verdict(on: own, before, after, other, bench.table.state, copy)
      #expect(summary == expected, "\(own) then \(other)")
      if summary == "accepted" { Self.checkPositions(of: own, before, after, other, bench.table.state) }
      summaries[summary, default: 0] += 1
      bench = copy
    }
    #expect(summaries["accepted", default: 0] > 0 && summaries["refused:UNDO_TOO_LATE", default: 0] > 0)
  }

  /// Returns the oracle's judgement of undoing `own` after `other`.
  private static func verdict(
    on own: Diff, _ before: TableState, _ after: TableState, _ other: Diff, _ present: TableState, _ bench: Bench
  ) -> String {
    let tooLate = "refused:UNDO_TOO_LATE"
    // The undo was judged in the state after the other's diff.
    var bench = bench
    do { try bench.replica.apply(other) } catch { return "\(error)" }
    let now = bench.replica.state
    guard own.touchedItems.isDisjoint(with: other.touchedItems) else { return tooLate }
    let taken = own.takenItems
    for item in taken {
      guard let collection = before.collection(of: item) else { continue }
      let successor = before.itemIDs(in: collection).drop { $0 != item }.first { !own.touchedItems.contains($0) }
      func previous(_ state: TableState) -> ItemID? {
        let staying = state.itemIDs(in: collection).filter { !own.touchedItems.contains($0) }
        guard let successor else { return staying.last }
        return staying.prefix { $0 != successor }.last
      }
      let neighbours = Set([successor, previous(after)].compactMap(\.self))
      guard before.kind(of: collection.index).accept.landing != .anywhere else { continue }
      guard other.takenItems.isDisjoint(with: neighbours), previous(now) == previous(after) else { return tooLate }
    }
    for case .variables(let values) in own.changes {
      for case .variables(let others) in other.changes
      where !Set(values.map(\.name)).isDisjoint(with: others.map(\.name)) { return tooLate }
    }
    if own.hasStatus, other.hasStatus { return tooLate }
    let column = before.type.handle(of: "column") ?? CollectionHandle(rawValue: 0)
    let returning = taken.count { before.collection(of: $0) == column && now.collection(of: $0) != column }
    let leaving = own.touchedItems.count { before.collection(of: $0) != column && now.collection(of: $0) == column }
    if returning > leaving, now.count(in: column) + returning - leaving > 3 { return "refused:CAPACITY_EXCEEDED" }
    return "accepted"
  }

  /// N5: an item returns to the same side of everything that neither operation touched.
  private static func checkPositions(
    of own: Diff, _ before: TableState, _ after: TableState, _ other: Diff, _ present: TableState
  ) {
    let taken = own.takenItems
    for collection in before.handles {
      let (old, new) = (before.itemIDs(in: collection), present.itemIDs(in: collection))
      let staying = old.filter { !own.touchedItems.contains($0) && !other.touchedItems.contains($0) }
      for item in old where taken.contains(item) && !other.touchedItems.contains(item) {
        guard let place = new.firstIndex(of: item), let former = old.firstIndex(of: item) else {
          Issue.record("\(item) is not back: \(own) then \(other)")
          continue
        }
        let front = old[..<former].filter(staying.contains)
        #expect(new[..<place].filter(staying.contains) == front, "\(own) then \(other)")
      }
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `I5, I1: operations are undone in reverse order and redone in order`(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var bench = Bench(Types.playground(), seed: seed)
    var states = [bench.state.picture]
    var numbers: [UInt64] = []
    while numbers.count < 8 {
      let (before, copy) = (bench.state, bench)
      let kind = Types.anyOperation(on: before, &random)
      guard let diff = bench.judge(kind).diff, !diff.isSecretive(before, kind) else {
        bench = copy
        continue
      }
      numbers.append(diff.sequence.rawValue)
      states.append(bench.state.picture)
    }
    // Undoes everything, then redoes and undoes a random number of operations a few times.
    var index = numbers.count
    var undos: [UInt64] = numbers
    for step in 0..<40 {
      let goesBack = step < 8 || random.below(2) == 0 ? index > 0 : index == numbers.count
      let target = goesBack ? index - 1 : index
      #expect(bench.undo(of: undos[target]).summary == "accepted", "seed \(seed), step \(step)")
      undos[target] = bench.last[SessionID(rawValue: 1)]?.rawValue ?? 0
      index += goesBack ? -1 : 1
      #expect(bench.state.picture == states[index], "seed \(seed), step \(step)")
    }
  }
}

extension Diff {
  /// The items that it names.
  fileprivate var touchedItems: Set<ItemID> {
    changes.reduce(into: []) { items, change in
      switch change {
      case .moved(let moved, _), .removed(let moved): items.formUnion(moved)
      case .inserted(let inserted, _), .faced(let inserted): items.formUnion(inserted.map(\.id))
      case .status, .enabled, .counted, .variables, .seats: break
      }
    }
  }

  /// The items that it removed from their position.
  fileprivate var takenItems: Set<ItemID> {
    changes.reduce(into: []) { items, change in
      switch change {
      case .moved(let moved, _), .removed(let moved): items.formUnion(moved)
      case .inserted, .faced, .status, .enabled, .counted, .variables, .seats: break
      }
    }
  }

  fileprivate var hasStatus: Bool {
    changes.contains { if case .status = $0 { true } else { false } }
  }

  /// Whether it reveals a hidden face, or gives an item a new id.
  fileprivate func isSecretive(_ before: TableState, _ kind: TableOperation.Kind) -> Bool {
    changes.contains { change in
      switch change {
      case .faced(let items): items.contains { !before.isFaceUp($0.id) && $0.visibility == .everyone }
      case .inserted(let items, _):
        if case .reorder(let difference, _) = kind, operation == .copy {
          zip(difference.sources.filter(before.contains), items).contains {
            !before.isFaceUp($0) && $1.visibility == .everyone
          }
        } else {
          minted.isEmpty
        }
      case .moved, .removed, .status, .enabled, .counted, .variables, .seats: false
      }
    }
  }
}
