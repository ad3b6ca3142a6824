import BaizeHarness
import BaizeTable
import BaizeTransport
import BaizeWire

/// Measures the catch-up of a crowd that has missed a hundred revisions, beside the cost of snapshots.
struct ResumeMeasure {
  let clients: Int
  let tables: Int
  let items: Int
  let revisions: Int
  let runs: Int
  let report: (String) -> Void

  /// The minimum ratio of the bytes of snapshots to those of diffs.
  static let ratioMin = 10.0
  /// The maximum time until everyone has caught up, in seconds.
  static let secondsMax = 1.0
  private static let timeoutSeconds = 120.0

  /// - Returns: Whether the marks are reached; and the result for programs.
  func perform() throws -> (isSound: Bool, json: [String: Any]) {
    let titled = try measure("items with a title of some 30 characters", type: "list") { author in
      try author.insert(Titles.items(items, seed: 1))
    }
    let bare = try measure("items with only a number", type: "list?items=\(items)") { _ in }
    let isSound = titled.isFewEnough && titled.isFastEnough && bare.isFastEnough
    if !isSound { report("the limit is missed") }
    return (isSound, ["titled": titled.json, "bare": bare.json])
  }

  private struct Measured {
    /// Per client.
    var diffBytes: [Double] = []
    var snapshotBytes: [Double] = []
    var seconds: [Double] = []
    /// Clients that received a snapshot where diffs would have sufficed.
    var snapshots = 0

    var ratios: [Double] { zip(snapshotBytes, diffBytes).map { $0 / max(1, $1) } }
    var isFewEnough: Bool { Spread(values: ratios).median >= ResumeMeasure.ratioMin && snapshots == 0 }
    var isFastEnough: Bool { Spread(values: seconds).median <= ResumeMeasure.secondsMax }

    var json: [String: Any] {
      [
        "diffBytesPerClient": Spread(values: diffBytes).json,
        "snapshotBytesPerClient": Spread(values: snapshotBytes).json, "ratio": Spread(values: ratios).json,
        "secondsUntilLevel": Spread(values: seconds).json, "snapshots": snapshots,
      ]
    }
  }

  private func measure(_ what: String, type: String, _ setUp: (TableAuthor) throws -> Void) throws -> Measured {
    let journal = try TemporaryFolder()
    let daemon = try ChildProcess.daemon(journal: journal.path("journal.sqlite"))
    defer { daemon.stop() }
    let names = (0..<tables).map { "resume-\($0)" }
    var author = try TableAuthor(names, type: type, at: daemon.address, seed: 1)
    try setUp(author)
    let crowd = try makeCrowd(names)
    try join(crowd, author, daemon.address)
    var measured = Measured()
    for run in 1...runs {
      try crowd.cut()
      try author.move(times: UInt64(revisions))
      let time = try join(crowd, author, daemon.address)
      measured.seconds.append(Double(time) / 1e9)
      measured.diffBytes.append(Double(crowd.counts.bytes) / Double(clients))
      measured.snapshots += crowd.counts.snapshots
      measured.snapshotBytes.append(try measureSnapshots(names, author, daemon.address))
      report("run \(run) of \(runs): \(Self.line(crowd, time))")
    }
    report(text(what, measured))
    return measured
  }

  /// Measures the snapshots of newcomers.
  ///
  /// - Returns: Bytes per client.
  private func measureSnapshots(
    _ tables: [String], _ author: TableAuthor, _ address: SocketAddress
  ) throws -> Double {
    let crowd = try makeCrowd(tables)
    try join(crowd, author, address)
    try crowd.leave()
    return Double(crowd.counts.bytes) / Double(clients)
  }

  private func makeCrowd(_ tables: [String]) throws -> Crowd {
    try Crowd(count: clients) { Hello(table: tables[$0 % tables.count], name: "crowd", role: .spectator) }
  }

  /// Connects everyone at once, and waits until each has its table's revision.
  @discardableResult
  private func join(_ crowd: Crowd, _ author: TableAuthor, _ address: SocketAddress) throws -> UInt64 {
    let revisions = author.revisions
    return try crowd.join(address, seconds: Self.timeoutSeconds) { revisions[$0 % revisions.count] }
  }

  private static func line(_ crowd: Crowd, _ time: UInt64) -> String {
    "\(crowd.counts.bytes) bytes, \(crowd.counts.snapshots) snapshots, all caught up after \(time / 1_000_000) ms"
  }

  private func text(_ what: String, _ measured: Measured) -> String {
    let many = tables == 1 ? "a table" : "\(tables) tables"
    return """
      \(clients) clients at \(many) of \(items) \(what), \(revisions) revisions behind, medians of \(runs) runs (least … most)
        reconnect        \(Spread(values: measured.diffBytes).text()) bytes a client, \(measured.snapshots) snapshots in all
        join anew        \(Spread(values: measured.snapshotBytes).text()) bytes a client
        fewer bytes      \(Spread(values: measured.ratios).text(1)) times
        caught up after  \(Spread(values: measured.seconds).text(3)) s
      """
  }
}
