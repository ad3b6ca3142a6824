import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import Foundation

extension MeasureCommand {
  /// `baize-lab durability`: the cost of a journal.
  static var durability: MeasureCommand {
    let tables = NumberOption.tables()
    let players = NumberOption.players()
    let directory = CommandOption(
      "--directory", "DIR", "The directory of the journals, which should be on a real disk.",
      standard: "the system's temporary directory")
    let runs = NumberOption.runs("The number of runs of each, alternating.")
    return MeasureCommand(
      "durability", "The cost of a journal.",
      summary:
        "Compares daemons that commit everything before they send it (--durability strict) with daemons without a "
        + "journal (--durability memory), in turns, each with one core for all its threads.",
      options: [tables.option, players.option, directory, NumberOption.seconds.option, runs.option],
      notes: [
        "Starts baized from the folder of baize-lab. Needs taskset and two cores.",
        "The limits: at window 16 a strict daemon delivers at least "
          + "\(Int(DurabilityMeasure.ratioMin * 100)) % of the other's deliveries; at window 1 at most "
          + "\(Int(DurabilityMeasure.commitsMax)) commit times are added to the median from submit to one's own answer. With the "
          + "journal on a tmpfs: at both windows at least \(Int(DurabilityMeasure.tmpfsRatioMin * 100)) % of the deliveries. The "
          + "exit code is 1 if one is missed, and 2 if a copy differed.",
      ]
    ) { parsed in
      try DurabilityMeasure(
        options: LoadOptions(parsed, [tables, players, NumberOption.seconds]), runs: runs(parsed),
        directory: parsed.text(directory.flag)
      ).perform()
    }
  }
}

/// Measures the cost of durability: the same load on daemons that commit every diff before they send it, and on daemons
/// without a journal, in turns, each with one core for all its threads.
struct DurabilityMeasure {
  let options: LoadOptions
  let runs: Int
  /// The folder of the journals; `nil` for the system's temporary folder.
  let directory: String?

  /// The minimum ratio of a strict daemon's deliveries to those of one without a journal, at window 16.
  static let ratioMin = 0.6
  /// The same at both windows if the journal is on a tmpfs, so that the disk is not measured.
  static let tmpfsRatioMin = 0.75
  /// The maximum number of commit times that is added to the median time to answer, at window 1.
  static let commitsMax = 2.0

  func perform() throws -> MeasureCommand.Result {
    let core = try Affinity.divide(Console.print)
    let full = try measure(window: 16, core)
    let single = try measure(window: 1, core)
    let isSound =
      isOnTmpfs
      ? [full, single].allSatisfy { $0["ratio"].median >= Self.tmpfsRatioMin }
      : full["ratio"].median >= Self.ratioMin && single["added commits"].median <= Self.commitsMax
    if !isSound { Console.print("the limit is missed") }
    return (isSound, ["window16": full.json, "window1": single.json, "runs": runs, "isBound": core != nil])
  }

  private func measure(window: Int, _ core: Int?) throws -> Figures {
    var figures = Figures()
    for run in 1...runs {
      let memory = try load(window, isStrict: false, core)
      let strict = try load(window, isStrict: true, core)
      guard let commit = strict.commits?.medianMicroseconds else { throw RunFailure("the daemon reported no commits") }
      let latencies = [memory, strict].map { $0.result.total.toOwn.microseconds(0.5) }
      let rates = [memory, strict].map(\.result.deliveriesPerSecond)
      figures.add("memory", rates[0], "deliveries per second")
      figures.add("strict", rates[1], "deliveries per second")
      figures.add("ratio", rates[1] / max(1, rates[0]), "times", digits: 2)
      figures.add("memory's answer", latencies[0], "µs")
      figures.add("strict's answer", latencies[1], "µs")
      figures.add("added", latencies[1] - latencies[0], "µs")
      figures.add("a commit", commit, "µs by the daemon's own clock")
      figures.add("added commits", (latencies[1] - latencies[0]) / max(1, commit), "times", digits: 2)
      Console.print("window \(window), run \(run) of \(runs): \(figures.last)")
    }
    Console.print(
      "window \(window), \(options.tables) tables of \(options.players) players, type \(options.tableType), one core for the "
        + "daemon, medians of \(runs) alternating runs (least … most); answers are medians from submit to one's own\n"
        + figures.text)
    return figures
  }

  private func load(
    _ window: Int, isStrict: Bool, _ core: Int?
  ) throws -> (result: LoadResult, commits: CommitReport?) {
    let folder = try TemporaryFolder(in: directory)
    let daemon = try ChildProcess.daemon(
      journal: isStrict ? folder.path("journal.sqlite") : nil, shards: 1, core: core, logLevel: "info")
    defer { daemon.stop() }
    var options = options
    options.window = window
    let result = try LoadSession.measure(options, on: daemon, report: Console.print)
    guard result.faults.isNone else { throw RunFailure("a copy differed") }
    daemon.stop()
    return (result, CommitReport(inLog: daemon.errors))
  }

  /// Whether the journals are on a tmpfs, by Linux' list of mounts.
  private var isOnTmpfs: Bool {
    let folder = URL(fileURLWithPath: directory ?? FileManager.default.temporaryDirectory.path)
    let path = folder.resolvingSymlinksInPath().path + "/"
    let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
    let fields: [[Substring]] = mounts.split(separator: "\n").map { $0.split(separator: " ") }
    let nearest = fields.filter { $0.count > 2 && ($0[1] == "/" || path.hasPrefix("\($0[1])/")) }
      .max { $0[1].count < $1[1].count }
    return nearest?[2] == "tmpfs"
  }
}

/// A daemon's log line about its commits when it stops: `journal: N commits, median M µs, p99 P µs`.
struct CommitReport: Equatable {
  let medianMicroseconds: Double

  /// Parses the last such line of a log; `nil` where there is none.
  init?(inLog text: String) {
    let lines = text.matches(of: /journal: [0-9]+ commits, median ([0-9.]+) µs/)
    guard let median = lines.last.flatMap({ Double($0.1) }) else { return nil }
    medianMicroseconds = median
  }
}
