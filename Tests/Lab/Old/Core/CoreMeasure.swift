import BaizeCommandLine
import BaizeDriver
import BaizeTransport
import Foundation

extension MeasureCommand {
  /// `baize-lab core`: the core without sockets.
  static var core: MeasureCommand {
    let items = CommandOption("--items", "N", "Measures only this collection size.", standard: "10², 10³ … 10⁶")
    let unseen = CommandOption(
      "--unseen", "N", "Measures only this number of unseen diffs.", standard: "0, 10, 100, 1000")
    let only = CommandOption(
      "--only", "STEP", "Runs one step once, without measuring time, for tools that count instructions.")
    let perform = CommandOption("--perform", "N", "With --only: the number of operations.")
    let operations = NumberOption(
      "--operations", "N", "The number of operations in a run.", in: 64...10_000_000, "operations", standard: 10_000)
    let runs = NumberOption.runs("The number of runs of each.")
    let instructions = CommandOption(
      "--instructions", nil, "Counts instructions too, with valgrind, which takes minutes.")
    return MeasureCommand(
      "core", "The cost of operations in the core, without sockets.",
      summary:
        "Measures the core without sockets: judging a move, with diffs that its author has not seen; applying a diff; "
        + "an operation through a shard; decoding, encoding, and replaying pending operations.",
      options: [items, unseen, operations.option, runs.option, instructions, only, perform],
      notes: [
        "The exit code is 1 if judging costs more than \(CoreMeasure.ratioMax) times as much on the longest list as on the "
          + "shortest, or with \(CoreMeasure.unseenHeld) unseen diffs as with none."
      ]
    ) { parsed in
      let sizes = (try parsed.number(items.flag, in: 2...1_000_000) as Int?).map { [$0] }
      let behind = (try parsed.number(unseen.flag, in: 0...1_000) as Int?).map { [$0] }
      let operations = try operations(parsed)
      if let name = parsed.text(only.flag) {
        guard let step = CoreCase.Step(rawValue: name), let items = sizes?.first else {
          throw RunFailure("'\(only.flag)' takes one of \(CoreCase.Step.allCases) and '--items'")
        }
        let count = try parsed.number(perform.flag, in: 0...operations) ?? operations
        var task = try CoreCase(step: step, items: items, unseen: behind?.first ?? 0).makeTask(operations: operations)
        try task.perform(0..<count)
        return (true, [:])
      }
      return try CoreMeasure(
        sizes: sizes ?? [100, 1_000, 10_000, 100_000, 1_000_000], unseen: behind ?? [0, 10, 100, 1_000],
        operations: operations, runs: runs(parsed), countsInstructions: parsed.has(instructions.flag)
      ).perform()
    }
  }
}

/// Measures the core without sockets: nanoseconds per operation, and, by running itself under callgrind, instructions.
struct CoreMeasure {
  let sizes: [Int]
  let unseen: [Int]
  let operations: Int
  let runs: Int
  let countsInstructions: Bool

  /// The maximum ratio of a long list's cost to a short one's, and of an old base's to a fresh one's, per judged operation.
  static let ratioMax = 2.0
  /// The number of unseen diffs at which the second ratio is checked.
  static let unseenHeld = 100

  func perform() throws -> MeasureCommand.Result {
    Console.print("per operation, medians of \(runs) runs of \(operations) operations (least … most)")
    var times = Figures()
    var instructions = Figures()
    for measured in cases {
      for time in try time(measured) { times.add(measured.name, time, "ns") }
      var line = measured.name.padding(toLength: 35, withPad: " ", startingAt: 0) + "\(times[measured.name].text()) ns"
      if countsInstructions {
        let count = try count(measured)
        instructions.add(measured.name, count, "instructions")
        line += ", \(LoadResult.fixed(count, 0)) instructions"
      }
      Console.print(line)
    }
    let ratios = ratios(times)
    for (name, ratio) in ratios {
      Console.print("\(name): \(LoadResult.fixed(ratio, 2)) times, at most \(Self.ratioMax)")
    }
    for (name, ratio) in self.ratios(instructions) {
      Console.print("\(name), in instructions: \(LoadResult.fixed(ratio, 2)) times")
    }
    reportPublishing(times)
    return (
      ratios.values.allSatisfy { $0 <= Self.ratioMax },
      ["nanoseconds": times.json, "instructions": instructions.json, "ratios": ratios]
    )
  }

  private var cases: [CoreCase] {
    CoreCase.Step.allCases.flatMap { step in
      (step.dependsOnItems ? sizes : [sizes[0]]).flatMap { items in
        (step == .judge ? unseen : [0]).map { CoreCase(step: step, items: items, unseen: $0) }
      }
    }
  }

  private func time(_ measured: CoreCase) throws -> ArraySlice<Double> {
    var task = try measured.makeTask(operations: operations * (runs + 1))
    // The first run warms up.
    return try (0...runs).map { run in
      let start = MonotonicClock.now()
      try task.perform(run * operations..<(run + 1) * operations)
      return Double(MonotonicClock.now() - start) / Double(operations)
    }.dropFirst()
  }

  // MARK: Instructions

  /// Returns the instructions of an operation: two runs of different length, prepared alike, differ by those of the
  /// operations between.
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

  // MARK: Ratios

  /// Returns the highest ratios for judging: of the longest to the shortest list, and of a base far behind to a fresh one.
  private func ratios(_ figures: Figures) -> [String: Double] {
    func judging(_ items: Int, _ unseen: Int) -> Double? {
      let spread = figures[CoreCase(step: .judge, items: items, unseen: unseen).name]
      return spread.values.isEmpty ? nil : spread.median
    }
    var ratios: [String: Double] = [:]
    if let least = sizes.min(), let most = sizes.max(), least < most, let short = judging(least, 0),
      let long = judging(most, 0)
    {
      ratios["judging among \(most) items beside \(least)"] = long / short
    }
    let behind = sizes.compactMap { items in
      judging(items, Self.unseenHeld).flatMap { far in judging(items, 0).map { far / $0 } }
    }
    ratios["judging behind \(Self.unseenHeld) unseen diffs and none, the maximum over all lengths"] = behind.max()
    return ratios
  }

  /// Reports a shard's cost besides decoding and judging: turns, records, and the diff for each member. It takes the fastest
  /// run of each, which was disturbed least.
  private func reportPublishing(_ times: Figures) {
    func least(_ step: CoreCase.Step, _ items: Int) -> Double? {
      times[CoreCase(step: step, items: items).name].values.min()
    }
    for items in sizes {
      guard let shard = least(.shard, items), let judge = least(.judge, items), let decode = least(.decode, sizes[0])
      else { continue }
      let nanoseconds = LoadResult.fixed(shard - judge - decode, 0)
      Console.print("publish (shard less judge and decode), \(items) items: \(nanoseconds) ns")
    }
  }
}
