import BaizeSimulator
import BaizeTable
import PositionModel

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
  /// Whose positions are searched instead; `nil` for nobody's.
  var positions: PositionSearch.Subject?
  /// The situation of these worlds; `nil` for all.
  var situation: String?
  /// Whether the states of the cluster's protocol are searched instead.
  var searchesCluster = false
  /// The rules that are mutated one after the other; a check must find each. Only in a fault-injection build.
  var mutations: [Mutation] = []
}
