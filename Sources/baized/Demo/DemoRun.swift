import BaizeBot
import BaizeClient
import BaizeCommandLine
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport

/// The demo on its thread: creates tables, runs the bots, draws, and compares every copy with the daemon's.
///
/// ```
///  playing ──won, stuck, or the end──▶ comparing ──▶ pausing ──▶ playing at a new table
///                                          └──the end──▶ over
/// ```
final class DemoRun {
  private let options: DemoOptions
  private let server: Server
  private let addresses: DemoAddresses
  private let host: ClientHost
  private let began = MonotonicClock.now()
  private var table: DemoTable
  private var terminal = DemoTerminal()
  private var keys = TerminalKeys()
  private var hasQuit = false
  private var phase = Phase.playing
  private var tally = Tally()
  private var comparedAt: UInt64 = 0
  private var shownAt: UInt64 = 0
  /// The number of printed lines of the table's feed; `nil` before the table itself was printed.
  private var printedCount: Int?

  private enum Phase: Equatable {
    case playing
    /// The revision since which no operation is pending, if none is.
    case comparing(since: UInt64?, until: UInt64)
    case pausing(until: UInt64)
    case over
  }

  /// The results of the tables so far.
  private struct Tally {
    var tables = 1
    var revisions: UInt64 = 0
    var contended = 0
    var endings: [String] = []
    var comparisons: [String] = []
    var problems: [String] = []
  }

  private static let turnNanoseconds: UInt64 = 20_000_000
  private static let drawNanoseconds: UInt64 = 100_000_000
  private static let comparisonNanoseconds: UInt64 = 500_000_000
  private static let fastComparisonNanoseconds: UInt64 = 30_000_000
  private static let compareNanoseconds: UInt64 = 60_000_000_000
  private static let pauseNanoseconds: UInt64 = 4_000_000_000
  private static let disconnectNanoseconds: UInt64 = 2_000_000_000

  /// - Throws: `SystemError` when there are no descriptors left.
  init(_ options: DemoOptions, _ server: Server, at addresses: DemoAddresses) throws {
    self.options = options
    self.server = server
    self.addresses = addresses
    host = try ClientHost()
    table = DemoTable(DemoOptions.table, seed: options.seed, options, at: addresses, on: host)
  }

  // MARK: The run

