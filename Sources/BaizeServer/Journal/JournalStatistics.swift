public import BaizeTransport

/// What a daemon's journal has done so far.
public struct JournalStatistics: Hashable, Sendable {
  /// Groups of turns that were made durable, each by one flush of the disk.
  public var commits = 0
  public var turns = 0
  /// Records, table definitions and parts of snapshots.
  public var rows = 0
  public var bytes = 0
  /// From the first append of a group to the return of its commit.
  public var commitDurations = Histogram()
  public var tablesLoaded = 0
  /// How often the disk stopped taking writes.
  public var failures = 0

  public init() {}
}

extension JournalStatistics: CustomStringConvertible {
  /// For example `12345 commits, median 180 µs, p99 900 µs, 56789 turns, 98765 rows, 1234567 bytes`; programs read it.
  public var description: String {
    let median = commitDurations.percentile(0.5) / 1_000
    let most = commitDurations.percentile(0.99) / 1_000
    return "\(commits) commits, median \(median) µs, p99 \(most) µs, \(turns) turns, \(rows) rows, \(bytes) bytes, "
      + "\(tablesLoaded) tables loaded, \(failures) failures"
  }
}
