import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation

/// Strangers at a daemon that requires invites, who want to know which tables its journal has, and to have it work for them.
///
/// Each asks once for a stored table and once for one that there is not, in random order and with everything that it may try. The
/// answers must be the same, in content and, beyond noise, in time, and no table may be loaded. Somebody with an invite joins
/// afterwards.
struct RightsAttack {
  let options: HostileOptions

  private static let tables = 400
  /// About 12 MB, so that loading it is seen.
  private static let largeType = "list?items=100000"
  private static let secondsMax = 20

  /// What strangers present.
  private enum Attempt: String, CaseIterable {
    case nothing, type = "a table type", invite = "a wrong invite", credential = "a wrong credential", ticket =
      "a wrong ticket"
    case spectator = "a spectator's role"

    func hello(_ table: String, _ random: inout RandomSource) -> Hello {
      func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
      switch self {
      case .nothing: return Hello(table: table)
      case .type: return Hello(table: table, tableType: "list?items=3")
      case .invite:
        return Hello(table: table, invite: bytes(16).map { String(format: "%02x", $0) }.joined())
      case .credential: return Hello(table: table, credential: bytes(32), sessionName: bytes(16))
      case .ticket: return Hello(table: table, credential: bytes(32), sessionName: bytes(16), ticket: bytes(16))
      case .spectator: return Hello(table: table, role: .spectator)
      }
    }
  }

  private struct Answer: Hashable {
    let text: String
  }

  /// - Returns: Whether the answers were alike, nothing was loaded, and who had a right joined.
  func perform() throws -> Bool {
    let folder = try TemporaryFolder()
    let invite = try prepare(in: folder)
    let daemon = try start(in: folder, ["--create", "nobody"])
    let metrics = try DaemonMetrics(daemon)
    let before = try metrics.memory().allocated
    var faults: [String] = []
    var random = RandomSource(seed: options.seed)
    for attempt in Attempt.allCases { faults += try compare(attempt, at: daemon.address, &random) }
    let largeBegan = MonotonicClock.now()
    let large = try knock(Hello(table: "large"), at: daemon.address)
    let largeSeconds = Double(MonotonicClock.now() - largeBegan) / 1e9
    let loaded = try metrics.value("baize_journal_tables_loaded_total")
    let grown = try metrics.memory().allocated - before
    Console.print(
      "the large table: \(large.text), after \(String(format: "%.4f", largeSeconds)) s; \(Int(loaded)) tables loaded for "
        + "strangers; the daemon grew by \(grown >> 10) KiB")
    if loaded != 0 { faults.append("\(Int(loaded)) tables were loaded for strangers") }
    let guest = try BlockingClient(daemon.address)
    guest.wait(seconds: Self.secondsMax)
    guest.send(.hello(Hello(table: "large", role: .spectator, invite: invite)))
    if case .welcome? = try guest.next() {} else { faults.append("the invite does not admit") }
    if daemon.stop() != 0 { faults.append("the daemon did not end well") }
    for fault in faults { Console.printError("hostile-client: \(fault)") }
    Console.print(faults.isEmpty ? "passed (seed \(options.seed))" : "failed (seed \(options.seed))")
    return faults.isEmpty
  }

  private func start(in folder: TemporaryFolder, _ further: [String] = []) throws -> ChildProcess {
    try ChildProcess(
      "baized",
      [
        "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--journal", "journal.sqlite", "--closed",
        "--tables-per-second-max", "0",
      ] + further,
      marker: ChildProcess.daemonMarker, in: folder, programs: options.programs,
      environment: [DaemonMetrics.environment.0: DaemonMetrics.environment.1])
  }

