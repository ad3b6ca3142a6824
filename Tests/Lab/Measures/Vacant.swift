import BaizeCommandLine
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWorkload

extension Measure {
  private static let positions = NumberOption(
    "--positions", "N", "The number of vacant positions.", in: 1_000...100_000, "positions", standard: 10_000)

  /// Drops into a gap out of which others have taken much: nanoseconds per operation.
  static let vacant = Measure(
    "vacant", "The cost of drops into a gap with many vacant positions.",
    summary:
      "Measures drops between items that others have taken out since, and behind all of these, beside the same drops in a "
      + "gap with twenty vacant positions.",
    options: [positions, .runs], short: "--positions 1000 --runs 1"
  ) { lab in
    for places in Places.allCases {
      for count in [few, lab[positions]] {
        let times = try (0..<lab[.runs]).map { _ in try nanoseconds(places, count) }
        lab.add("\(places.rawValue), \(count) vacant", times, "ns")
      }
      let ratio = "\(places.rawValue), many vacant positions to few"
      func median(_ count: Int) -> Double { lab.figures["\(places.rawValue), \(count) vacant"].median }
      lab.add(ratio, [median(lab[positions]) / median(few)], "times", digits: 2)
      lab.limit(ratio, atMost: 2, assumesQuiet: true)
    }
  }

  private static let few = 20

  private enum Places: String, CaseIterable {
    case between, behind
    case beforeRun = "behind, before a run"
  }

  private static func nanoseconds(_ places: Places, _ count: Int) throws -> Double {
    // Fewer drops at one table than its window has revisions.
    let (tables, moved) = (8, 256)
    var authority = try CoreAuthority(items: count + 2 * moved, authors: 5)
    let list = CollectionHandle(rawValue: 1)
    let order = authority.table.state.itemIDs(in: list)
    let (pool, gap) = (order[..<moved], order[moved..<(moved + count)])
    if places == .beforeRun {
      let run = TableOperation.Kind.move(Array(order[gap.endIndex...]), to: .end(of: list))
      _ = authority.judge(authority.operation(run, by: 0), by: 0)
    }
    let start = authority.table.state.revision
    for first in stride(from: gap.startIndex, to: gap.endIndex, by: TableLimits.itemsPerOperationMax) {
      let block = Array(gap[first..<min(gap.endIndex, first + TableLimits.itemsPerOperationMax)])
      let operation = authority.operation(.move(block, to: .end(of: list)), by: 0)
      _ = authority.judge(operation, by: 0)
    }
    var random = RandomSource(seed: 5)
    var total = 0.0
    for _ in 0..<tables {
      var copy = authority
      let operations = pool.enumerated().map { number, item in
        let index = gap.startIndex + 1 + Int(random.next(below: UInt64(count - 1)))
        let destination: Destination
        switch places {
        case .between:
          destination = Destination(
            collection: list, position: .before(order[index]), after: .item(order[index - 1]))
        case .behind, .beforeRun: destination = .before(order[gap.endIndex], in: list)
        }
        return (author: 1 + number % 4, kind: TableOperation.Kind.move([item], to: destination))
      }
      // The first drop copies what the tables share.
      var begun = MonotonicClock.now()
      for (number, (author, kind)) in operations.enumerated() {
        if number == 1 { begun = MonotonicClock.now() }
        let unseen = places == .between ? copy.table.state.revision.rawValue - start.rawValue : 0
        _ = copy.judge(copy.operation(kind, by: author, unseen: unseen), by: author)
      }
      total += Double(MonotonicClock.now() - begun)
    }
    return total / Double(tables * (moved - 1))
  }
}
