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
  /// The maximum number of operations in flight of each player; 0 with a pace.
  var window = 0
  var left = Int.max
  var pace: Pace?
  var random: RandomSource
  var strategy = RandomStrategy()
  /// By member; empty for other sources.
  var routes: [Route] = []
  /// By table, the items of the first collection; empty for other sources.
  var blocks: [[ItemID]] = []
}

/// The schedule of operations at a rate, independent of earlier answers.
struct Pace {
  let perSecond: Double
  let start: UInt64
  private(set) var taken: UInt64 = 0

  init(perSecond: Double, from start: UInt64) { (self.perSecond, self.start) = (perSecond, start) }

  /// In monotonic nanoseconds.
  var nextDue: UInt64 { start + UInt64(Double(taken) / perSecond * 1e9) }

  /// Takes the next one if it is due.
  ///
  /// - Returns: Its number, from 0.
  mutating func takeDue(at now: UInt64) -> Int? {
    guard nextDue <= now else { return nil }
    taken += 1
    return Int(taken - 1)
  }
}
