import BaizeTable
import Synchronization

/// A shard's statistics. Other threads read a copy that is at most a few milliseconds old.
struct ShardStatistics {
  var figures = ServerStatistics()
  /// The measurements besides.
  var metrics = ShardMetrics()
  var turn = TurnMeasurement()
  private var published = ServerStatistics()
  private var publishedTurns: UInt64 = 0
  private var nextPublication: UInt64 = 0
  /// The time at which the next copy is due; `nil` if it is up to date.
  private(set) var deadline: UInt64?

  /// Publishes a copy, unless the last one is too recent.
  ///
  /// - Parameter isLast: Whether it is published regardless, since no other copy follows.
  mutating func publish(to endpoint: ShardEndpoint, at now: UInt64, isLast: Bool = false) {
    guard now >= nextPublication || isLast else {
      deadline = nextPublication
      return
    }
    deadline = nil
    guard figures != published || metrics.turns.count != publishedTurns else { return }
    nextPublication = now + ServerLimits.statisticsNanoseconds
    published = figures
    publishedTurns = metrics.turns.count
    endpoint.statistics.withLock { $0 = published }
    endpoint.metrics.withLock { $0 = metrics }
  }
}
