/// What a demo is told.
struct DemoOptions: Sendable {
  var tableType = "klondike"
  var bots = 3
  /// Operations per second of each bot.
  var rate: UInt64 = 2
  /// Of the first deal and of what the bots choose; each further deal takes the next.
  var seed = UInt64.random(in: 1...99_999)
  /// How long it lasts; `nil` until interrupted.
  var seconds: UInt64?

  /// What the first table is called, and what the others begin with.
  static let table = "demo"
  static let names = ["North", "East", "South", "West", "Red", "Blue", "Green", "Gold"]
  /// How many of the bots' operations break a rule on purpose, of 1.
  static let illegalShare = 0.06
  /// How often another bot acts at the very moment in which one does, of 1.
  static let contendingShare = 0.25
}