  /// Stores the tables.
  ///
  /// - Returns: The invite to the large one.
  private func prepare(in folder: TemporaryFolder) throws -> String {
    let daemon = try start(in: folder)
    var invite = ""
    for number in 0...Self.tables {
      let isLarge = number == Self.tables
      let client = try BlockingClient(daemon.address)
      client.wait(seconds: Self.secondsMax)
      client.send(
        .hello(
          Hello(table: isLarge ? "large" : "table-\(number)", tableType: isLarge ? Self.largeType : "list?items=3")))
      guard case .welcome(let welcome)? = try client.next() else { throw RunFailure("a table was not created") }
      if isLarge { invite = welcome.invite }
    }
    guard daemon.stop() == 0 else { throw RunFailure("the daemon did not end well") }
    return invite
  }

  // MARK: Comparing

  /// Compares the answers about stored tables with those about tables that there are not.
  ///
  /// - Returns: The differences.
  private func compare(
    _ attempt: Attempt, at address: SocketAddress, _ random: inout RandomSource
  ) throws -> [String] {
    var times: [Bool: [Double]] = [:]
    var answers: [Bool: Set<Answer>] = [:]
    var names = (0..<Self.tables).flatMap { [(true, "table-\($0)"), (false, "other-\($0)")] }
    random.shuffle(&names)
    // Each stored table is asked for once in every attempt; the first attempt meets none in memory.
    for (isStored, name) in names {
      let hello = attempt.hello(name, &random)
      let client = try BlockingClient(address)
      client.wait(seconds: Self.secondsMax)
      let began = MonotonicClock.now()
      let answer = try knock(hello, on: client)
      times[isStored, default: []].append(Double(MonotonicClock.now() - began) / 1e3)
      answers[isStored, default: []].insert(answer)
    }
    let (stored, missing) = (times[true, default: []].sorted(), times[false, default: []].sorted())
    let distance = Self.distance(stored, missing)
    func list(_ isStored: Bool) -> String {
      answers[isStored, default: []].map(\.text).sorted().joined(separator: ", ")
    }
    // Of equal distributions, one in a million pairs of samples is further apart (Kolmogorov and Smirnov).
    let distanceMax = 2.7 * (2 / Double(Self.tables)).squareRoot()
    Console.print(
      "\(attempt.rawValue): stored \(Self.text(stored)); missing \(Self.text(missing)); distance "
        + String(format: "%.3f of at most %.3f", distance, distanceMax)
        + "; answers \(list(true)); \(list(false))"
    )
    var faults: [String] = []
    if answers[true] != answers[false] { faults.append("\(attempt.rawValue): the answers tell which tables there are") }
    if distance > distanceMax { faults.append("\(attempt.rawValue): the times tell which tables there are") }
    return faults
  }

  private func knock(_ hello: Hello, at address: SocketAddress) throws -> Answer {
    let client = try BlockingClient(address)
    client.wait(seconds: Self.secondsMax)
    return try knock(hello, on: client)
  }

  private func knock(_ hello: Hello, on client: BlockingClient) throws -> Answer {
    client.send(.hello(hello))
    switch try client.next() {
    case .goodbye(let goodbye)?:
      return Answer(
        text: "\(goodbye.reason.rawValue) '\(goodbye.detail)' \(goodbye.isResumable) \(goodbye.retryAfterMilliseconds)")
    case let message?: return Answer(text: StormCounts.name(of: message))
    case nil: return Answer(text: "nothing")
    }
  }

  /// Returns the largest difference of two distributions.
  private static func distance(_ left: [Double], _ right: [Double]) -> Double {
    func share(_ values: [Double], _ bound: Double) -> Double {
      Double(values.count { $0 <= bound }) / Double(max(1, values.count))
    }
    return (left + right).map { abs(share(left, $0) - share(right, $0)) }.max() ?? 0
  }

  private static func text(_ sorted: [Double]) -> String {
    let figures = [0.05, 0.5, 0.95].map { String(format: "%.0f", sorted[Int(Double(sorted.count - 1) * $0)]) }
    return "p5 \(figures[0]) µs, p50 \(figures[1]) µs, p95 \(figures[2]) µs"
  }
}
