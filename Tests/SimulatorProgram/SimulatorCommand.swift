import BaizeCommandLine
import BaizeSimulator
import BaizeTable
import BaizeWorkload
import PositionModel

/// `baize-sim`: runs seeded worlds one after the other until an invariant does not hold.
enum SimulatorCommand {
  private static let standard = SimulatorOptions()

  private static let command = Command(
    "baize-sim",
    summary:
      "Runs the state machines of daemon and clients in simulated worlds with lost connections, crashes, full disks and "
      + "slow readers, and checks the invariants. A seed always gives the same world.",
    sections: [
      Command.Section(
        "Worlds",
        [
          CommandOption(
            "--seed", "S", "The seed of the first world; each further world takes the next seed.",
            standard: "\(standard.seed)"),
          CommandOption("--worlds", "N", "The number of worlds.", standard: "\(standard.worlds)"),
          CommandOption(
            "--kind", "KIND", "The focus of the worlds: \(Scenario.allCases.map(\.rawValue).joined(separator: ", ")).",
            standard: "chosen by each world's seed"),
          CommandOption(
            "--type", "TYPE", "The table type of the worlds: \(SimulatedTypes.names.joined(separator: ", ")).",
            standard: "chosen by each world's seed"),
          CommandOption(
            "--leaks", nil,
            "Instead of worlds, runs as many pairs of tables that differ only in what one participant may not see, and "
              + "compares every byte that is sent to it."),
          CommandOption(
            "--positions", "SUBJECT",
            "Instead of worlds, plays people who type, drop, remove and undo in the same lists, each with a client, and counts what "
              + "violates the properties of positions: \(PositionSearch.Subject.allCases.map(\.rawValue).joined(separator: ", "))."
          ),
          CommandOption(
            "--situation", "NAME",
            "With --positions, what they do: \(PositionSearch.situations.joined(separator: "; ")).",
            standard: "each, one after the other"),
          CommandOption(
            "--cluster", nil,
            "Instead of worlds, searches all states of a model of several daemons with one journal, with all rules of the protocol and "
              + "without one after the other."),
          CommandOption("--verbose", nil, "Prints the seed of each world before it runs, and counts of its events."),
        ])
    ] + mutationSections,
    notes: [
      "The first violation of an invariant ends the run: it prints the seed, and a shortened script that can be pasted into "
        + "a test.",
      "The exit code is 0 if every invariant held, 1 if one did not, 2 for a usage error.",
    ])

  private static let everyMutation = "all"

  private static let mutationSections =
    Mutation.isSupported
    ? [
      Command.Section(
        "Fault injection",
        [
          CommandOption(
            "--mutation", "RULE",
            "Mutates a rule, or with '\(everyMutation)' each in turn but 'after', which worlds or pairs must detect. The exit code "
              + "is 0 if they do: \(Mutation.allCases.map(\.rawValue).joined(separator: ", ")).")
        ])
    ] : []

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let options: SimulatorOptions
    do {
      options = try Self.options(command.read(arguments))
    } catch {
      Console.refuse(command.name, "\(error) (see \(command.name) --help)")
    }
    if let subject = options.positions { Console.end(PositionsRun(options: options, subject: subject).run()) }
    if options.searchesCluster { Console.end(ClusterSearches.run(isVerbose: options.isVerbose)) }
    var run = SimulatorRun(options)
    Console.end(run.run())
  }

  private static func options(_ parsed: CommandLineArguments) throws(CommandLineError) -> SimulatorOptions {
    var options = SimulatorOptions()
    options.seed = try parsed.number("--seed", in: 0...UInt64.max) ?? options.seed
    options.worlds = try parsed.number("--worlds", in: 1...1_000_000_000, "worlds") ?? options.worlds
    options.scenario = try parsed.choice("--kind")
    options.typeName = parsed.text("--type")
    if let name = options.typeName, SimulatedTypes.type(named: name) == nil {
      throw parsed.mistake(in: "--type", needed: "one of the simulator's table types")
    }
    options.findsLeaks = parsed.has("--leaks")
    options.positions = try parsed.choice("--positions")
    options.situation = parsed.text("--situation")
    if let name = options.situation, !PositionSearch.situations.contains(name) {
      throw parsed.mistake(in: "--situation", needed: "one of the situations")
    }
    options.searchesCluster = parsed.has("--cluster")
    options.isVerbose = parsed.has("--verbose")
    if Mutation.isSupported, parsed.text("--mutation") == everyMutation {
      // Of three thousand worlds and more, one meets what it breaks: people who type in one place (`--positions`) find it at once.
      options.mutations = Mutation.allCases.filter { $0 != .after }
    } else if Mutation.isSupported, let mutation: Mutation = try parsed.choice("--mutation") {
      options.mutations = [mutation]
    }
    return options
  }
}