  func run(until request: StopRequest) throws -> ExitCode {
    while phase != .over {
      try host.turn(timeout: Self.turnNanoseconds)
      if let failure = table.failure {
        DemoTerminal.close()
        throw Failure(description: failure)
      }
      readKeys()
      compareCopies()
      let isEnding =
        hasQuit || request.isMade || terminal.isBroken || options.seconds.map { age >= Double($0) } ?? false
      step(isEnding: isEnding)
      show()
    }
    show(isLast: true)
    let statistics = server.statistics
    host.leaveAll()
    try host.run(until: MonotonicClock.now() + Self.disconnectNanoseconds)
    DemoTerminal.close()
    return report(statistics)
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private var age: Double { Double(MonotonicClock.now() - began) / 1e9 }

  private var contended: Int { tally.contended + table.feed.contended }

  private func step(isEnding: Bool) {
    let now = MonotonicClock.now()
    switch phase {
    case .playing:
      guard isEnding || table.conclusion != nil else { return }
      table.stopPlaying()
      phase = .comparing(since: nil, until: now + Self.compareNanoseconds)
    case .comparing(nil, let until):
      guard table.isSettled, let revision = table.state?.revision.rawValue else { return giveUp(after: until, now) }
      phase = .comparing(since: revision, until: until)
    case .comparing(let since?, let until):
      guard table.comparison.revision >= since else { return giveUp(after: until, now) }
      finishTable()
      phase = isEnding ? .over : .pausing(until: now + Self.pauseNanoseconds)
    case .pausing(let until):
      if isEnding { phase = .over } else if now >= until { dealNext() }
    case .over: break
    }
  }

  private func giveUp(after deadline: UInt64, _ now: UInt64) {
    guard now >= deadline else { return }
    tally.problems.append("the copies of table \(table.name) did not come to one revision with the daemon in time")
    finishTable()
    phase = .over
  }

  private func finishTable() {
    let comparison = table.comparison
    tally.revisions += table.state?.revision.rawValue ?? 0
    tally.endings.append(table.conclusion.map(\.text) ?? "still open")
    for difference in comparison.differences {
      let whose = table.name(ofCopy: difference.copy)
      tally.problems.append("the copy of \(whose) differs from table \(table.name) at revision \(difference.revision)")
    }
    if table.divergences > 0 { tally.problems.append("copies were repaired \(table.divergences) times") }
    tally.comparisons.append(
      "table \(table.name): \(comparison.equalCount) of \(comparison.count) copies equal the daemon's view for them "
        + "at revision \(comparison.revision)")
  }

  private func dealNext() {
    table.leave()
    tally.contended += table.feed.contended
    tally.tables += 1
    table = DemoTable(
      "\(DemoOptions.table)-\(tally.tables)", seed: table.seed &+ 1, options, at: addresses, on: host)
    printedCount = nil
    phase = .playing
  }

  // MARK: A person

  private func readKeys() {
    guard let bytes = terminal.read() else { return }
    for key in keys.keys(in: bytes) {
      if key == .character("q") { hasQuit = true } else { table.press(key) }
    }
    if !bytes.isEmpty { shownAt = 0 }
  }

  // MARK: Copies

  private func compareCopies() {
    let now = MonotonicClock.now()
    let pause: UInt64 =
      if case .comparing = phase { Self.fastComparisonNanoseconds } else { Self.comparisonNanoseconds }
    guard now >= comparedAt + pause else { return }
    comparedAt = now
    table.compare()
  }

  // MARK: Showing

  private func show(isLast: Bool = false) {
    let now = MonotonicClock.now()
    guard isLast || now >= shownAt + Self.drawNanoseconds else { return }
    shownAt = now
    let screen = DemoScreen(
      table: table, options: options, statistics: server.statistics, contended: contended, address: server.address,
      httpAddress: server.httpAddress, seconds: Int(age), hasKeys: terminal.hasKeys)
    if terminal.isInteractive {
      let size = terminal.size
      terminal.draw(screen.lines(columns: size.columns, rows: size.rows))
    } else {
      print(screen)
    }
  }

  private func print(_ screen: DemoScreen) {
    guard table.state != nil else { return }
    if printedCount == nil {
      for line in screen.transcriptHead() { terminal.printLine(line) }
      // The printed table contains the earlier changes.
      printedCount = table.feed.count
    }
    for entry in table.feed.entries(from: printedCount ?? 0) { terminal.printLine(DemoScreen.line(entry).plain) }
    printedCount = table.feed.count
  }

  /// Prints the summary and returns the exit code.
  private func report(_ statistics: ServerStatistics) -> ExitCode {
    let operations = statistics.operations
    let tables = tally.tables == 1 ? "1 table" : "\(tally.tables) tables"
    let tenths = Int(age * 10)
    terminal.printLine(
      "baized demo: \(tables), \(tally.revisions) revisions in \(tenths / 10).\(tenths % 10) s: "
        + "\(operations.accepted) accepted, \(operations.refused) refused (\(contended) contended), "
        + "\(operations.rebased) rebased, \(operations.deliveries) diffs delivered")
    for (comparison, ending) in zip(tally.comparisons, tally.endings) {
      terminal.printLine("\(comparison) (\(ending))")
    }
    for problem in tally.problems { Console.printError("baized demo: \(problem)") }
    if tally.problems.isEmpty { terminal.printLine("every copy equals the daemon's") }
    return tally.problems.isEmpty ? .success : .failure
  }
}
