#if BAIZE_CANARY
  import BaizeCommandLine
  import BaizeSimulator
  import BaizeTable

  extension SimulatorRun {
    /// Runs worlds in which a rule is broken, until one of them finds out.
    func find(_ canary: Canary) -> ExitCode {
      Canary.$broken.withValue(canary) {
        for number in 0..<options.worlds {
          let world = World(kind: options.kind, seed: options.seed &+ UInt64(number))
          do throws(Broken) {
            try world.run()
          } catch {
            Console.say("\(canary.rawValue): found after \(number + 1) worlds: \(error)")
            if options.isVerbose { Console.say(Shrinker.shortened(world.script, error).script.source) }
            return .success
          }
        }
        Console.say("\(canary.rawValue): not found in \(options.worlds) worlds")
        return .failure
      }
    }
  }
#endif
