/// How often each kind of thing happened, to see that a world is no desert.
public struct Tally: Hashable, Sendable {
  private var counts = Array(repeating: 0, count: Happening.allCases.count)

  public init() {}

  public subscript(happening: Happening) -> Int { counts[happening.rawValue] }

  mutating func count(_ happening: Happening) { counts[happening.rawValue] += 1 }

  public static func += (left: inout Self, right: Self) {
    for place in left.counts.indices { left.counts[place] += right.counts[place] }
  }
}

/// Something that is worth counting.
public enum Happening: Int, Hashable, Sendable, CaseIterable {
  case steps
  case operations
  case accepted
  /// Answered as accepted after a snapshot had brought the effect.
  case acceptedBefore
  case unchanged
  case refused
  /// Not judged, to come again.
  case retried
  case unknown
  /// What a host asked for, and got.
  case hosted
  case kicked
  case reseated
  case invited
  case diffs
  case diffsOfTheDaemon
  case diffsHeard
  case commits
  case cuts
  case connectionsRefused
  case resumedByDiffs
  case resumedBySnapshot
  case turnedAway
  case left
  case snapshotsHeard
  case crashes
  case turnsLost
  case restarts
  case loads
  /// Tables that were made beside the turns.
  case setUps
  /// For someone who had gone, or while nothing could be written.
  case setUpsInVain
  /// Crashes while a table was being made.
  case setUpsLost
  case diskFull
  case storageFailures
  case storageRecoveries
  case impostors
  case journalSnapshots
  case statesCompared
  case predictionsChecked
  case refusalsChecked
  case intentionsChecked
  case movesJudgedAgain
  case framesChecked

  /// For people: the name of the case, word by word.
  public var title: String {
    var title = ""
    for character in "\(self)" {
      if character.isUppercase { title += " " }
      title += character.lowercased()
    }
    return title
  }
}
