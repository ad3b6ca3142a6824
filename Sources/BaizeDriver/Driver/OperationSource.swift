import BaizeBot
import BaizeTable

/// The origin of players' operations.
package enum OperationSource: Sendable {
  case none
  /// Chosen from the table's copy: legal ones, by the table type.
  case choices
  /// Prepared moves of own items, so that the harness costs little (``Route``). All of them are legal.
  case routes
  /// Moves of as many items as an operation may name, from all over the first collection.
  case blocks
}

/// The operations that are to be submitted: where they come from, and how many at a time.
struct Supply {
  var source = OperationSource.none
  /// The maximum number of operations in flight of each player.
  var window = 0
  var left = Int.max
  var pace: Pace?
  /// Whether turns are taken on time.
  var isPunctual = false
  /// The planned time of the operation that is being submitted, in monotonic nanoseconds.
  var plannedTime: UInt64 = 0
  /// Whether the operations in flight are those of a plan.
  var isPlanned = false
  var random: RandomSource
  var strategy = RandomStrategy()
  /// By member; empty for other sources.
  var routes: [Route] = []
  /// By table, the items of the first collection; empty for other sources.
  var blocks: [[ItemID]] = []
}

/// The plan of operations at a rate, each player in turn. It is a function of time alone, and waits for no answer.
struct Pace: Sendable {
  let perSecond: Double
  let start: UInt64
  /// The end of the plan, in monotonic nanoseconds.
  let end: UInt64
  /// The number of turns that were taken.
  private(set) var taken: UInt64 = 0

  init(perSecond: Double, from start: UInt64, to end: UInt64 = .max) {
    (self.perSecond, self.start, self.end) = (perSecond, start, end)
  }

  /// Returns the time of a turn, in monotonic nanoseconds.
  func time(of turn: UInt64) -> UInt64 { start + UInt64(Double(turn) / perSecond * 1e9) }

  /// The time of the next turn, in monotonic nanoseconds; `nil` at the end of the plan.
  var nextDue: UInt64? {
    let time = time(of: taken)
    return time < end ? time : nil
  }

  /// Takes the next turn if it is due.
  ///
  /// - Returns: Its number, from 0, and its time.
  mutating func takeDue(at now: UInt64) -> (turn: UInt64, time: UInt64)? {
    guard let time = nextDue, time <= now else { return nil }
    taken += 1
    return (taken - 1, time)
  }
}
