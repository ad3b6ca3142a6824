import BaizeSimulator
import BaizeTable

/// The options of a run.
struct SimulatorOptions: Sendable {
  var seed: UInt64 = 1
  var worlds = 10_000
  /// `nil` for what each world's seed decides.
  var scenario: Scenario?
  var isVerbose = false
  /// Whether pairs of tables are compared instead.
  var findsLeaks = false
  /// The rule that is broken on purpose and must be found. Only in a fault-injection build.
  var mutation: Mutation?
}
