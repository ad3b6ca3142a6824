import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import BaizeWire

extension MeasureCommand {
  /// `baize-lab stalled`: the effect of stalled readers and of crowds on other clients.
  static var stalled: MeasureCommand {
    let tables = NumberOption.tables()
    let players = NumberOption.players("Players at each table that read.")
    let crowd = NumberOption("--crowd", "N", "Connections of a crowd.", in: 1...10_000, standard: 2_000)
    let runs = NumberOption.runs("Rounds: runs of each condition, in turn.")
    return MeasureCommand(
      "stalled", "The effect of stalled readers and of connection storms on others.",
      summary: "Measures the effect of stalled readers and of connection storms on players.",
      options: [tables, players, .rate, crowd, .seconds, runs].map(\.option),
      notes: [
        "Every run has a daemon of its own, with one shard on one core; the harness uses another. Operations are submitted at a "
          + "steady rate, whether or not earlier ones are answered (an open loop), and timed from submit to the last of the table's "
          + "readers. At the beginning of each run \(StalledMeasure.fillUpdates) texts of \(LoadState.fillTextBytes >> 10) KiB "
          + "are written at every table, so that clients that do not read are far over their limits.",
        "Conditions:\n"
          + "  normal      Only the players.\n"
          + "  stalled     A tenth of all connections join the same tables and read nothing after the snapshot.\n"
          + "  trickle     One spectator reads a byte per second.\n"
          + "  storm       A crowd connects at once; three of four join 64 tables of their own, the fourth sends nothing.\n"
          + "  disconnect  The same crowd, connected before, disconnects at once.",
        "A crowd is a process of the lowest priority on the harness' core. Its cost for the machine is measured, too: the same "
          + "crowd connects to, and disconnects from, a listener of its own process instead of the daemon (\"elsewhere\"). "
          + "A crowd's ratio is to that run; its ratio to normal is printed as well.",
        "On a machine with other load, start it under `chrt --rr 1`: daemon and harness then have priority, and the crowd sets "
          + "itself back to the lowest priority.",
        "The limits: a p99 of the others of at most \(StalledMeasure.ratioMax) times, as the median of all rounds; and a peak of "
          + "resident memory of at most that of normal plus, for each client that does not read, its maximum queue "
          + "(outboxHardBytes, one turn more, and spare capacity). The exit code is 1 if only the limit for the p99 is missed, "
          + "2 if anything else fails: a copy differs, too much memory is used, or a client is not admitted.",
      ]
    ) { parsed in
      try StalledMeasure(
        options: LoadOptions(parsed, [tables, players, .rate, .seconds]), crowd: crowd(parsed), runs: runs(parsed)
      ).perform()
    }
  }
}

/// Measures the effect of stalled readers and of crowds on players: the same load on daemons of their own, under each
/// condition in turn.
struct StalledMeasure {
  private let options: LoadOptions
  private let crowd: Int
  private let runs: Int

  /// The maximum ratio of the others' p99 to the one that it is compared with.
  static let ratioMax = 1.5
  /// The number of long texts that are written at each table before a run.
  static let fillUpdates = 100
  private static let warmUpSeconds = 1.5
  /// The times at which a crowd arrives or leaves, from the beginning of the warming up.
  private static let crowdSeconds = 2.0
  /// The maximum queue for a client that does not read: the outbox's hard limit, one turn's frames (a long text),
  /// and as much again, since a growing queue doubles its capacity.
  private static let queueBytesMax = 2 * (SyncLimits().connections.outboxHardBytes + LoadState.fillTextBytes)
  /// The maximum excess of a round's peak over that of its normal run: memory that an allocator keeps.
  private static let slackBytes = 8 << 20

  private enum Condition: String, CaseIterable {
    case normal
    case stalled
    case trickle
    case stormElsewhere = "storm elsewhere"
    case storm
    case disconnectElsewhere = "disconnect elsewhere"
    case disconnect

    /// The condition that its p99 is compared with, if any; it comes before.
    var reference: Condition? {
      switch self {
      case .normal, .stormElsewhere, .disconnectElsewhere: nil
      case .stalled, .trickle: .normal
      case .storm: .stormElsewhere
      case .disconnect: .disconnectElsewhere
      }
    }

    /// Whether a crowd comes to the daemon.
    var meetsDaemon: Bool { self == .storm || self == .disconnect }

    var p99: String { "\(rawValue), p99" }
    var peak: String { "\(rawValue), peak" }
    func ratio(to reference: Condition) -> String { "\(rawValue), p99 to \(reference.rawValue)" }
  }

  /// - Parameter options: The load, without the conditions.
  init(options: LoadOptions, crowd: Int, runs: Int) {
    var options = options
    options.tableType = "list?items=52"
    options.fillUpdates = Self.fillUpdates
    options.warmUpSeconds = Self.warmUpSeconds
    (self.options, self.crowd, self.runs) = (options, crowd, runs)
  }

