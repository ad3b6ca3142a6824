import BaizeCommandLine

/// `baize-lab`: the measures of our own.
enum LabCommand {
  static let name = "baize-lab"

  private static let command = Command(
    name, summary: "Measures baized: its speed, memory and durability, and what others feel of heavy loads.",
    usage: Measure.all.map { "\($0.word) [OPTIONS]" },
    sections: [],
    notes: [
      "Measures:\n"
        + Measure.all.map { "  \($0.word.padded(to: 12))\($0.title)\n" }.joined()
        + "Each has its own --help."
    ])

  /// Runs a measure, or prints the help.
  static func run(_ arguments: [String]) -> Never {
    if let part = LabPart.all.first(where: { $0.word == arguments.first }) { part.run(Array(arguments.dropFirst())) }
    guard let measure = Measure.all.first(where: { $0.word == arguments.first }) else {
      _ = command.read(arguments)
      Console.refuse(name, "no measure is named (see \(name) --help)")
    }
    do {
      let lab = try measure.run(Array(arguments.dropFirst()))
      Console.end(lab.exitCode)
    } catch {
      Console.refuse("\(name) \(measure.word)", "\(error)")
    }
  }
}
