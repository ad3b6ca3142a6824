import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory

extension MeasureCommand {
  /// `baize-lab websocket`: the cost of WebSocket.
  static var webSocket: MeasureCommand {
    let tables = NumberOption.tables()
    let players = NumberOption.players()
    let runs = NumberOption.runs("The number of runs of each, alternating.")
    return MeasureCommand(
      "websocket", "The cost of WebSocket.",
      summary: "Compares clients over WebSocket with clients over TCP, in turns, at windows of 16 and of 1.",
      options: [tables.option, players.option, NumberOption.seconds.option, runs.option],
      notes: [
        "Starts baized from the folder of baize-lab, with one shard, without a journal. Best with two cores and taskset.",
        "Every move must be accepted and delivered once to each member. The limit: at both windows at least \(Int(WebSocketMeasure.ratioMin * 100)) % of the deliveries over TCP. The exit code is "
          + "1 if it is missed, and 2 if an operation was not accepted, a delivery was lost, or a copy differed.",
      ]
    ) { parsed in
      try WebSocketMeasure(options: LoadOptions(parsed, [tables, players, NumberOption.seconds]), runs: runs(parsed))
        .perform()
    }
  }
}

/// Measures the cost of WebSocket: the same load over WebSocket and over TCP, in turns.
struct WebSocketMeasure {
  let options: LoadOptions
  let runs: Int

  /// The minimum ratio of deliveries over WebSocket to those over TCP.
  static let ratioMin = 0.8

  func perform() throws -> MeasureCommand.Result {
    let core = try Affinity.divide(Console.print)
    let full = try measure(window: 16, core)
    let single = try measure(window: 1, core)
    let isSound = [full, single].allSatisfy { $0["ratio"].median >= Self.ratioMin }
    if !isSound { Console.print("the limit is missed") }
    return (isSound, ["window16": full.json, "window1": single.json, "runs": runs, "isBound": core != nil])
  }

  private func measure(window: Int, _ core: Int?) throws -> Figures {
    var figures = Figures()
    for run in 1...runs {
      let stream = try load(window, usesWebSocket: false, core)
      let webSocket = try load(window, usesWebSocket: true, core)
      let results = [("TCP", stream), ("WebSocket", webSocket)]
      for (name, result) in results { figures.add(name, result.deliveriesPerSecond, "deliveries per second") }
      figures.add("ratio", webSocket.deliveriesPerSecond / max(1, stream.deliveriesPerSecond), "times", digits: 2)
      for (name, result) in results {
        if let time = result.daemonNanosecondsPerDelivery {
          figures.add("\(name)'s processor time", time, "ns per delivery")
        }
        figures.add("\(name)'s daemon", (result.daemonLoad ?? 0) * 100, "% of a core")
        figures.add("\(name)'s harness", result.harnessLoad * 100, "% of a core")
      }
      Console.print("window \(window), run \(run) of \(runs): \(figures.last)")
    }
    Console.print(
      "window \(window), \(options.tables) tables of \(options.players) players, type \(options.tableType), medians of "
        + "\(runs) alternating runs (least … most)\n" + figures.text)
    return figures
  }

  private func load(_ window: Int, usesWebSocket: Bool, _ core: Int?) throws -> LoadResult {
    let daemon = try ChildProcess.daemon(shards: 1, core: core, arguments: ["--http", "127.0.0.1:0"])
    defer { daemon.stop() }
    var options = options
    options.window = window
    options.usesWebSocket = usesWebSocket
    options.address = usesWebSocket ? try daemon.httpAddress : daemon.address
    let run = try CeilingRun(options)
    let result = try run.measure(daemon.usage)
    try run.check()
    return result
  }
}
