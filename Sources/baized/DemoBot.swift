import BaizeBot
import BaizeClient
import BaizeSync
import BaizeTable

/// A bot of the demo.
struct DemoBot {
  let name: String
  let client: LoopClient
  var strategy: any Strategy
  var random: RandomSource
  /// The earliest time of the bot's next operation.
  var restsUntil = Instant(nanoseconds: 0)
  /// Why the bot has nothing to do at its replica's revision.
  var conclusion: Conclusion?
  /// The operations sent and not answered yet.
  var sent: [SequenceNumber: Sent] = [:]

  struct Sent {
    /// The operation's description, from the state at the time.
    let text: String
    /// Whether the operation is illegal on purpose. The strategy does not see its answer.
    let isIllegal: Bool
  }

  mutating func decide(at replica: Replica) -> Decision { strategy.next(at: replica, random: &random) }

  /// Returns a drop of an item on the table that the rules forbid.
  mutating func illegalDrop(at replica: Replica) -> TableOperation.Kind? {
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
