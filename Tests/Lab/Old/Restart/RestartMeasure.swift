import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTransport
import Foundation

extension MeasureCommand {
  /// `baize-lab restart`: a restart without notice, under load.
  static var restart: MeasureCommand {
    let clients = NumberOption("--clients", "N", "The number of clients.", in: 1...20_000, standard: 1_000)
    let rate = NumberOption(
      "--rate", "N", "Operations per second of each client.", in: 1...1_000, "operations per second", standard: 1)
    let runs = NumberOption.runs("The number of restarts.")
    let seed = CommandOption("--seed", "S", "The seed of the clients' choices.", standard: "a random one")
    return MeasureCommand(
      "restart", "A restart of the daemon under load.",
      summary:
        "Ends a daemon by SIGTERM while clients play, starts the next one with its journal and address, and measures the time "
        + "until every client is back.",
      options: [clients.option, rate.option, runs.option, seed],
      notes: [
        "Starts baized from the folder of baize-lab, with --durability strict and a journal in the system's temporary directory. "
          + "Every operation is compared with the tables, as by `baize-lab crash`.",
        "The limit: all clients are back \(RestartMeasure.backSecondsMax) s after SIGTERM, in the median restart. The exit code is 1 "
          + "if it is exceeded, and 2 if something was lost.",
      ]
    ) { parsed in
      var options = LedgerPlayOptions()
      options.players = IdleMeasure.playersPerTableMax
      options.tables = (try clients(parsed) + options.players - 1) / options.players
      options.tableTypes = ["list?items=20", "grid", "kanban?cards=10"]
      options.rate = UInt64(try rate(parsed))
      options.operationsPerCut = 0
      options.tablePrefix = "restart"
      options.seed = try parsed.number(seed.flag, in: 0...UInt64.max) ?? .random(in: 1...1_000_000)
      return try RestartMeasure(options: options, runs: runs(parsed)).perform()
    }
  }
}

/// Restarts a daemon under load.
struct RestartMeasure {
  let options: LedgerPlayOptions
  let runs: Int

  /// The limit for the time until everyone is back, from SIGTERM.
  static let backSecondsMax = 2.0
  private static let timeoutSeconds = 60.0

  func perform() throws -> MeasureCommand.Result {
    Console.print("seed \(options.seed)")
    let folder = try TemporaryFolder()
    // Another address than the clients' own: one that connects while nobody listens cannot be connected to itself.
    var daemon = try start(at: "127.0.0.2:0", folder)
    var options = options
    options.address = daemon.address
    let play = try LedgerPlay(options)
    try play.join()
    var figures = Figures()
    for run in 1...runs {
      try play.play(seconds: 2)
      let reconnects = play.counts.reconnects
      let began = MonotonicClock.now()
      daemon.send(SIGTERM)
      try play.wait(seconds: Self.timeoutSeconds, for: "the daemon to end") { !daemon.isRunning }
      guard daemon.waitForExit() == 0 else { throw RunFailure("the daemon did not stop cleanly:\n\(daemon.errors)") }
      let ended = MonotonicClock.now()
      daemon = try start(at: "\(options.address)", folder)
      let listening = MonotonicClock.now()
      try play.wait(seconds: Self.timeoutSeconds, for: "everyone to be back") {
        play.isEveryoneLive && play.counts.reconnects - reconnects >= play.playerCount
      }
      figures.add("back", Double(MonotonicClock.now() - began) / 1e9, "s after SIGTERM", digits: 2)
      figures.add("ended", Double(ended - began) / 1e9, "s after SIGTERM", digits: 2)
      figures.add("start", Double(listening - ended) / 1e9, "s until the next one listens", digits: 2)
      Console.print("restart \(run) of \(runs): \(figures.last)")
    }
    try play.play(seconds: 1)
    play.finish()
    let result = ReconnectResult(play: play, seconds: Double(runs))
    guard result.faults.isEmpty else { throw RunFailure("something was lost:\n\(result.text)") }
    daemon.stop()
    Console.print(
      "\(play.playerCount) clients, \(play.submittedCount) operations, none lost; medians of \(runs) restarts (least … most)\n"
        + figures.text)
    let isSound = figures["back"].median <= Self.backSecondsMax
    if !isSound { Console.print("the limit is missed") }
    return (isSound, ["figures": figures.json, "clients": play.playerCount, "runs": runs])
  }

  private func start(at address: String, _ folder: TemporaryFolder) throws -> ChildProcess {
    try ChildProcess.daemon(listening: address, journal: folder.path("journal.sqlite"), logLevel: "warning")
  }
}
