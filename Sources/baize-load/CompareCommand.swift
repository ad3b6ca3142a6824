import BaizeCommandLine
import BaizeDriver
import Foundation

/// `baize-load compare`: compares two runs.
enum CompareCommand {
  static let command = Command(
    "baize-load compare", summary: "Compares two runs, and says what has become worse beyond chance.",
    usage: ["BEFORE.json AFTER.json [OPTIONS]"], operands: "FILE",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption(
            "--tolerance", "PERCENT", "The change of a rate or a time that is no regression yet.",
            standard: "\(Int(LoadComparison.tolerance * 100))"),
          CommandOption("--seed", "S", "The seed of the draws.", standard: "1"),
        ])
    ],
    notes: [
      "The files are those of 'baize-load run --json', of the same load. Each change has an interval in which it lies with 95 % "
        + "confidence, by a bootstrap over the seconds of both runs. A regression is a change for the worse of which all of the "
        + "interval is beyond the tolerance; of corrections, beyond \(Int(LoadComparison.toleranceOfShares * 100)) percentage point.",
      "The exit code is 0 if nothing has become worse; 1 after a regression, or if the second run lost, doubled or changed "
        + "anything; 2 if the files cannot be compared.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    do {
      guard parsed.operands.count == 2 else { throw RunFailure("expected two files") }
      let tolerance: Int? = try parsed.number("--tolerance", in: 0...1_000, "percent")
      let seed = try parsed.number("--seed", in: 0...UInt64.max) ?? 1
      let records = try parsed.operands.map(Self.read)
      guard records[0].load == records[1].load else {
        throw RunFailure("the runs have different loads: \(records[0].load); \(records[1].load)")
      }
      if records[0].isCorrect, !records[1].isCorrect {
        Console.print("REGRESSION: the second run lost, doubled, reordered or changed something.")
        Console.end(.failure)
      }
      let comparison = try LoadComparison(
        records[0], records[1], tolerance: tolerance.map { Double($0) / 100 } ?? LoadComparison.tolerance, seed: seed)
      Console.print(comparison.figures.map(\.text).joined(separator: "\n"))
      Console.print(comparison.conclusion)
      Console.end(comparison.isRegression ? .failure : .success)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }

  private static func read(_ file: String) throws -> LoadRecord {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: file)) else { throw RunFailure("cannot read \(file)") }
    do {
      return try LoadRecord(data)
    } catch {
      throw RunFailure("\(file): \(error)")
    }
  }
}
