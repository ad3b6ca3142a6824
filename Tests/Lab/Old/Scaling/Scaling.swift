import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTransport

extension MeasureCommand {
  /// `baize-lab scaling`: long lists compared with short ones.
  static var scaling: MeasureCommand {
    let short = NumberOption("--short", "N", "Items of the short list.", in: 1...1_000_000, standard: 1_000)
    let long = NumberOption("--long", "N", "Items of the long list.", in: 1...1_000_000, standard: 1_000_000)
    let players = NumberOption.players("Players.")
    let window = NumberOption.window(standard: 1)
    let runs = NumberOption.runs("The number of runs of each, alternating.")
    return MeasureCommand(
      "scaling", "The cost of long lists.",
      summary:
        "Measures the cost of a list's length: operations on a short and a long list, and the effect of a new spectator "
        + "of the long one on its players.",
      options: [short, long, players, window, .seconds, runs].map(\.option)
    ) { parsed in
      try Scaling(
        options: LoadOptions(parsed, [players, window, .seconds]), runs: runs(parsed), short: short(parsed),
        long: long(parsed)
      ).perform()
    }
  }
}

/// Measures the cost of a list's length: operations on a short and on a long one, in turns, and the effect of a newcomer to
/// the long one on its players.
struct Scaling {
  let options: LoadOptions
  let runs: Int
  let short: Int
  let long: Int

  func perform() throws -> MeasureCommand.Result {
    var figures = Figures()
    for run in 1...runs {
      let (short, _) = try measure(items: short, withNewcomer: false)
      let (long, joining) = try measure(items: long, withNewcomer: true)
      guard short.faults.isNone, long.faults.isNone else { return (false, figures.json) }
      let costs = [short, long].map { $0.daemonNanosecondsPerDelivery ?? 0 }
      figures.add("short", costs[0], "ns of the daemon per delivery")
      figures.add("long", costs[1], "ns of the daemon per delivery")
      figures.add("long/short", costs[1] / max(1, costs[0]), "times in processor time", digits: 2)
      figures.add(
        "short/long", short.deliveriesPerSecond / max(1, long.deliveriesPerSecond), "times in rate", digits: 2)
      figures.add("longest answer on the long list", Double(long.total.toOwn.maximum) / 1e6, "ms alone", digits: 1)
      figures.add("the same while a newcomer loads", joining, "ms", digits: 1)
      Console.print("run \(run) of \(runs): \(figures.last)")
    }
    Console.print(
      "lists of \(short) and \(long) items, window \(options.window), medians of \(runs) alternating runs (least … most)\n"
        + figures.text)
    return (true, figures.json)
  }

  /// Plays on a list of so many items.
  ///
  /// - Returns: The result, and the longest time to an own answer while another client joins, in milliseconds.
  private func measure(items: Int, withNewcomer: Bool) throws -> (result: LoadResult, joining: Double) {
    let daemon = try ChildProcess.daemon(shards: 1)
    defer { daemon.stop() }
    var options = options
    options.address = daemon.address
    options.tables = 1
    options.tableType = "list?items=\(items)"
    let result = try LoadSession.measure(options, on: daemon, report: Console.print)
    guard withNewcomer else { return (result, 0) }
    let run = try LoadRun(options)
    try run.state.begin()
    try run.run(seconds: 60, for: "everyone to join") { run.state.isEveryoneLive }
    run.state.startSubmitting()
    try run.run(seconds: 0.5)
    _ = run.state.takeCounters()
    let isLoaded = Flag()
    let newcomer = try LoopThread(name: "newcomer") { [options] in
      let table = try? Crowd.readTable(options.tableName(0), at: options.address, seconds: 60)
      if table != nil { isLoaded.set() }
    }
    defer { newcomer.join() }
    try run.run(seconds: 60, for: "a newcomer to load") { isLoaded.isSet }
    return (result, Double(run.state.takeCounters().toOwn.maximum) / 1e6)
  }
}
