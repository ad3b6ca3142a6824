import BaizeClient
import BaizeTransport

/// The options of a run.
struct BotOptions: Sendable {
  /// The daemon's address, with its transport.
  var endpoint = Endpoint.tcp(.loopback(port: 7777))
  var table = "bots"
  /// The type of a table to create if it does not exist; empty to join an existing one.
  var tableType = ""
  var invite = ""
  var name = "bot"
  var count = 1
  /// Operations per second and bot; 0 to act after each answer.
  var rate: UInt64 = 4
  /// Whether the bots think as long as people instead, whatever the rate.
  var pace = PaceName.steady
  /// The number of taken seats at which the bots begin to act.
  var playersMin = 0
  /// The seed of the bots' choices; `nil` for a random one.
  var seed: UInt64?
  /// The seed of the table's shuffles, if the first bot creates it; 0 for none.
  var dealSeed: UInt64 = 0
  /// The duration; `nil` until interrupted.
  var seconds: UInt64?
  var endsWhenWon = false
  /// `nil` for the one that suits the table type.
  var strategy: StrategyName?
  var isQuiet = false
}

/// The paces by their command-line names.
enum PaceName: String, CaseIterable, Sendable {
  case steady
  case human
}

/// The strategies by their command-line names.
enum StrategyName: String, CaseIterable, Sendable {
  case random
  case greedy
}
