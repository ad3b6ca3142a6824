import BaizeCommandLine
import BaizeSimulator

/// Runs worlds one after the other.
struct SimulatorRun {
  let options: SimulatorOptions
  private var counts = EventCounts()

  init(_ options: SimulatorOptions) { self.options = options }

  mutating func run() -> ExitCode {
    let clock = ContinuousClock()
    let start = clock.now
    for number in 0..<options.worlds {
      let seed = options.seed &+ UInt64(number)
      if options.isVerbose { Console.print("seed \(seed)") }
      let world = World(options.scenario, seed: seed)
      do throws(InvariantViolation) {
        try world.run()
      } catch {
        report(error, world.script, seed: seed)
        return .failure
      }
      counts += world.counts
      if options.isVerbose { Console.print(Self.text(world.counts)) }
    }
    let seconds = Self.seconds(clock.now - start)
    Console.print("\(options.worlds) worlds held: \(Int(Double(options.worlds) / seconds)) a second")
    Console.print(Self.text(counts))
    return .success
  }

  private static func seconds(_ duration: Duration) -> Double {
    max(1e-9, Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18)
  }

  private static func text(_ counts: EventCounts) -> String {
    CountedEvent.allCases.filter { counts[$0] > 0 }.map { "  \(counts[$0]) \($0.title)" }.joined(separator: "\n")
  }

  private func report(_ failure: InvariantViolation, _ script: Script, seed: UInt64) {
    let kind = options.scenario.map { " --kind \($0.rawValue)" } ?? ""
    Console.print("\(failure)")
    Console.print("seed \(seed): baize-sim\(kind) --seed \(seed) --worlds 1")
    let (shortened, last) = Shrinker.shortened(script, failure)
    Console.print("\(script.steps.count) steps, shortened to \(shortened.steps.count): \(last)")
    Console.print(shortened.source)
    guard options.isVerbose else { return }
    let world = World(shortened.plan)
    world.traces = true
    _ = world.failure(of: shortened.steps)
    Console.print(world.traceLines.joined(separator: "\n"))
  }
}
