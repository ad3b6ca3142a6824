import BaizeCommandLine
import BaizeDriver
import BaizeTransport

/// `baize-load search`: finds the highest rate at which a daemon holds an objective.
enum SearchCommand {
  private static let from = NumberOption(
    "--from", "N", "The rate to begin with, in operations per second.", in: 1...1_000_000, "operations per second",
    standard: 100)
  private static let to = NumberOption(
    "--to", "N", "The highest rate to try.", in: 1...1_000_000, "operations per second", standard: 1_000_000)
  private static let window = NumberOption(
    "--window", "W", "The maximum number of operations of each player in flight.", in: 1...LoadOptions.windowMax,
    "operations", standard: 1)

  static let command = Command(
    "baize-load search", summary: "Finds the highest rate at which a daemon holds an objective.",
    usage: ["--slo CONDITIONS [OPTIONS]"],
    sections: [
      LoadFlags.joining,
      Command.Section(
        "Search",
        [LoadFlags.requiredObjective, from.option, to.option, window.option, LoadFlags.seconds.option, LoadFlags.late]),
      Command.Section("Result", [LoadFlags.json]),
    ],
    notes: [
      "The rate is doubled until the objective is missed, then the interval between is bisected to "
        + "\(Int(RateSearch.precision * 100)) %, and the rate that was found is confirmed by a run that is "
        + "\(RateSearch.confirmationLength) times as long; if it fails, by lower ones. Each run has new tables. A rate does not "
        + "hold either if more than a hundredth of the operations were not judged by its end, or more than those of a tenth of a "
        + "second: the daemon falls behind.",
      LoadFlags.objectiveNote,
      "The exit code is 0 if a rate was found; 1 if something was lost, doubled, out of order or diverged at any rate, or a "
        + "connection ended; 2 if a run failed; 3 if no rate holds; 4 if the generator was the limit, so that the daemon may hold more.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    do {
      DescriptorLimit.raise()
      guard let objective = try LoadFlags.objective(parsed) else {
        throw RunFailure("'\(LoadFlags.objective.flag)' is missing: the objective that the rate is to hold")
      }
      let (from, to) = try (from(parsed), to(parsed))
      guard from <= to else { throw RunFailure("'\(Self.from.option.flag)' is above '\(Self.to.option.flag)'") }
      var curve: [[String: Any]] = []
      let search = try RateSearch(from...to) { rate, length in
        var options = try LoadFlags.options(parsed)
        options.rate = Double(rate)
        options.window = try window(parsed)
        options.seconds *= Double(length)
        options.showsProgress = false
        let result = try LoadSession(options, report: Console.print).measure()
        let verdicts = objective.verdicts(on: result)
        guard result.faults.isNone else {
          Console.print(result.text(verdicts))
          Console.end(LoadExit.fault.rawValue)
        }
        guard Double(result.total.passed) <= 0.01 * Double(result.total.planned) else {
          throw RunFailure(
            "the players had nothing to do for \(result.total.passed) of \(result.total.planned) operations: a search needs a type "
              + "in which they always have")
        }
        let holds = result.keepsUp && verdicts.allSatisfy(\.isMet)
        let outcome: RateSearch.Outcome = result.isLate ? .late : holds ? .held : .missed
        Console.print(Self.line(rate, result, outcome, verdicts))
        curve.append(["rate": rate, "outcome": "\(outcome)", "run": result.json(verdicts)])
        return outcome
      }
      try LoadFlags.write(
        ["format": LoadResult.format + " search", "confirmed": search.confirmed ?? 0, "curve": curve], parsed)
      finish(search, objective)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }

  private static func line(
    _ rate: Int, _ result: LoadResult, _ outcome: RateSearch.Outcome, _ verdicts: [Objective.Verdict]
  ) -> String {
    let words = "\(rate) per second for \(Int(result.options.seconds)) s: \(outcome)"
    let figures =
      "judged \(Int(result.judgedPerSecond))/s  unsent \(result.total.unsent)  retried \(result.total.retried)  late \(result.total.late)  own p99 "
      + "\(LoadResult.short(result.response.percentile(0.99)))  last p99 \(LoadResult.short(result.total.toLast.percentile(0.99)))"
    return ([words + "  " + figures] + verdicts.filter { !$0.isMet }.map { "  \($0)" }).joined(separator: "\n")
  }

  private static func finish(_ search: RateSearch, _ objective: Objective) -> Never {
    guard let rate = search.confirmed else {
      Console.print(
        search.isLimitedByGenerator
          ? "The generator was late: nothing can be said of the daemon."
          : "The objective (\(objective)) holds at no rate that was tried.")
      Console.end(search.isLimitedByGenerator ? LoadExit.late.rawValue : LoadExit.objective.rawValue)
    }
    let limit = search.isLimitedByGenerator ? "; above it the generator is late, so the daemon may hold more" : ""
    Console.print("The daemon holds \(objective) at \(rate) operations per second\(limit).")
    Console.end(search.isLimitedByGenerator ? LoadExit.late.rawValue : LoadExit.held.rawValue)
  }
}
