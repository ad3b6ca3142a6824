import BaizeCommandLine
import BaizeSimulator

/// Worlds one after the other, and what is said of them.
struct SimulatorRun {
  let options: SimulatorOptions
  private var tally = Tally()

  init(_ options: SimulatorOptions) { self.options = options }

  mutating func run() -> ExitCode {
    let clock = ContinuousClock()
    let start = clock.now
    for number in 0..<options.worlds {
      let seed = options.seed &+ UInt64(number)
      if options.isVerbose { Console.print("seed \(seed)") }
      let world = World(kind: options.kind, seed: seed)
      do throws(Broken) {
        try world.run()
      } catch {
        report(error, world.script, seed: seed)
        return .failure
      }
      tally += world.tally
      if options.isVerbose { Console.print(Self.text(world.tally)) }
    }
    let seconds = Self.seconds(clock.now - start)
    Console.print("\(options.worlds) worlds held: \(Int(Double(options.worlds) / seconds)) a second")
    Console.print(Self.text(tally))
    return .success
  }

  private static func seconds(_ duration: Duration) -> Double {
    max(1e-9, Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18)
  }

  private static func text(_ tally: Tally) -> String {
    Happening.allCases.filter { tally[$0] > 0 }.map { "  \(tally[$0]) \($0.title)" }.joined(separator: "\n")
  }

  private func report(_ failure: Broken, _ script: Script, seed: UInt64) {
    let kind = options.kind.map { " --kind \($0.rawValue)" } ?? ""
    Console.print("\(failure)")
    Console.print("seed \(seed): baize-sim\(kind) --seed \(seed) --worlds 1")
    let (shortened, last) = Shrinker.shortened(script, failure)
    Console.print("\(script.steps.count) steps, shortened to \(shortened.steps.count): \(last)")
    Console.print(shortened.source)
    guard options.isVerbose else { return }
    let world = World(shortened.plan)
    world.narrates = true
    _ = world.failure(of: shortened.steps)
    Console.print(world.narration.joined(separator: "\n"))
  }
}
