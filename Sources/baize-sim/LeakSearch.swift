import BaizeCommandLine
import BaizeSimulator
import BaizeTable

/// Pairs of tables one after the other, until someone can tell one pair apart.
struct LeakSearch {
  let options: SimulatorOptions

  init(_ options: SimulatorOptions) { self.options = options }

  func run() -> ExitCode {
    var tally = LeakTally()
    for number in 0..<options.worlds {
      let seed = options.seed &+ UInt64(number)
      if options.isVerbose { Console.print("seed \(seed)") }
      var pair = LeakPair(seed: seed)
      let finding = pair.run()
      if case .leak(let leak) = finding {
        Console.print("\(leak)")
        Console.print("seed \(seed): baize-sim --leaks --seed \(seed) --worlds 1")
        return .failure
      }
      tally.count(finding)
    }
    Console.print("\(options.worlds) pairs held: \(tally)")
    guard tally.isTelling else {
      Console.print("too few of them were told apart by anything, or stayed together, to prove something")
      return .failure
    }
    return .success
  }

  /// Runs pairs while a rule is broken, until the bytes of one pair differ.
  func find(_ mutation: Mutation) -> ExitCode {
    Mutation.withActive(mutation) {
      for number in 0..<options.worlds {
        var pair = LeakPair(seed: options.seed &+ UInt64(number))
        guard case .leak(let leak) = pair.run() else { continue }
        Console.print("\(mutation.rawValue): found after \(number + 1) pairs")
        if options.isVerbose { Console.print("\(leak)") }
        return .success
      }
      Console.print("\(mutation.rawValue): not found in \(options.worlds) pairs")
      return .failure
    }
  }
}
