import BaizeCommandLine
import BaizeSimulator
import BaizeTable

/// Runs worlds, or pairs of tables, one after the other until a check of one fails; with mutated rules, until a check has found
/// each.
struct SimulatorRun {
  let options: SimulatorOptions
  private var events = EventCounts()
  private var findings = LeakCounts()

  /// A check that failed, and what helps to find the cause.
  private typealias Finding = (summary: String, detail: () -> String)

  init(_ options: SimulatorOptions) { self.options = options }

  mutating func run() -> ExitCode {
    guard !options.mutations.isEmpty else { return search() }
    var areAllFound = true
    for mutation in options.mutations {
      let isFound = Mutation.withActive(mutation) { find(mutation) }
      areAllFound = areAllFound && isFound
    }
    return areAllFound ? .success : .failure
  }

  /// Returns whether a world or a pair of tables finds the rule that is mutated.
  private mutating func find(_ mutation: Mutation) -> Bool {
    let start = ContinuousClock.now
    for number in 0..<options.worlds {
      let seed = options.seed &+ UInt64(number)
      guard let finding = mutation.isLeak ? compare(seed) : run(seed) else { continue }
      Console.print(
        "\(mutation.rawValue): found by \(mutation.isLeak ? "pair" : "world") \(number + 1), after "
          + "\(Int((.now - start) / .milliseconds(1))) ms: \(finding.summary)")
      if options.isVerbose { Console.print(finding.detail()) }
      return true
    }
    Console.print("\(mutation.rawValue): not found in \(options.worlds)")
    return false
  }

  private mutating func search() -> ExitCode {
    let start = ContinuousClock.now
    for number in 0..<options.worlds {
      let seed = options.seed &+ UInt64(number)
      if options.isVerbose { Console.print("seed \(seed)") }
      guard let finding = options.findsLeaks ? compare(seed) : run(seed) else { continue }
      let flags =
        (options.scenario.map { " --kind \($0.rawValue)" } ?? "")
        + (options.typeName.map { " --type '\($0)'" } ?? "") + (options.findsLeaks ? " --leaks" : "")
      Console.print(
        "\(finding.summary)\nseed \(seed): baize-sim\(flags) --seed \(seed) --worlds 1\n\(finding.detail())")
      return .failure
    }
    guard options.findsLeaks else {
      Console.print(
        "\(options.worlds) worlds held: \(Int(Double(options.worlds) / ((.now - start) / .seconds(1)))) a second")
      Console.print(Self.text(events))
      return .success
    }
    Console.print("\(options.worlds) pairs held: \(findings)")
    if findings.isSignificant { return .success }
    Console.print("too few pairs differed, or stayed equal to the watcher to the end, to prove anything")
    return .failure
  }

  private static func text(_ counts: EventCounts) -> String {
    CountedEvent.allCases.filter { counts[$0] > 0 }.map { "  \(counts[$0]) \($0.title)" }.joined(separator: "\n")
  }

  private mutating func compare(_ seed: UInt64) -> Finding? {
    var pair = LeakPair(seed: seed, typeName: options.typeName)
    let finding = pair.run()
    findings.count(finding)
    if case .leak(let leak) = finding { return (leak.summary, { "\(leak)" }) }
    return nil
  }

  private mutating func run(_ seed: UInt64) -> Finding? {
    let world = World(options.scenario, seed: seed, typeName: options.typeName)
    guard let failure = world.failure(of: []) else {
      events += world.counts
      if options.isVerbose { Console.print(Self.text(world.counts)) }
      return nil
    }
    return ("\(failure)", { [options] in Self.detail(of: world.script, failure, withTrace: options.isVerbose) })
  }

  private static func detail(of script: Script, _ failure: InvariantViolation, withTrace: Bool) -> String {
    let (shortened, last) = Shrinker.shortened(script, failure)
    var lines = ["\(script.steps.count) steps, shortened to \(shortened.steps.count): \(last)", shortened.source]
    if withTrace {
      let world = World(shortened.plan)
      world.traces = true
      _ = world.failure(of: shortened.steps)
      lines += world.traceLines
    }
    return lines.joined(separator: "\n")
  }
}

extension Mutation {
  /// Whether pairs of tables find it, which compare what one participant receives.
  fileprivate var isLeak: Bool {
    switch self {
    case .twice, .early, .anchor, .after, .late: false
    case .face, .order, .hash, .name, .seat, .holder, .content, .undo, .base, .log: true
    }
  }
}
