import BaizeBot
import BaizeClient
import BaizeSync
import BaizeTable

struct DemoBot {
  let name: String
  let client: LoopClient
  var strategy: any Strategy
  var random: RandomSource
  /// The time before which it does not act by itself.
  var restsUntil = Instant(nanoseconds: 0)
  /// The reason why it has nothing to do at the revision that it sees.
  var conclusion: Conclusion?
  /// The descriptions of its pending operations.
  var asked: [SequenceNumber: Asked] = [:]

  struct Asked {
    /// The description, by the table's state at the time.
    let text: String
    /// Whether it is illegal on purpose, and unknown to the strategy.
    let isIllegal: Bool
  }

  mutating func decide(at replica: Replica) -> Decision { strategy.next(at: replica, random: &random) }

  /// Returns a drop that the rules forbid, of an item on the table.
  mutating func illegalOperation(at replica: Replica) -> TableOperation.Kind? {
    var strategy = RandomStrategy(illegalShare: 1)
    for _ in 0..<Self.attemptsMax {
      guard case .submit(let kind, true) = strategy.next(at: replica, random: &random) else { return nil }
      guard case .reorder(let difference, _) = kind, difference.sources.count == 1,
        replica.state.isKnown(difference.destination.collection), difference.destination.position == .end,
        replica.state.contains(difference.sources[0])
      else { continue }
      return kind
    }
    return nil
  }

  private static let attemptsMax = 24
}
