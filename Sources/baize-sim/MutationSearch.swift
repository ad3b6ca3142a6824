import BaizeCommandLine
import BaizeSimulator
import BaizeTable

/// Runs worlds, or pairs of tables, while a rule is mutated, until a check of one of them fails.
struct MutationSearch {
  let options: SimulatorOptions

  func find(_ mutation: Mutation) -> ExitCode {
    let unit = options.findsLeaks ? "pairs" : "worlds"
    return Mutation.withActive(mutation) {
      for number in 0..<options.worlds {
        let seed = options.seed &+ UInt64(number)
        guard let found = options.findsLeaks ? leak(seed) : violation(seed) else { continue }
        Console.print("\(mutation.rawValue): found after \(number + 1) \(unit)\(found.summary)")
        if options.isVerbose { Console.print(found.detail) }
        return .success
      }
      Console.print("\(mutation.rawValue): not found in \(options.worlds) \(unit)")
      return .failure
    }
  }

  private func leak(_ seed: UInt64) -> (summary: String, detail: String)? {
    var pair = LeakPair(seed: seed)
    guard case .leak(let leak) = pair.run() else { return nil }
    return ("", "\(leak)")
  }

  private func violation(_ seed: UInt64) -> (summary: String, detail: String)? {
    let world = World(options.scenario, seed: seed)
    guard let violation = world.failure(of: []) else { return nil }
    let source = options.isVerbose ? Shrinker.shortened(world.script, violation).script.source : ""
    return (": \(violation)", source)
  }
}
