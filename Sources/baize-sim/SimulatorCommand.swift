import BaizeCommandLine
import BaizeSimulator
import BaizeTable

/// `baize-sim`: runs seeded worlds one after the other until an invariant does not hold.
enum SimulatorCommand {
  private static let standard = SimulatorOptions()

  private static let command = Command(
    "baize-sim",
    summary:
      "Runs the daemon's and the clients' real machines in seeded worlds where everything goes wrong that may, and "
      + "checks that nothing that was seen is lost.",
    sections: [
      Command.Section(
        "Worlds",
        [
          CommandOption(
            "--seed", "S", "The seed of the first world; the next have the next.", standard: "\(standard.seed)"),
          CommandOption("--worlds", "N", "How many.", standard: "\(standard.worlds)"),
          CommandOption(
            "--kind", "KIND", "What they are about: \(Scenario.allCases.map(\.rawValue).joined(separator: ", ")).",
            standard: "each world's seed decides"),
          CommandOption(
            "--leaks", nil,
            "Runs pairs of tables instead, as many, that differ only in what one of the participants may not see, and "
              + "compares every byte that is sent to it."),
          CommandOption("--verbose", nil, "Says the seed of each world before it runs, and what happened in it."),
        ])
    ] + mutationSections,
    notes: [
      "A world in which an invariant does not hold ends the run: the seed is printed, and a shortened script that can be "
        + "pasted into a test.",
      "The exit code is 0 if every world held, 1 if one did not, 2 if it was called wrongly.",
    ])

  private static let mutationSections =
    Mutation.isSupported
    ? [
      Command.Section(
        "Fault injection",
        [
          CommandOption(
            "--mutation", "RULE",
            "Breaks a rule on purpose and ends with 0 once a world has found it, with 1 if none does: "
              + "\(Mutation.allCases.map(\.rawValue).joined(separator: ", ")).")
        ])
    ] : []

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let options: SimulatorOptions
    do {
      options = try Self.options(command.read(arguments))
    } catch {
      Console.refuse(command.name, "\(error) (see \(command.name) --help)")
    }
    var run = SimulatorRun(options)
    if let mutation = options.mutation { Console.end(MutationSearch(options: options).find(mutation)) }
    Console.end(options.findsLeaks ? LeakSearch(options).run() : run.run())
  }

  private static func options(_ parsed: CommandLineArguments) throws(CommandLineError) -> SimulatorOptions {
    var options = SimulatorOptions()
    options.seed = try parsed.number("--seed", in: 0...UInt64.max) ?? options.seed
    options.worlds = try parsed.number("--worlds", in: 1...1_000_000_000, "worlds") ?? options.worlds
    options.scenario = try parsed.choice("--kind")
    options.findsLeaks = parsed.has("--leaks")
    options.isVerbose = parsed.has("--verbose")
    if Mutation.isSupported { options.mutation = try parsed.choice("--mutation") }
    return options
  }
}
