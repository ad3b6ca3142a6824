import BaizeTransport

/// What a run of bots is told.
struct BotOptions: Sendable {
  var address = SocketAddress.loopback(port: 7777)
  var table = "bots"
  /// Creates the table where it does not exist; empty to join what is there.
  var tableType = ""
  var invite = ""
  var name = "bot"
  var count = 1
  /// Operations per second and bot; 0 for as fast as answers come.
  var rate: UInt64 = 4
  /// Of the bots' choices; `nil` for the system's chance.
  var seed: UInt64?
  /// Of the table's shuffles, if the first bot creates it; 0 for none.
  var dealSeed: UInt64 = 0
  /// How long to play; `nil` for ever.
  var seconds: UInt64?
  var endsWhenWon = false
  /// `nil` for what suits the table's type.
  var strategy: StrategyName?
  var isQuiet = false
}

/// The strategies by the names that the command line knows.
enum StrategyName: String, CaseIterable, Sendable {
  case random
  case greedy
}
