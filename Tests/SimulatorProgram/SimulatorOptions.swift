import BaizeSimulator
import BaizeTable

/// The options of a run.
struct SimulatorOptions: Sendable {
  var seed: UInt64 = 1
  var worlds = 10_000
  /// `nil` to let each world's seed choose.
  var scenario: Scenario?
  /// The table type of all worlds or pairs; `nil` to let each world's seed choose.
  var typeName: String?
  var isVerbose = false
  /// Whether pairs of tables are compared instead.
  var findsLeaks = false
  /// The rules that are mutated one after the other; a check must find each. Only in a fault-injection build.
  var mutations: [Mutation] = []
}