  /// - Throws: ``RunFailure`` if a check other than that of the p99 fails.
  func perform() throws -> MeasureCommand.Result {
    let core = try Affinity.divide(Console.print)
    var figures = Figures()
    for round in 1...runs {
      for condition in Condition.allCases {
        let line = try measure(condition, core, into: &figures)
        Console.print("round \(round) of \(runs), \(condition.rawValue): \(line)")
      }
    }
    Console.print(
      "\(options.tables) tables of \(options.players) players, \(Int(options.rate ?? 0)) operations per second, "
        + "\(stalledCount) stalled, a crowd of \(crowd): medians of \(runs) rounds (least … most), from submit to the last of "
        + "the others\n\(figures.text)")
    try checkMemory(figures)
    let isFastEnough = Condition.allCases.allSatisfy { condition in
      condition.reference.map { figures[condition.ratio(to: $0)].median <= Self.ratioMax } ?? true
    }
    if !isFastEnough { Console.print("the limit for the p99 is missed") }
    return (isFastEnough, figures.json)
  }

  /// A tenth of all connections.
  private var stalledCount: Int { max(1, (options.tables * options.players + 4) / 9) }

  private func checkMemory(_ figures: Figures) throws {
    for (condition, readers) in [(Condition.stalled, stalledCount), (.trickle, 1)] {
      let normal = figures[Condition.normal.peak].values
      let extra = zip(figures[condition.peak].values, normal).map { $0 - $1 }.max() ?? 0
      let bound = readers * (Self.queueBytesMax >> 10) + Self.slackBytes >> 10
      let line =
        "\(condition.rawValue): \(Int(extra)) KiB more than normal at the peak of the worst round, bound \(bound) KiB"
      Console.print(line)
      if extra > Double(bound) { throw RunFailure(line) }
    }
  }

  // MARK: A run

  /// - Returns: The run in one line.
  private func measure(_ condition: Condition, _ core: Int?, into figures: inout Figures) throws -> String {
    let daemon = try ChildProcess.daemon(shards: 1, core: core)
    defer { daemon.stop() }
    var readers: [BlockingClient] = []
    var child: ChildProcess?
    let result = try LoadSession.measure(options, on: daemon, report: Console.print) { session in
      session.joined = {
        readers = try stall(condition == .stalled ? stalledCount : condition == .trickle ? 1 : 0, daemon)
      }
      session.secondPassed = { if condition == .trickle { readers.first?.readByte() } }
      session.warming = { child = try startCrowd(condition, daemon.address) }
    }
    child?.waitForExit()
    for reader in readers { reader.close() }
    guard result.faults.isNone, let peakBytes = daemon.usage.peakResidentBytes else {
      throw RunFailure("\(condition.rawValue): a copy differed, or the system does not report the daemon's memory")
    }
    let (p50, p99) = (result.total.toLast.microseconds(0.5), result.total.toLast.microseconds(0.99))
    figures.add("\(condition.rawValue), p50", p50, "µs")
    figures.add(condition.p99, p99, "µs")
    figures.add(condition.peak, Double(peakBytes >> 10), "KiB")
    for reference in [condition.reference, condition.meetsDaemon ? .normal : nil].compactMap(\.self) {
      let ratio = p99 / max(1, figures[reference.p99].values.last ?? 0)
      figures.add(condition.ratio(to: reference), ratio, "times", digits: 2)
    }
    if condition.meetsDaemon {
      let words = (child?.output ?? "").split(separator: "\n").last?.split(separator: " ") ?? []
      guard words.count == 2, Int(words[0]) == crowd - crowd / 4, let nanoseconds = Double(words[1]) else {
        throw RunFailure("not everyone who sent a hello was welcomed: \(words)")
      }
      if condition == .storm { figures.add("storm, admitted after", nanoseconds / 1e6, "ms") }
    }
    return "p50 \(Int(p50)) µs, p99 \(Int(p99)) µs, peak \(peakBytes >> 20) MiB"
  }

  /// Connects readers at the first tables, each of which reads only its snapshot.
  private func stall(_ count: Int, _ daemon: ChildProcess) throws -> [BlockingClient] {
    try (0..<count).map { number in
      let reader = try BlockingClient(daemon.address, receiveBufferBytes: 4 << 10)
      try reader.join(Hello(table: options.tableName(number % options.tables), name: "stalled", role: .spectator))
      return reader
    }
  }

  private func startCrowd(_ condition: Condition, _ address: SocketAddress) throws -> ChildProcess? {
    let now = MonotonicClock.now()
    let moment = now + UInt64(Self.crowdSeconds * 1e9)
    let end = now + UInt64((Self.warmUpSeconds + options.seconds) * 1e9)
    let times: [UInt64]
    switch condition {
    case .normal, .stalled, .trickle: return nil
    case .storm, .stormElsewhere: times = [moment, end]
    case .disconnect, .disconnectElsewhere: times = [now, moment]
    }
    return try ChildProcess(
      "baize-lab", ["crowd", condition.meetsDaemon ? "\(address)" : "-", "\(crowd)"] + times.map { "\($0)" },
      marker: CrowdCommand.marker)
  }
}
