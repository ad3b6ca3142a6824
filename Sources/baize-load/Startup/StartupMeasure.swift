import BaizeHarness
import BaizeJournal
import BaizeTable
import BaizeTransport
import Foundation

/// Measures the time until a daemon with a large journal accepts connections, and the time to load a table.
struct StartupMeasure {
  /// The journal; it is created if it does not exist. `nil` for a temporary one.
  let file: String?
  let tables: Int
  let diffs: Int
  let tableType = "list?items=100"
  let runs: Int
  /// Tables that are loaded in each run.
  let samples: Int
  let report: (String) -> Void

  /// The maximum time in milliseconds until a daemon accepts, and until a table is loaded.
  static let acceptingMillisecondsMax = 1_000.0
  static let loadingMillisecondsMax = 50.0

  /// - Returns: Whether the marks are reached; and the result for programs.
  func perform() throws -> (isSound: Bool, json: [String: Any]) {
    let folder = try TemporaryFolder()
    let file = file ?? folder.path("journal.sqlite")
    try build(file)
    var accepting: [Double] = []
    var typical: [Double] = []
    var slowest: [Double] = []
    var leastRevision = Revision(rawValue: .max)
    for run in 1...runs {
      let start = MonotonicClock.now()
      let daemon = try ChildProcess.daemon(journal: file)
      accepting.append(Double(MonotonicClock.now() - start) / 1e6)
      let (loading, revision) = try load(from: daemon, run)
      leastRevision = min(leastRevision, revision)
      typical.append(Spread(values: loading).median)
      slowest.append(loading.max() ?? 0)
      daemon.stop()
      report(
        "run \(run) of \(runs): accepting after \(Self.text(accepting.last)) ms; \(samples) tables loaded in "
          + "\(Self.text(typical.last)) ms each, the slowest in \(Self.text(slowest.last)) ms")
    }
    report(
      """
      \(diffs) diffs over \(tables) tables of type \(tableType), medians of \(runs) runs (least … most)
        tables that were loaded         at revision \(leastRevision.rawValue) at least
        from start to accepting         \(Spread(values: accepting).text(1)) ms
        from hello to a whole snapshot  \(Spread(values: typical).text(1)) ms, the slowest of \(samples) tables \
      \(Spread(values: slowest).text(1)) ms
      """)
    let isSound =
      Spread(values: accepting).median <= Self.acceptingMillisecondsMax
      && Spread(values: slowest).median < Self.loadingMillisecondsMax
    if !isSound { report("the limit is missed") }
    return (
      isSound,
      [
        "acceptingMilliseconds": Spread(values: accepting).json, "loadingMilliseconds": Spread(values: typical).json,
        "slowestLoadingMilliseconds": Spread(values: slowest).json, "tables": tables, "diffs": diffs,
      ]
    )
  }

  /// The name of the `number`-th table.
  static func tableName(_ number: Int) -> String { "startup-\(number)" }

  private func build(_ file: String) throws {
    guard !FileManager.default.fileExists(atPath: file) else { return }
    let start = MonotonicClock.now()
    // The journal has another name until it is complete, so that an interrupted run leaves none.
    let unfinished = file + ".unfinished"
    for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: unfinished + ending) }
    do {
      let journal = try SQLiteJournal(path: unfinished)
      var builder = JournalBuilder(journal)
      try builder.build(tables: tables, type: tableType, diffs: diffs)
    }
    try FileManager.default.moveItem(atPath: unfinished, toPath: file)
    let bytes = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
    let seconds = Double(MonotonicClock.now() - start) / 1e9
    report("made a journal of \(bytes >> 20) MiB in \(LoadResult.fixed(seconds, 1)) s")
  }

  /// - Returns: The milliseconds by table, and the lowest revision of a table.
  private func load(from daemon: ChildProcess, _ run: Int) throws -> (milliseconds: [Double], revision: Revision) {
    var leastRevision = Revision(rawValue: .max)
    let milliseconds = try (0..<min(samples, tables)).map { sample in
      // Each run loads other tables, spread over the journal.
      let number = (sample * tables / samples + run) % tables
      let start = MonotonicClock.now()
      let table = try Crowd.readTable(Self.tableName(number), at: daemon.address, seconds: 60)
      leastRevision = min(leastRevision, table.revision)
      return Double(MonotonicClock.now() - start) / 1e6
    }
    return (milliseconds, leastRevision)
  }

  private static func text(_ milliseconds: Double?) -> String { LoadResult.fixed(milliseconds ?? 0, 1) }
}
