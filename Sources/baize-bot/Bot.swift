import BaizeBot
import BaizeClient
import BaizeSync
import BaizeTable

/// One bot: its seat at the table, its way to play, and what it waits for.
struct Bot {
  let name: String
  let client: LoopClient
  var strategy: (any Strategy)?
  /// Of its choices, and of its pace.
  var random: RandomSource
  var pace: RandomSource
  /// Before this moment it does not act again.
  var restsUntil = Instant(nanoseconds: 0)
  /// Why it has nothing to do, at the revision that it sees.
  var conclusion: Conclusion?
  /// What it has asked for and has no answer to, in the words of the table as it was then.
  var asked: [SequenceNumber: String] = [:]
  /// Whether its lost connection was told of.
  var isAway = false

  /// What to do at a table; `nil` before there is one.
  mutating func decide(at replica: Replica) -> Decision? { strategy?.next(at: replica, random: &random) }

  /// A strategy that suits a table.
  static func strategy(_ name: StrategyName?, for type: TableType) -> any Strategy {
    switch name ?? (type.name == "klondike" ? .greedy : .random) {
    case .greedy: GreedyStrategy()
    case .random: RandomStrategy()
    }
  }
}
