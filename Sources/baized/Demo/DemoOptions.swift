struct DemoOptions: Sendable {
  var tableType = DemoBoard.name
  var bots = 2
  /// Operations per second of each bot.
  var rate: UInt64 = 1
  /// The seed of the first deal and of the bots' choices; each further deal takes the next seed.
  var seed = UInt64.random(in: 1...99_999)
  /// The duration; `nil` until interrupted.
  var seconds: UInt64?
  /// The delay of the first bot's messages in each direction.
  var delayMilliseconds: UInt64 = 0

  /// The delay where people watch: long enough to see what is not answered yet.
  static let watchedDelayMilliseconds: UInt64 = 600
  /// The name of the first table, and the prefix of the others' names.
  static let table = "demo"
  static let names = ["North", "East", "South", "West", "Red", "Blue", "Green", "Gold"]
  /// The share, from 0 to 1, of the bots' operations that are illegal on purpose.
  static let illegalShare = 0.06
  /// The share, from 0 to 1, of operations at which another bot acts at the same moment.
  static let contendingShare = 0.25
}
