public import BaizeTransport

/// Counters of a daemon's journal since it was started.
public struct JournalStatistics: Hashable, Sendable {
  /// The number of commits. Each makes a group of turns durable by one flush of the disk.
  public var commits = 0
  /// The number of committed turns.
  public var turns = 0
  /// The number of committed records, table definitions and parts of snapshots.
  public var rows = 0
  /// The size of the committed rows in bytes.
  public var bytes = 0
  /// The durations of commits in nanoseconds, each from the first append of a group to the return of its commit.
  public var commitDurations = Histogram()
  /// The same for metrics.
  var durations = DurationCounts()
  /// The number of tables that were loaded from the journal.
  public var tablesLoaded = 0
  /// The number of times that the disk stopped accepting writes.
  public var failures = 0
  /// Whether it does not accept writes at present.
  public var isFailing = false

  /// Creates statistics with all counters at zero.
  public init() {}
}

extension JournalStatistics: CustomStringConvertible {
  /// The counters in one line, such as `12345 commits, median 180 µs, p99 900 µs, 56789 turns, 98765 rows, …`. Programs parse
  /// it.
  public var description: String {
    let median = commitDurations.percentile(0.5) / 1_000
    let most = commitDurations.percentile(0.99) / 1_000
    return "\(commits) commits, median \(median) µs, p99 \(most) µs, \(turns) turns, \(rows) rows, \(bytes) bytes, "
      + "\(tablesLoaded) tables loaded, \(failures) failures"
  }
}
