import BaizeBot
import BaizeClient
import BaizeSync
import BaizeTable

/// One of the demo's players.
struct DemoBot {
  let name: String
  let client: LoopClient
  var strategy: any Strategy
  var random: RandomSource
  /// Before this moment it does not act by itself again.
  var restsUntil = Instant(nanoseconds: 0)
  /// Why it has nothing to do at the revision that it sees.
  var conclusion: Conclusion?
  /// What it has asked for and has no answer to.
  var asked: [SequenceNumber: Asked] = [:]

  struct Asked {
    /// In the words of the table as it was then.
    let text: String
    /// It broke a rule on purpose, and the strategy knows nothing of it.
    let isIllegal: Bool
  }

  mutating func decide(at replica: Replica) -> Decision { strategy.next(at: replica, random: &random) }

  /// A drop that the rules forbid, of something that lies on the table.
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
