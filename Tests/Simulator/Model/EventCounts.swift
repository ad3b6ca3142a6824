/// The number of events of each kind, to see that a world is not idle.
public struct EventCounts: Hashable, Sendable {
  private var counts: [CountedEvent: Int] = [:]

  public init() {}

  public subscript(event: CountedEvent) -> Int { counts[event] ?? 0 }

  mutating func count(_ event: CountedEvent) { counts[event, default: 0] += 1 }

  public static func += (left: inout Self, right: Self) { left.counts.merge(right.counts, uniquingKeysWith: +) }
}

/// A kind of event that is counted.
public enum CountedEvent: Hashable, Sendable, CaseIterable {
  case steps
  case operations
  case accepted
  /// Answered as accepted after the effect came with a snapshot.
  case acceptedBefore
  case unchanged
  case refused
  /// Not judged, to be retried.
  case retried
  case unknown
  /// Accepted host actions.
  case hosted
  case kicked
  case reseated
  case invited
  case diffs
  case diffsOfTheDaemon
  case diffsReceived
  case commits
  case cuts
  case abandoned
  case connectionsRefused
  case resumedByDiffs
  case resumedBySnapshot
  case rejected
  case left
  case snapshotsReceived
  case crashes
  case turnsLost
  case restarts
  case loads
  /// Tables that were set up outside of the turns.
  case setUps
  /// Set-ups for a client that had left, or while nothing could be written.
  case setUpsDiscarded
  /// Crashes while a table was being set up.
  case setUpsLost
  case diskFull
  case storageFailures
  case storageRecoveries
  case impostors
  case journalSnapshots
  case chats
  /// Times that were up, and changed something.
  case expiries
  case valuesCompared
  case statesCompared
  case predictionsChecked
  case refusalsChecked
  case intentionsChecked
  case movesJudgedAgain
  case framesChecked

  /// A description: the name of the case, word by word.
  public var title: String {
    var title = ""
    for character in "\(self)" {
      if character.isUppercase { title += " " }
      title += character.lowercased()
    }
    return title
  }
}
