import BaizeSync
import BaizeTable

/// A shard's measurements besides its ``ServerStatistics``, in its own memory. Other threads read a copy.
struct ShardMetrics: Hashable, Sendable {
  /// The operations that were refused or have to be sent again, by reason.
  var reasons: [Reason: Int] = [:]
  /// The durations of turns that received or sent something, without the final writes to sockets.
  var turns = DurationCounts()
  /// The times from the turn that received an operation to its publication. Under `strict`, its commit lies between.
  var publications = DurationCounts()

  /// The number of accounts of addresses, and the most of one, of each kind.
  var accounts = 0
  var most = PeerLoad(peer: .unknown)
  /// The number of times that an address had used up a share, as logged.
  var sharesExceeded = 0

  static func += (left: inout Self, right: Self) {
    left.accounts += right.accounts
    left.most.tables = max(left.most.tables, right.most.tables)
    left.most.bytes = max(left.most.bytes, right.most.bytes)
    left.most.contentBytes = max(left.most.contentBytes, right.most.contentBytes)
    left.most.writtenBytes = max(left.most.writtenBytes, right.most.writtenBytes)
    left.sharesExceeded += right.sharesExceeded
    left.reasons.merge(right.reasons, uniquingKeysWith: +)
    left.turns += right.turns
    left.publications += right.publications
  }
}

/// A record of what a turn of the loop has sent, until the clock is read at its end.
struct TurnMeasurement {
  private var published: [(begunAt: Instant, operations: Int)] = []
  private var hasWork = false

  /// Notes that the turn has work, whose duration is worth measuring.
  mutating func note() { hasWork = true }

  mutating func note(_ batch: FrameBatch, _ metrics: inout ShardMetrics) {
    hasWork = true
    if batch.counts.accepted > 0 { published.append((batch.begunAt, batch.counts.accepted)) }
    for (reason, count) in batch.reasons { metrics.reasons[reason, default: 0] += count }
  }

  /// Ends the turn. The clock is only read if there was work.
  mutating func finish(begunAt start: UInt64, clock: () -> UInt64, _ metrics: inout ShardMetrics) {
    guard hasWork else { return }
    hasWork = false
    let now = clock()
    metrics.turns.record(nanoseconds: now &- start)
    for (begunAt, operations) in published {
      metrics.publications.record(nanoseconds: now &- begunAt.nanoseconds, times: operations)
    }
    published.removeAll(keepingCapacity: true)
  }
}
