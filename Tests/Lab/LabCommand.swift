import BaizeCommandLine

/// `baize-lab`: the measures of our own.
enum LabCommand {
  static let name = "baize-lab"

  private static let command = Command(
    name, summary: "Measures baized: its speed, memory and durability, and what others feel of heavy loads.",
    usage: Measure.all.map { "\($0.word) [OPTIONS]" } + ["\(FiguresCommand.word) [OPTIONS]"],
    sections: [],
    notes: [
      "Measures:\n"
        + Measure.all.map { "  \($0.word.padded(to: 12))\($0.title)\n" }.joined()
        + "  \(FiguresCommand.word.padded(to: 12))What Tests/figures.md quotes, and which figure has changed.\nEach has its own --help."
    ])

  /// Runs a measure or a part of one, or prints the help.
  static func run(_ arguments: [String]) -> Never {
    let (word, rest) = (arguments.first ?? "", Array(arguments.dropFirst()))
    do {
      if word == FiguresCommand.word { Console.end(try FiguresCommand.run(rest)) }
      if let measure = Measure.all.first(where: { $0.word == word }) { Console.end(try measure.run(rest).exitCode) }
      if let part = LabPart.all.first(where: { $0.word == word }) {
        try part.script(rest)
        Console.end(.success)
      }
    } catch {
      Console.refuse("\(name) \(word)", "\(error)")
    }
    _ = command.read(arguments)
    Console.refuse(name, "no measure is named (see \(name) --help)")
  }
}
