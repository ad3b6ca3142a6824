import BaizeCommandLine
import BaizeTable
import PositionModel

/// Plays worlds of positions, and prints for each situation what was violated; with mutated rules, the first world that finds each.
struct PositionsRun {
  let options: SimulatorOptions
  let subject: PositionSearch.Subject

  private var situations: [String] { options.situation.map { [$0] } ?? PositionSearch.situations }

  func run() -> ExitCode {
    guard options.mutations.isEmpty else { return options.mutations.allSatisfy(find) ? .success : .failure }
    var isViolated = false
    for situation in situations {
      let start = ContinuousClock.now
      let counts = PositionSearch.play(situation, of: subject, seed: options.seed, worlds: options.worlds)
      isViolated = isViolated || !Set(counts.violations.keys).isSubset(of: PositionViolation.known)
      Console.print("\(situation) (\(Int((.now - start) / .milliseconds(1))) ms): \(counts)")
    }
    return isViolated ? .failure : .success
  }

  /// Returns whether worlds find that a rule is mutated, and prints by which property first in each situation.
  private func find(_ mutation: Mutation) -> Bool {
    var isFound = false
    for situation in situations {
      for violation in PositionViolation.allCases {
        let found = Mutation.withActive(mutation) {
          PositionSearch.firstViolation(
            of: [violation], in: situation, seed: options.seed, worlds: options.worlds)
        }
        guard let found else { continue }
        isFound = true
        Console.print("\(mutation.rawValue): \(violation.rawValue) violated in world \(found.world) of '\(situation)'")
      }
    }
    if !isFound { Console.print("\(mutation.rawValue): not found in \(options.worlds) worlds of each situation") }
    return isFound
  }
}
