import BaizeBot
import BaizeClient
import BaizeSync
import BaizeTable

/// A bot: its client, its strategy and its pending operations.
struct Bot {
  let name: String
  let client: LoopClient
  var strategy: (any Strategy)?
  /// The random source of its choices.
  var random: RandomSource
  /// The random source of its pauses.
  var pace: RandomSource
  /// The earliest time of the bot's next operation.
  var restsUntil = Instant(nanoseconds: 0)
  /// The reason why the bot has nothing to do at its replica's revision.
  var conclusion: Conclusion?
  /// Descriptions of the operations sent and not answered yet.
  var sent: [SequenceNumber: String] = [:]
  /// Whether the lost connection has been reported.
  var isDisconnectionReported = false

  /// Returns the next decision; `nil` before the bot has joined.
  mutating func decide(at replica: Replica) -> Decision? { strategy?.next(at: replica, random: &random) }

  /// Whether it waits for its time to think to be over.
  var isThinking = false

  /// Returns the named strategy, or the one that suits the table type: a game, which has endings, is played to win.
  static func strategy(_ name: StrategyName?, for type: TableType) -> any Strategy {
    switch name ?? (type.endings.isEmpty ? .random : .greedy) {
    case .greedy: GreedyStrategy()
    case .random: RandomStrategy()
    }
  }
}
