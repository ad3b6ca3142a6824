import BaizeCommandLine
import BaizeSimulator
import BaizeTable

/// Runs pairs of tables one after the other, until a participant can tell one pair apart.
struct LeakSearch {
  let options: SimulatorOptions

  init(_ options: SimulatorOptions) { self.options = options }

  func run() -> ExitCode {
    var counts = LeakCounts()
    for number in 0..<options.worlds {
      let seed = options.seed &+ UInt64(number)
      if options.isVerbose { Console.say("seed \(seed)") }
      var pair = LeakPair(seed: seed)
      let finding = pair.run()
      if case .leak(let leak) = finding {
        Console.say("\(leak)")
        Console.say("seed \(seed): baize-sim --leaks --seed \(seed) --worlds 1")
        return .failure
      }
      counts.count(finding)
    }
    Console.say("\(options.worlds) pairs held: \(counts)")
    guard counts.isSignificant else {
      Console.say("too few of them were told apart by anything, or stayed together, to prove something")
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
        Console.say("\(mutation.rawValue): found after \(number + 1) pairs")
        if options.isVerbose { Console.say("\(leak)") }
        return .success
      }
      Console.say("\(mutation.rawValue): not found in \(options.worlds) pairs")
      return .failure
    }
  }
}
