import BaizeCommandLine
import BaizeSimulator

/// Runs pairs of tables one after the other, until a participant can tell one pair apart.
struct LeakSearch {
  let options: SimulatorOptions

  init(_ options: SimulatorOptions) { self.options = options }

  func run() -> ExitCode {
    var counts = LeakCounts()
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
      counts.count(finding)
    }
    Console.print("\(options.worlds) pairs held: \(counts)")
    guard counts.isSignificant else {
      Console.print("too few pairs differed, or stayed equal to the watcher to the end, to prove anything")
      return .failure
    }
    return .success
  }
}
