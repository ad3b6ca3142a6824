import BaizeCommandLine
import BaizeTransport

extension Measure {
  private static let items = CommandOption(
    "--items", "N", "Measures only this collection size.", standard: "10², 10³ … 10⁶")
  private static let operations = NumberOption(
    "--operations", "N", "The number of operations in a run.", in: 64...10_000_000, "operations", standard: 10_000)
  private static let unseen = [0, 10, 100, 1_000]

  /// The core without sockets: nanoseconds per operation.
  static let core = Measure(
    "core", "The cost of operations in the core, without sockets.",
    summary:
      "Measures the core without sockets: judging a move, with diffs that its author has not seen; applying a diff; "
      + "an operation through a shard; decoding, encoding, and replaying pending operations.",
    options: [items, operations, .runs], short: "--items 1000 --operations 1024 --runs 1"
  ) { lab in
    let sizes =
      try lab.arguments.number(items.flag, in: 2...1_000_000).map { [$0] } ?? [100, 1_000, 10_000, 100_000, 1_000_000]
    let (count, runs) = (lab[operations], lab[.runs])
    for measured in cases(sizes) {
      lab.add(measured.name, try nanoseconds(measured, operations: count, runs: runs), "ns")
    }
    func judging(_ items: Int, _ unseen: Int) -> Double {
      lab.figures[CoreCase(step: .judge, items: items, unseen: unseen).name].median
    }
    if let short = sizes.first, let long = sizes.last, short < long {
      lab.add("a list of \(long) to one of \(short)", [judging(long, 0) / judging(short, 0)], "times", digits: 2)
      lab.limit("a list of \(long) to one of \(short)", atMost: 2, assumesQuiet: true)
    }
    if let most = sizes.map({ judging($0, 100) / judging($0, 0) }).max() {
      lab.add("100 unseen diffs to none", [most], "times", digits: 2)
      lab.limit("100 unseen diffs to none", atMost: 2, assumesQuiet: true)
    }
    for items in sizes {
      // The fastest run of each, which was disturbed least.
      func least(_ step: CoreCase.Step, _ items: Int) -> Double {
        lab.figures[CoreCase(step: step, items: items).name].least
      }
      let publish = least(.shard, items) - least(.judge, items) - least(.decode, sizes[0])
      if !publish.isNaN { lab.add("publish (shard less judge and decode), \(items) items", [publish], "ns") }
    }
  }

  private static func cases(_ sizes: [Int]) -> [CoreCase] {
    CoreCase.Step.allCases.flatMap { step in
      (step.dependsOnItems ? sizes : [sizes[0]]).flatMap { items in
        (step == .judge ? unseen : [0]).map { CoreCase(step: step, items: items, unseen: $0) }
      }
    }
  }

  private static func nanoseconds(_ measured: CoreCase, operations: Int, runs: Int) throws -> ArraySlice<Double> {
    let task = try measured.makeTask(operations: operations * (runs + 1))
    // The first run warms up.
    return try (0...runs).map { run in
      let start = MonotonicClock.now()
      try task(run * operations..<(run + 1) * operations)
      return Double(MonotonicClock.now() - start) / Double(operations)
    }.dropFirst()
  }
}
