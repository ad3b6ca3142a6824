import BaizeCommandLine
import BaizeSimulator
import BaizeTable

extension SimulatorRun {
  /// Runs worlds while a rule is broken, until a check of one of them fails.
  func find(_ mutation: Mutation) -> ExitCode {
    Mutation.withActive(mutation) {
      for number in 0..<options.worlds {
        let world = World(options.scenario, seed: options.seed &+ UInt64(number))
        do throws(InvariantViolation) {
          try world.run()
        } catch {
          Console.say("\(mutation.rawValue): found after \(number + 1) worlds: \(error)")
          if options.isVerbose { Console.say(Shrinker.shortened(world.script, error).script.source) }
          return .success
        }
      }
      Console.say("\(mutation.rawValue): not found in \(options.worlds) worlds")
      return .failure
    }
  }
}
