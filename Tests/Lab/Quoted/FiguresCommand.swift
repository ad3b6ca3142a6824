import BaizeCommandLine
import BaizeDriver
import BaizeTransport
import Foundation

/// `baize-lab figures`: measures what `Tests/figures.md` quotes, and says which figure has changed.
enum FiguresCommand {
  static let word = "figures"

  private static let only = CommandOption("--only", "MEASURE", "Measures the figures of one measure.")
  private static let runs = NumberOption(
    "--runs", "N", "Runs of each measure, instead of its own number.", in: 1...100, standard: 5)
  private static let document = CommandOption(
    "--document", "FILE", "The document with the figures.", standard: standardDocument)
  private static let standardDocument = "Tests/figures.md"

  static let command = Command(
    "\(LabCommand.name) \(word)",
    summary:
      "Runs the measures that Tests/figures.md quotes, and says which figure has changed. Takes an hour on a quiet machine.",
    sections: [Command.Section("Options", [only, runs.option, document])],
    notes: [
      "A figure counts as unchanged within the spread that is quoted with it, widened by a factor of its own. The exit code is 0 if "
        + "none has changed, and 1 if one has."
    ])

  /// - Returns: The code to exit with.
  static func run(_ arguments: [String]) throws -> ExitCode {
    let parsed = command.read(arguments)
    let rows = QuotedRows(
      markdown: try String(contentsOfFile: parsed.text(document.flag) ?? standardDocument, encoding: .utf8))
    let chosen = QuotedFigure.all.filter { quoted in
      parsed.text(only.flag).map { quoted.command.split(separator: " ").first == Substring($0) } ?? true
    }
    guard !chosen.isEmpty else { throw RunFailure("no figure of that measure is quoted") }
    var lines: [String] = []
    var areSame = true
    for command in chosen.map(\.command).distinct {
      Console.print("== \(LabCommand.name) \(command)")
      let figures = try measure(command, runs: parsed.has(runs.option.flag) ? try runs(parsed) : nil)
      for quoted in chosen where quoted.command == command {
        let (line, isSame) = try compare(quoted, with: figures, rows)
        lines.append(line)
        areSame = areSame && isSame
      }
    }
    Console.print("\n" + lines.joined(separator: "\n"))
    return areSame ? .success : .failure
  }

  private static func measure(_ command: String, runs: Int?) throws -> Figures {
    let words = command.words
    guard let measure = Measure.all.first(where: { $0.word == words[0] }) else {
      throw RunFailure("there is no measure '\(words[0])'")
    }
    let own = Array(words.dropFirst())
    let takesRuns = measure.command.options.contains { $0.flag == Self.runs.option.flag }
    let further =
      takesRuns && !own.contains(Self.runs.option.flag) ? runs.map { [Self.runs.option.flag, "\($0)"] } : nil
    return try measure.run(own + (further ?? [])).figures
  }

  private static func compare(
    _ quoted: QuotedFigure, with figures: Figures, _ rows: QuotedRows
  ) throws -> (line: String, isSame: Bool) {
    guard let numbers = rows.numbers(ofRow: quoted.row), numbers.indices.contains(quoted.number) else {
      throw RunFailure("the document has no number \(quoted.number) in a row '\(quoted.row)…'")
    }
    let number = numbers[quoted.number]
    let spread = Spread(values: figures[quoted.figure].values.map { $0 * quoted.scale })
    let isSame = number.isUnchanged(spread.median, within: quoted.within)
    let line =
      "\(isSame ? "same   " : "CHANGED")  \(Figures.short(number.value)) is \(Figures.short(spread.median)) "
      + "(\(Figures.short(spread.least)) … \(Figures.short(spread.most)))  \(quoted.command): \(quoted.figure)  \(quoted.row)"
    return (line, isSame)
  }
}

extension [String] {
  /// The elements, each once, in the order in which they come first.
  fileprivate var distinct: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
