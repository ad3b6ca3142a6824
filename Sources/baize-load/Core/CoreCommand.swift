import BaizeCommandLine
import BaizeHarness

extension MeasureCommand {
  /// `baize-load core`: the core without sockets.
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
        operations: operations, runs: runs(parsed), countsInstructions: parsed.has(instructions.flag),
        report: Console.print
      ).perform()
    }
  }
}
