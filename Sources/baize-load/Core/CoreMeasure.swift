import BaizeHarness
import BaizeTransport
import Foundation

/// Measures the core without sockets: nanoseconds per operation, and, by running itself under callgrind, instructions.
struct CoreMeasure {
  let sizes: [Int]
  let unseen: [Int]
  let operations: Int
  let runs: Int
  let countsInstructions: Bool
  let report: (String) -> Void

  /// The maximum ratio of a long list's cost to a short one's, and of an old base's to a fresh one's, per judged operation.
  static let ratioMax = 2.0
  /// The number of unseen diffs at which the second ratio is checked.
  static let unseenHeld = 100

  private struct Result {
    let nanoseconds: Spread
    let instructions: Double?
  }

  func perform() throws -> (isSound: Bool, json: [String: Any]) {
    report("per operation, medians of \(runs) runs of \(operations) operations (least … most)")
    var results: [CoreCase: Result] = [:]
    for measured in cases {
      let result = Result(
        nanoseconds: try time(measured), instructions: countsInstructions ? try count(measured) : nil)
      results[measured] = result
      report(line(measured, result))
    }
    let ratios = ratios(results) { $0.nanoseconds.median }
    for (name, ratio) in ratios { report("\(name): \(LoadResult.fixed(ratio, 2)) times, at most \(Self.ratioMax)") }
    for (name, ratio) in self.ratios(results, by: \.instructions) {
      report("\(name), in instructions: \(LoadResult.fixed(ratio, 2)) times")
    }
    reportPublishing(results)
    return (ratios.allSatisfy { $0.ratio <= Self.ratioMax }, json(results, ratios))
  }

  private var cases: [CoreCase] {
    var cases: [CoreCase] = []
    for step in CoreCase.Step.allCases {
      for items in step.dependsOnItems ? sizes : [sizes[0]] {
        for unseen in step == .judge ? unseen : [0] {
          cases.append(CoreCase(step: step, items: items, unseen: unseen))
        }
      }
    }
    return cases
  }

  private func time(_ measured: CoreCase) throws -> Spread {
    var task = try measured.makeTask(operations: operations * (runs + 1))
    // The first run warms up.
    let times = try (0...runs).map { run in
      let start = MonotonicClock.now()
      try task.perform(run * operations..<(run + 1) * operations)
      return Double(MonotonicClock.now() - start) / Double(operations)
    }
    return Spread(values: Array(times.dropFirst()))
  }

  // MARK: Instructions

  /// Two runs of different length, prepared alike, differ by the work of the operations between.
  private func count(_ measured: CoreCase) throws -> Double {
    let few = try instructions(measured, operations)
    let many = try instructions(measured, 2 * operations)
    return Double(many - few) / Double(operations)
  }

  private func instructions(_ measured: CoreCase, _ count: Int) throws -> Int {
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
      URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().path, "core", "--only",
      measured.step.rawValue, "--items", "\(measured.items)", "--unseen", "\(measured.unseen)", "--perform", "\(count)",
      "--operations", "\(2 * operations)",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, let match = text.firstMatch(of: /Collected : ([0-9]+)/),
      let count = Int(match.1)
    else { throw RunFailure("valgrind (Debian: valgrind) did not count: \(text)") }
    return count
  }

  // MARK: Result

  /// The highest ratios for judging: of the longest to the shortest list, and of a base far behind to a fresh one.
  private func ratios(
    _ results: [CoreCase: Result], by cost: (Result) -> Double?
  ) -> [(name: String, ratio: Double)] {
    func judging(_ items: Int, _ unseen: Int) -> Double? {
      results[CoreCase(step: .judge, items: items, unseen: unseen)].flatMap(cost)
    }
    var ratios: [(name: String, ratio: Double)] = []
    if let least = sizes.min(), let most = sizes.max(), least < most, let short = judging(least, 0),
      let long = judging(most, 0)
    {
      ratios.append(("judging among \(most) items beside \(least)", long / short))
    }
    let behind = sizes.compactMap { items in
      judging(items, Self.unseenHeld).flatMap { far in judging(items, 0).map { far / $0 } }
    }
    if let highest = behind.max() {
      ratios.append(("judging behind \(Self.unseenHeld) unseen diffs and none, the maximum over all lengths", highest))
    }
    return ratios
  }

  /// Reports a shard's cost besides decoding and judging: turns, records, and the diff for each member. It takes the fastest
  /// run of each, which was disturbed least.
  private func reportPublishing(_ results: [CoreCase: Result]) {
    func least(_ measured: CoreCase) -> Double? { results[measured]?.nanoseconds.values.min() }
    for items in sizes {
      guard let shard = least(CoreCase(step: .shard, items: items)),
        let judge = least(CoreCase(step: .judge, items: items)),
        let decode = least(CoreCase(step: .decode, items: sizes[0]))
      else { continue }
      report("publish (shard less judge and decode), \(items) items: \(LoadResult.fixed(shard - judge - decode, 0)) ns")
    }
  }

  private func line(_ measured: CoreCase, _ result: Result) -> String {
    let name = measured.name.padding(toLength: 20, withPad: " ", startingAt: 0)
    let items = measured.step.dependsOnItems ? "\(measured.items) items" : ""
    return name + items.padding(toLength: 15, withPad: " ", startingAt: 0) + "\(result.nanoseconds.text()) ns"
      + (result.instructions.map { ", \(LoadResult.fixed($0, 0)) instructions" } ?? "")
  }

  private func json(_ results: [CoreCase: Result], _ ratios: [(name: String, ratio: Double)]) -> [String: Any] {
    let measured = cases.compactMap { measured -> [String: Any]? in
      guard let result = results[measured] else { return nil }
      var json: [String: Any] = [
        "step": measured.step.rawValue, "items": measured.items, "unseen": measured.unseen,
        "nanoseconds": result.nanoseconds.json,
      ]
      if let instructions = result.instructions { json["instructions"] = instructions }
      return json
    }
    return ["cases": measured, "ratios": Dictionary(uniqueKeysWithValues: ratios.map { ($0.name, $0.ratio) })]
  }
}
