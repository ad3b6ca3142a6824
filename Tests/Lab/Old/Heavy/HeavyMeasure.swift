import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTransport

extension MeasureCommand {
  /// `baize-lab heavy`: the effect of the heaviest legal operations on others.
  static var heavy: MeasureCommand {
    let tables = NumberOption.tables()
    let players = NumberOption.players()
    let senders = NumberOption(
      "--senders", "N", "The number of senders of heavy operations.", in: 1...100, standard: 10)
    let items = NumberOption(
      "--items", "N", "The number of items at the table of each sender.", in: 10_000...1_000_000, standard: 100_000)
    let runs = NumberOption.runs("Rounds: a run without and a run with the senders; with --single, runs of each.")
    let single = CommandOption(
      "--single", nil, "Measures the heaviest operations one by one, without sockets, on a table of 1,000,000 items.")
    return MeasureCommand(
      "heavy", "The effect of the heaviest legal operations on others.",
      summary: "Measures the effect of senders of the heaviest legal operations on other players.",
      options: [tables, players, .rate, senders, items, .seconds, runs].map(\.option) + [single],
      notes: [
        "Every run has a daemon of its own, with one shard on one core; the harness uses another. Operations are submitted at a "
          + "steady rate, and timed from submit to the last of the table's players. Each sender keeps sixteen operations "
          + "in flight at a table of its own, and each operation moves as many items as it may name. The limit: a p99 of the "
          + "others that is higher by at most \(Int(HeavyMeasure.riseMax)) µs, as the median of all rounds.",
        "With \(single.flag) the limit is \(Int(SingleOperations.microsecondsMax)) µs for the median of each operation.",
      ]
    ) { parsed in
      if parsed.has(single.flag) {
        var operations = try SingleOperations(
          items: items(parsed, standard: 1_000_000), runs: runs(parsed), report: Console.print)
        return try operations.perform()
      }
      return try HeavyMeasure(
        options: LoadOptions(parsed, [tables, players, .rate, .seconds]), senders: senders(parsed),
        items: items(parsed),
        runs: runs(parsed)
      ).perform()
    }
  }
}

/// Measures the effect of senders of the heaviest legal operations on others on the same shard (I11): the same load on
/// daemons of their own, without and with the senders in turn.
struct HeavyMeasure {
  let options: LoadOptions
  let senders: Int
  let items: Int
  let runs: Int

  /// The maximum rise of the others' p99, in microseconds.
  static let riseMax = 2_000.0
  private static let warmUpSeconds = 3.0

  func perform() throws -> MeasureCommand.Result {
    let core = try Affinity.divide(Console.print)
    var figures = Figures()
    for round in 1...runs {
      let (alone, _) = try measure(beside: 0, core)
      let (beside, heavyPerSecond) = try measure(beside: senders, core)
      for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let (calm, busy) = (alone.total.toLast.microseconds(share), beside.total.toLast.microseconds(share))
        figures.add("\(name) alone", calm, "µs")
        figures.add("\(name) beside the senders", busy, "µs")
        figures.add("\(name) rises by", busy - calm, "µs")
      }
      figures.add("heavy operations", heavyPerSecond, "per second")
      Console.print("round \(round) of \(runs): \(figures.last)")
      guard alone.faults.isNone, beside.faults.isNone, heavyPerSecond > 0 else { return (false, figures.json) }
    }
    Console.print(
      "\(options.tables) tables of \(options.players), \(senders) senders at tables of \(items) items, medians of \(runs) "
        + "rounds (least … most)\n\(figures.text)")
    return (figures["p99 rises by"].median <= Self.riseMax, figures.json)
  }

  private func measure(beside senders: Int, _ core: Int?) throws -> (result: LoadResult, heavyPerSecond: Double) {
    let daemon = try ChildProcess.daemon(shards: 1, core: core)
    defer { daemon.stop() }
    var options = options
    options.tableType = "list?items=52"
    options.warmUpSeconds = Self.warmUpSeconds
    let seconds = Self.warmUpSeconds + options.seconds
    var child: ChildProcess?
    let result = try LoadSession.measure(options, on: daemon, report: Console.print) { session in
      session.warming = {
        guard senders > 0 else { return }
        let end = MonotonicClock.now() + UInt64(seconds * 1e9)
        child = try ChildProcess(
          "baize-lab", ["senders", "\(daemon.address)", "\(senders)", "\(items)", "\(end)"],
          marker: HeavySenders.marker)
      }
    }
    _ = child?.waitForExit()
    let heavy = child?.output.split(whereSeparator: \.isWhitespace).last.flatMap { Double($0) } ?? 0
    return (result, heavy / seconds)
  }
}
